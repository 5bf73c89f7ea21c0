# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How ranks ended, and which failure was the first: when one rank fails, MPI kills the others, or they lose a peer."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BY_CODE, InternalError, LaunchError, SparkGapError

_LOST = LaunchError.code
_TAIL_LINES, _TAIL_BYTES = 20, 16 << 10
_ABORT = re.compile(r"^Abort\((\d+)\) on node \d+ \(rank (\d+) in comm", re.MULTILINE)
_LOOK = "Look at the log lines below and run again."


@dataclass(frozen=True)
class RankEnd:
    """The record of one rank's guard, and what the rank itself said; `when` orders them."""

    rank: int
    recorded: bool
    code: int
    signal: int
    asked: bool
    when: float
    error: dict[str, Any] | None

    @classmethod
    def read(cls, directory: Path, rank: int) -> RankEnd:
        file = directory / f"exit-{rank}.json"
        said, error = _json(file), _json(directory / f"error-{rank}.json")
        if said is None:
            return cls(rank, False, 0, 0, False, float("inf"), error)
        return cls(rank, True, said["code"], said["signal"], said["asked"], file.stat().st_mtime, error)

    @property
    def failed(self) -> bool:
        return not self.recorded or self.code != 0 or self.signal != 0

    @property
    def crashed(self) -> bool:
        return self.signal not in (0, signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE)

    @property
    def killed_from_outside(self) -> bool:
        """By a process outside the job, or by the kernel when memory ran out."""
        return not self.asked and self.signal in (signal.SIGKILL, signal.SIGTERM)


def first_cause(directory: Path, program: str, ranks: int, status: int, *, is_ours: bool = True) -> SparkGapError:
    """The error for a job that failed: a kill from outside, a crash, what a rank said itself, any other end; within one
    kind the earliest. Only the exit codes of our own programs have a meaning.
    """
    ends = sorted((RankEnd.read(directory, rank) for rank in range(ranks)), key=lambda end: end.when)
    own = [end for end in ends if end.error is not None]
    kinds = (
        [end for end in ends if end.killed_from_outside],
        [end for end in ends if end.crashed and end.signal != signal.SIGABRT] or [end for end in ends if end.crashed],
        [end for end in own if end.error is not None and end.error["code"] != _LOST],
        [end for end in ends if end.recorded and end.code != 0 and end.error is None],
        [end for end in ends if end.signal != 0],
        own,
    )
    cause = next((kind[0] for kind in kinds if kind), None)
    if cause is None:
        aborted = _abort(directory, program, ranks)
        if aborted is not None:
            return aborted
        found = f"exit {status} before any rank ended"
        return LaunchError.of(f"launch of {program}", "its ranks to end with 0", found, _with(_LOOK, directory, None))
    if cause.error is not None and not cause.signal:
        return _said(cause.error)
    found = f"signal {cause.signal} ({signal.Signals(cause.signal).name})" if cause.signal else f"exit {cause.code}"
    log = tail(directory / f"rank-{cause.rank}.log") or tail(directory / "launcher.log")
    where, do = f"rank {cause.rank} of {program}", _LOOK if log else "Run again."
    if not is_ours or cause.code in (0, 126, 127, _LOST):
        number = cause.signal or None
        return LaunchError.of_rank(where, found, do, rank=cause.rank, host="localhost", signal=number, log=log)
    said = f"{found} ({log.splitlines()[-1]})" if log else found
    return BY_CODE.get(cause.code, InternalError).of(where, "exit 0", said, "Do look at the program's log.")


def _abort(directory: Path, program: str, ranks: int) -> LaunchError | None:
    """After MPI_Abort mpiexec kills all guards at once, so no rank has a record; MPICH names it in the rank's log."""
    for rank in range(ranks):
        log = tail(directory / f"rank-{rank}.log")
        for found in _ABORT.finditer(log):
            if int(found[2]) == rank:
                where, said = f"rank {rank} of {program}", f"MPI_Abort with {found[1]}"
                return LaunchError.of_rank(where, said, _LOOK, rank=rank, host="localhost", signal=None, log=log)
    return None


def tail(log: Path) -> str:
    """The last lines of a log, "" where there is none."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            return "\n".join(file.read().decode(errors="replace").strip().splitlines()[-_TAIL_LINES:])
    except OSError:
        return ""


def _with(advice: str, directory: Path, rank: int | None) -> str:
    said = tail(directory / ("launcher.log" if rank is None else f"rank-{rank}.log"))
    return f"{advice} {said.splitlines()[-1]}" if said else "Run again."


def _said(error: dict[str, Any]) -> SparkGapError:
    code = int(error["code"])
    return BY_CODE.get(code, InternalError)(" ".join(str(error["message"]).split()))


def _json(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
