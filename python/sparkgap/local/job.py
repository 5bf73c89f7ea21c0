# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One run of a kernel's program over tables, on this host and without a JVM: its folder, its ranks, its result."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .. import environment
from .. import spec as specs
from ..call import COMMON
from ..errors import BY_CODE, ArgumentError, InternalError, LaunchError, ResourceError
from ..progress import Progress
from . import endings, ranks, segments, shared_memory
from .home import Home

if TYPE_CHECKING:
    import pyarrow as pa

SEGMENT_BYTES = 1 << 28
HOST = "localhost"
_LINES_BYTES = 4096
_TIMEOUT_S = 3600.0


@dataclass
class Outcome:
    """The result, whose columns are mapped, and what the ranks said of their work."""

    rows: pa.Table
    reports: list[dict[str, Any]]
    memory_bytes: int
    phases: dict[str, float] = field(default_factory=dict)


class Input(Protocol):
    """What a job reads: files on this host."""

    @property
    def rows(self) -> int: ...
    @property
    def copied(self) -> int: ...
    def as_json(self, host: str) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Options:
    """How a job runs: on how many ranks and threads, until when on the monotonic clock, and whether a bar shows it."""

    ranks: int
    threads: int
    timeout_s: float
    deadline: float
    progress: bool | None = None


def options(given: Mapping[str, Any], start: float) -> Options:
    """What a call that began at `start` on the monotonic clock says of these, checked; its own defaults for the rest.

    Raises
    ------
    ArgumentError
        A value is out of its range.
    """
    checked = {p.name: p.check(given[p.name]) for p in COMMON if p.name in ("ranks", "threads", "timeout_s")}
    timeout_s, n_ranks = checked["timeout_s"] or _TIMEOUT_S, checked["ranks"] or 1
    threads = checked["threads"] or default_threads(n_ranks)
    return Options(n_ranks, threads, timeout_s, start + timeout_s, given.get("progress"))


def run(
    home: Home,
    kernel: str,
    inputs: Mapping[str, Input | None],
    parameters: Mapping[str, Any],
    output: Path,
    options: Options,
) -> Outcome:
    """Runs it to its end; then nothing of it is left but what it wrote into `output`, a new folder.

    Raises
    ------
    SparkGapError
        What a rank said, how it died, or the deadline.
    """
    number = home.number()
    directory = home.path / "jobs" / str(number)
    program = specs.NATIVE.resolve() / f"sparkgap-{kernel}"
    begin, first = time.time(), time.monotonic()
    job = description(number, kernel, options) | {
        "parameters": dict(parameters),
        "inputs": {name: given and given.as_json(HOST) for name, given in inputs.items()},
        "output": {"directory": str(output), "segment_bytes": SEGMENT_BYTES},
    }
    try:
        directory.mkdir(mode=0o700)
        output.mkdir(mode=0o700)
        (directory / "job.json").write_text(json.dumps(job), encoding="utf-8")
        memory_bytes, is_least = _memory(program, job, options)
        asked = time.monotonic()
        start(program.parent / ranks.GUARD, program, directory, kernel, options, has_least_memory=is_least)
        ended = time.monotonic()
        reports = [report(directory, kernel, rank) for rank in range(options.ranks)]
        rows = segments.mapped(reports)
    except OSError as e:
        raise ResourceError.of(f"store {home.store}", "room for a job", str(e.strerror), "Do free some.") from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        if options.ranks > 1:
            shared_memory.remove_left(begin)
    phases = {name: max(report["seconds"][name] for report in reports) for name in ("build", "compute", "write")}
    figures = {"memory_s": asked - first, "launch_s": max(0.0, ended - asked - sum(phases.values()))}
    return Outcome(rows, reports, memory_bytes, figures | {f"{name}_s": s for name, s in phases.items()})


def description(number: int, program: str, options: Options) -> dict[str, Any]:
    """What job.json says of every job."""
    return {
        "version": 1,
        "job": str(number),
        "program": program,
        "ranks": options.ranks,
        "threads": options.threads,
        "rank_hosts": [HOST] * options.ranks,
        "progress": "progress.jsonl",
        "done": "done-%d.json",
    }


def start(
    guard: Path,
    program: Path,
    directory: Path,
    name: str,
    options: Options,
    *,
    is_ours: bool = True,
    has_least_memory: bool = False,
) -> None:
    """Run the ranks of a job, whose folder is `directory`, to their end. A program of a user's runs in that folder.

    Raises
    ------
    SparkGapError
        What a rank said, how it died, or the deadline.
    """
    words = ranks.command(guard, program, directory, options.ranks)
    variables = ranks.variables(program, directory, options.ranks, options.threads)
    if has_least_memory:
        variables["SPARKGAP_MEMORY"] = "least"
    with ranks.started(words, variables, directory, Path("/") if is_ours else directory) as child:
        try:
            with Progress(name, lambda: _said(directory), begin="launch", shown=options.progress):
                ranks.wait(child, options.deadline)
        except TimeoutError:
            raise _late(name, options, endings.tail(directory / "rank-0.log")) from None
        ends = [endings.RankEnd.read(directory, rank) for rank in range(options.ranks)]
        if child.returncode != 0 or any(end.failed for end in ends):
            raise endings.first_cause(directory, name, options.ranks, child.returncode, is_ours=is_ours)


def _memory(program: Path, job: Mapping[str, Any], options: Options) -> tuple[int, bool]:
    """The bytes that the ranks take beyond their mapped inputs, as the kernel says, and whether they are the least with
    which it runs, because the host has no more; refused where it lacks these too.

    Raises
    ------
    ResourceError
        There is not so much free.
    """
    answer, free = _asked("--memory", program, job, options), environment.available_bytes()
    needed, on_disk = int(answer["memory_bytes"]), _graph_on_disk(job)
    least = int(answer.get("least_bytes", needed))  # programs that older versions compiled do not say it
    where = f"memory of {job['program']}"
    if least > free:
        do = "Do end other work, or choose fewer rows."
        raise ResourceError.of(where, f"{least} bytes free", f"{free}", do)
    beside = max(0, free - needed)
    if on_disk > beside:
        found = f"its graph has {on_disk} bytes on disk, and {beside} are free beside its ranks"
        speed = 0.0
        with contextlib.suppress(ArgumentError):  # programs that older versions compiled do not know the question
            speed = _asked("--disk", program, job, options)["bytes_per_second"]
        each = f", of about {on_disk / speed:.2g} s" if speed else ""
        warnings.warn(f"{where}: {found}. Arcs are read from disk again in each pass{each}.", stacklevel=2)
        return least, True
    if needed > free:
        warnings.warn(f"{where}: {free} bytes are free of {needed}. It runs with {least}, and longer.", stacklevel=2)
        return least, True
    return needed, False


def _asked(question: str, program: Path, job: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """What a kernel's program answers instead of a run. Errors: its own, in its words."""
    words = [str(program.parent / ranks.GUARD), "--exec", "--", str(program), question, "-"]
    left = max(0.001, options.deadline - time.monotonic())
    try:
        done = subprocess.run(
            words, input=json.dumps(job), env=ranks.inherited(), capture_output=True, text=True, timeout=left
        )
    except subprocess.TimeoutExpired:
        raise _late(job["program"], options) from None
    said = (done.stdout + done.stderr).strip().splitlines()[-1:] or [""]
    if done.returncode != 0:
        raise BY_CODE.get(done.returncode, InternalError)(said[0])
    answer: dict[str, Any] = json.loads(said[0])
    return answer


def _graph_on_disk(job: Mapping[str, Any]) -> int:
    """Bytes of the arcs of a stored graph, where they are no files in memory."""
    graphs = [given["graph"] for given in job["inputs"].values() if given and given.get("graph")]
    segments = [each for graph in graphs for way in ("in", "out") for each in graph.get(way) or []]
    folders = {Path(each["path"]).parent for each in segments}
    in_memory = {folder for folder in folders if environment.huge_pages(folder) is not None}
    return sum(int(each["bytes"]) for each in segments if Path(each["path"]).parent not in in_memory)


def _said(directory: Path) -> dict[str, Any] | None:
    """The last whole line that rank 0 wrote of its progress."""
    try:
        with open(directory / "progress.jsonl", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LINES_BYTES))
            whole = file.read().rpartition(b"\n")[0]
    except OSError:
        return None
    found: dict[str, Any] | None = json.loads(whole.rpartition(b"\n")[2]) if whole else None
    return found


def _late(kernel: str, options: Options, log: str = "") -> LaunchError:
    expected = f"the job to end within {float(options.timeout_s)} s"
    return LaunchError.of(f"timeout_s of {kernel}", expected, "it running", "Do pass a longer one.").adding(log=log)


def report(directory: Path, kernel: str, rank: int) -> dict[str, Any]:
    """What a rank said at its end. Errors: InternalError where it did not."""
    try:
        found: dict[str, Any] = json.loads((directory / f"done-{rank}.json").read_text(encoding="utf-8"))
        return found
    except (OSError, ValueError) as e:
        found_ = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        do = "Do report this as a bug of the program."
        raise InternalError.of(f"rank {rank} of {kernel}", f"a sound done-{rank}.json", found_, do) from None


def default_threads(n_ranks: int) -> int:
    """The processors of this process, shared by the ranks."""
    return max(1, len(os.sched_getaffinity(0)) // n_ranks)
