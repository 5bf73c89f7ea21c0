# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All exceptions of sparkgap, and their way out of Spark's."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import json
import re
import sys
from collections.abc import Iterator
from typing import TypeVar

_ONE_STOP = re.compile(r"(?<!\.)\.$")
_Class = TypeVar("_Class", bound=type)
_Error = TypeVar("_Error", bound="SparkGapError")

# The words that advice is given in: "python" or "cli".
surface: contextvars.ContextVar[str] = contextvars.ContextVar("surface", default="python")
_PARAMETER = re.compile(r"\b([a-z]\w*) => ('[^']*'|\"[^\"]*\"|[^\s,;()]*[^\s,;().])")
# What has a flag of its own on the command line, and Spark's other settings.
_FLAGS = (
    (re.compile(r"\bspark\.sparkgap\.store\.dir\b"), "--store"),
    (re.compile(r"\btimeout_s\b"), "--timeout"),
    (re.compile(r"(?<!--conf )\bspark(\.\w+){2,}"), r"--conf \g<0>"),
)


def in_words(text: str) -> str:
    """Advice that names a parameter as SQL does, `src => 'name'`, in the words of the surface that the user is at.

    The JVM and the readers of files write advice in this one form; SQL shows it as it is.

    Examples
    --------
    >>> in_words("Do pass src => 'name'.")
    "Do pass src='name'."
    """
    if surface.get() != "cli":
        return _PARAMETER.sub(lambda m: _as_keyword(m[1], m[2]), text)
    text = _PARAMETER.sub(lambda m: _as_flag(m[1], m[2]), text)
    for word, flag in _FLAGS:
        text = word.sub(flag, text)
    return text


def _as_keyword(name: str, value: str) -> str:
    if name == "types":
        return f"types=['{value}']"
    return f"{name}={value.title() if value in ('true', 'false') else value}"


def _as_flag(name: str, value: str) -> str:
    flag = "--" + name.removesuffix("_s").replace("_", "-")
    if name == "header":
        return flag if value == "true" else "--no-header"
    plain = value.strip("'")
    return f"{flag} {plain if re.fullmatch('[A-Za-z0-9_./=-]+', plain) else value}"


class SparkGapError(Exception):
    """Something that sparkgap was asked to do cannot be done.

    The text reads "Where: expected X, found Y. Do Z." on one line. `code` is the exit status that goes with it.
    """

    code = 70

    @classmethod
    def of(cls: type[_Error], where: str, expected: str, found: str, do: str) -> _Error:
        """The error in the one form that all messages have."""
        return cls(" ".join(f"{where}: expected {expected}, found {_ONE_STOP.sub('', found.strip())}. {do}".split()))

    def __str__(self) -> str:
        line, end, log = super().__str__().partition("\n")
        said, stop, advice = line.partition(". ")
        return said + stop + in_words(advice) + end + log


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

    @classmethod
    def of_rank(
        cls, where: str, found: str, do: str, *, rank: int, host: str, signal: int | None, log: str
    ) -> LaunchError:
        """The error for a rank that ended with another exit than 0."""
        text = Exception.__str__(cls.of(where, "exit 0", found, do))
        return cls(text, rank=rank, host=host, signal=signal, log=log)

    def adding(self, words: str = "", *, log: str = "") -> LaunchError:
        """The same error with more words on its line, or with the last lines of a log."""
        line = " ".join([Exception.__str__(self).partition("\n")[0], *words.split()])
        return LaunchError(line, rank=self.rank, host=self.host, signal=self.signal, log=log or self.log)


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


@contextlib.contextmanager
def spark_errors() -> Iterator[None]:
    """Around all that a public call asks of Spark, as a block or a decorator: what comes out is ours, or an exception
    of pyspark's own, never Py4J's.

    An error of ours that Spark has wrapped up is taken out of it. What Spark says of the user's own DataFrames
    (AnalysisException, PythonException, ArithmeticException, ...) stays as it is. What Spark has no Python class for
    becomes DataError, with Spark's words; the loss of its JVM or server LaunchError.
    """
    try:
        yield
    except SparkGapError:
        raise
    except Exception as e:
        ours = translate(e)
        if ours is not None:
            raise ours from None
        ours = plain(e)
        if ours is None:
            raise
        raise ours from e


def speaks_of_spark(cls: _Class) -> _Class:
    """A class decorator: `spark_errors` around each public method and property that the class itself has."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name not in ("__init__", "_transform"):
            continue
        if isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(spark_errors()(member.fget), doc=member.__doc__))
        elif isinstance(member, classmethod):
            setattr(cls, name, classmethod(spark_errors()(member.__func__)))
        elif inspect.isfunction(member):
            setattr(cls, name, spark_errors()(member))
    return cls


_LOST = ("ConnectionError", "Py4JError", "RpcError", "EOFError")
_AGAIN = "Call sparkgap.session() for a new one and make the DataFrames again."
_EXCEPTION = r"((?:[a-z_0-9]+\.)+[A-Z][\w$]*)(?:: (.*))?$"
_JAVA = re.compile(rf"^:? ?{_EXCEPTION}", re.MULTILINE)
_CAUSE = re.compile(rf"^Caused by: {_EXCEPTION}", re.MULTILINE)
_MEMORY = "java.lang.OutOfMemoryError"


def plain(error: BaseException) -> SparkGapError | None:
    """What an exception that is not pyspark's own means, and one of Connect where the server is gone; None for all
    others.
    """
    names = [cls.__name__ for cls in type(error).__mro__]
    text = str(error)
    if "SparkConnectException" in names:
        gone = re.search(
            r"UNAVAILABLE|DEADLINE_EXCEEDED|NO_ACTIVE_SESSION|SESSION_CLOSED|SESSION_CHANGED|SESSION_NOT_FOUND|failed"
            r" to connect",
            text,
        )
        return (
            LaunchError.of("spark", "the Connect server to answer", gone.group(), f"Look whether it runs. {_AGAIN}")
            if gone
            else _stopped(text)
        )
    if ("Py4JJavaError" in names or "AssertionError" in names) and _nothing_runs():
        return _stopped("SparkContext is stopped")
    if "Py4JJavaError" in names:
        return _stopped(text) or _of_java(text)
    if "PySparkException" in names:
        return _stopped(text)
    if "Py4JError" in names and "Trace:" in text:  # a method that this Spark does not have
        return InternalError.of(
            "spark", "methods of Spark 4", text.split("Trace:")[1].strip().splitlines()[0], "Please report this."
        )
    if any(name in names for name in _LOST):
        return LaunchError.of(
            "spark", "its JVM to answer", f"none ({text.splitlines()[0].strip() if text else names[0]})", _AGAIN
        )
    return None


def _nothing_runs() -> bool:
    """Whether classic Spark's context has been stopped: what its JVM says then has many words."""
    if "pyspark.sql" not in sys.modules:
        return False
    from pyspark import SparkContext
    from pyspark.sql.utils import is_remote

    return not is_remote() and SparkContext._active_spark_context is None


def _stopped(text: str) -> SparkGapError | None:
    if re.search(
        r"stopped SparkContext|SparkContext was shut ?down|SparkContext has been shutdown|SparkContext is stopped", text
    ):
        return LaunchError.of("spark", "a Spark session that runs", "that it was stopped meanwhile", _AGAIN)
    if re.search(r"SPARK_JOB_CANCELLED|OPERATION_CANCELED|Job \d+ cancelled", text):
        return LaunchError.of("call", "to run to its end", "that it was cancelled", "Do run it again.")
    return None


def _of_java(text: str) -> SparkGapError:
    """An error of Spark's own work for a call, for which PySpark has no class. Where Spark calls it a bug of its own,
    the innermost cause says more.

    Examples
    --------
    >>> said = "x: org.apache.spark.SparkException: [INTERNAL_ERROR] The phase failed." + chr(10)
    >>> _of_java(said[1:] + "Caused by: java.lang.OutOfMemoryError: Java heap space").code
    4
    """
    found = _JAVA.search(text)
    name, words = (found.group(1), found.group(2) or "") if found else ("", text)
    causes, outer = [(name, words), *_CAUSE.findall(text)], name
    if "[INTERNAL_ERROR]" in words:
        name, words = causes[-1]
    name, words = next((each for each in causes if each[0] == _MEMORY), (name, words))
    said = f"{name.rpartition('.')[2]}: {words}".strip(": ").rstrip(".")[:500]
    if name == _MEMORY:
        return ResourceError.of(
            "spark",
            "memory for what Spark computes for the call",
            said,
            "Give it more by spark.driver.memory or spark.executor.memory.",
        )
    cls: type[SparkGapError] = DataError if outer.startswith("org.apache.") or "Job aborted" in text else InternalError
    do = (
        "Look at the cause, which is Spark's own error."
        if cls is DataError
        else "Please report this with the cause above."
    )
    return cls.of("spark", "Spark to compute what the call reads", said, do)


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
    return LaunchError(
        message, rank=keys.get("rank"), host=keys.get("host"), signal=keys.get("signal"), log=log, logs=keys.get("logs")
    )
