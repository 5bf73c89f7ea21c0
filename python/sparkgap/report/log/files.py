# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Which files are the event log of one application, and in which order they are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import ArgumentError, DataError
from ...profile.run import EVENT_LOG, PROFILE

_ROLLED = re.compile(r"events_(\d+)_.+")
_COMPACT = ".compact"
_UNFINISHED = ".inprogress"
_MOST_NAMES = 5


@dataclass(frozen=True)
class LogFiles:
    """One application's log. `finished` is what the names of its files say; `gaps` are the numbers of rolled files
    that are missing; `profile` is the folder of one.
    """

    path: Path
    parts: tuple[Path, ...]
    finished: bool
    gaps: tuple[int, ...] = ()
    profile: Path | None = None


def find(path: Path) -> LogFiles:
    """The log that a path means: a file, a rolling folder, a folder with one of these in it, or a profile.

    Raises
    ------
    ArgumentError
        There is no such path, or the folder holds the logs of several applications.
    DataError
        It holds none.
    """
    if not path.exists():
        raise ArgumentError.of("event log", "a file or folder that exists", str(path), "Check the path.")
    if not path.is_dir():
        if not path.is_file():
            raise ArgumentError.of("event log", "a file or a folder", f"{path}, which is neither", "Check the path.")
        return LogFiles(path, (path,), not path.name.endswith(_UNFINISHED))
    if any(_ROLLED.fullmatch(entry.name) for entry in path.iterdir()):
        return _rolling(path)
    if (path / PROFILE).is_file():
        return replace(find(path / EVENT_LOG), profile=path)
    inside = [entry for entry in sorted(path.iterdir()) if _is_log(entry)]
    if not inside:
        raise DataError.of(f"event log {path}", "the log of a Spark application", "none", "Name its file or folder.")
    if len(inside) > 1:
        names = ", ".join(entry.name for entry in inside[:_MOST_NAMES])
        more = f" and {len(inside) - _MOST_NAMES} more" if len(inside) > _MOST_NAMES else ""
        found = f"{len(inside)}: {names}{more}"
        raise ArgumentError.of(f"event log {path}", "the log of one application", found, "Name one of them.")
    return find(inside[0])


def _is_log(entry: Path) -> bool:
    if entry.name.startswith("."):
        return False
    if entry.is_dir():
        return any(_ROLLED.fullmatch(file.name) for file in entry.iterdir())
    if not entry.is_file():  # a pipe would be waited for
        return False
    with open(entry, "rb") as file:
        head = file.read(16)
    return head.startswith((b'{"Event":', b"\x28\xb5\x2f\xfd", b"LZ4Block", b"\x82SNAPPY\0", b"ZV"))


def _rolling(folder: Path) -> LogFiles:
    """From the newest file that Spark has compacted on, which holds what is left of those before it."""
    numbered = sorted(
        (int(found[1]), not entry.name.endswith(_COMPACT), entry)
        for entry in folder.iterdir()
        if (found := _ROLLED.fullmatch(entry.name))
    )
    compacts = [each for each in numbered if not each[1]]
    kept = numbered
    if compacts:
        kept = [compacts[-1], *(each for each in numbered if each[0] > compacts[-1][0])]
    first = 1 if kept[0][1] else kept[0][0]
    gaps = tuple(sorted(set(range(first, kept[-1][0])) - {number for number, _, _ in kept}))
    unfinished = any(
        entry.name.startswith("appstatus_") and entry.name.endswith(_UNFINISHED) for entry in folder.iterdir()
    )
    return LogFiles(folder, tuple(entry for _, _, entry in kept), not unfinished, gaps)
