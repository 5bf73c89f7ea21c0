# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All exceptions of sparkgap, and their way out of Spark's."""

from __future__ import annotations

import json
import re


class SparkGapError(Exception):
    """Something that sparkgap was asked to do cannot be done.

    The text reads "Where: expected X, found Y. Do Z." on one line. `code` is the exit status that goes with it.
    """

    code = 70

    @classmethod
    def of(cls, where: str, expected: str, found: str, do: str) -> SparkGapError:
        """The error in the one form that all messages have."""
        return cls(" ".join(f"{where}: expected {expected}, found {found}. {do}".split()))


class ArgumentError(SparkGapError):
    """An argument is unknown, of the wrong type or out of its range."""

    code = 2


class DataError(SparkGapError):
    """The data is not what the kernel needs: a column is missing, a type, a null, a NaN, an empty table."""

    code = 3


class ResourceError(SparkGapError):
    """There is no room: memory, disk, or a directory that cannot be written."""

    code = 4


class LaunchError(SparkGapError):
    """A rank died or could not be started. The text ends with the last lines of its log.

    Attributes
    ----------
    rank : int or None
        The rank that failed first.
    host : str or None
        Where it ran.
    signal : int or None
        The signal that ended it.
    log : str
        The last lines that it printed.
    logs : str or None
        The folder on the driver's host that has what each rank printed, as `rank-<r>.log`, until the session ends.
    """

    code = 5

    def __init__(
        self,
        message: str,
        *,
        rank: int | None = None,
        host: str | None = None,
        signal: int | None = None,
        log: str = "",
        logs: str | None = None,
    ) -> None:
        super().__init__(f"{message}\n{log}" if log else message)
        self.rank, self.host, self.signal, self.log, self.logs = rank, host, signal, log, logs


class InternalError(SparkGapError):
    """A bug of sparkgap. Please report it with the text."""

    code = 70


BY_CODE: dict[int, type[SparkGapError]] = {
    cls.code: cls for cls in (ArgumentError, DataError, ResourceError, LaunchError, InternalError)
}

_MARK = re.compile(r"\[SPARKGAP (\{[^{}]*\})\] ?([^\r\n]*)")
# Where the text of ours ends and Spark's own additions begin.
_STACK = re.compile(r"^(\s+at \S|\s*\.\.\. \d+ more|Caused by: |JVM stacktrace:|SQLSTATE: )")


def translate(error: BaseException) -> SparkGapError | None:
    """The error of ours inside one of Spark's (classic or Connect), or None where there is none.

    Examples
    --------
    >>> e = translate(RuntimeError('x: [SPARKGAP {"code":3}] edges.src: expected no nulls, found 2. Drop them.'))
    >>> type(e).__name__, e.code, str(e)
    ('DataError', 3, 'edges.src: expected no nulls, found 2. Drop them.')
    """
    seen: BaseException | None = error
    while seen is not None:
        found = parse(str(seen))
        if found is not None:
            return found
        seen = seen.__cause__ or seen.__context__
    return None


def parse(text: str) -> SparkGapError | None:
    """The error that `text` carries after the mark `[SPARKGAP {"code": ...}]`."""
    mark = _MARK.search(text)
    if mark is None:
        return None
    try:
        keys = json.loads(mark.group(1))
    except ValueError:
        return InternalError.of("error text", "JSON after [SPARKGAP", repr(mark.group(1)), "Please report this.")
    cls = BY_CODE.get(keys.get("code"), InternalError)
    message = mark.group(2).strip()
    if cls is not LaunchError:
        return cls(message)
    lines = []
    for line in text[mark.end() :].splitlines()[1:]:
        if _STACK.match(line):
            break
        lines.append(line)
    log = "\n".join(lines).strip("\n")
    return LaunchError(message, rank=keys.get("rank"), host=keys.get("host"), signal=keys.get("signal"), log=log, logs=keys.get("logs"))
