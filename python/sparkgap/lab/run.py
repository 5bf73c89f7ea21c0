# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One run of a study: its applications are started together, and what they did becomes a row."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import processes
from . import inputs, mapreduce, workloads
from .budget import Budget, budget
from .design import Run
from .host import Host
from .rows import AGAIN, ANSWER, ENDED, OUTPUT, REQUEST, STRUCK, identity, instance, together
from .start import Start
from .usage import Usage

DIED = "died"  # folder
_END_S = 30.0
_WARM = 1 << 24  # bytes of what a warm run does before
# Options of JVMs and of Spark that a row would not know of.
_OF_OTHERS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS")


@dataclass(frozen=True)
class Laboratory:
    """Where runs work: inputs are kept there, and everything of a run but its row goes with it. `java` are options of
    all JVMs with tasks.
    """

    host: Host
    folder: Path
    timeout_s: float
    java: tuple[str, ...] = ()

    def run(self, run: Run) -> dict[str, Any]:
        """The row of a run; it says so where the run died."""
        start = run.start(self.host)
        start.java += self.java
        data = None
        if run.own is None:
            data = self._input(run, run.input_bytes)
            if start.is_warm:
                self._input(run, _WARM)
        if start.is_cold:
            self.host.forget_files()
        place = self.folder / "run"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        begun, load = time.time(), os.getloadavg()[0]
        usage = Usage.now()
        try:
            with _limits(start) as group:
                folders = [place / str(n) for n in range(start.started)]
                self._run_all(run, start, data, folders, group)
                killed = group.kills() if group else 0
                peak = group.peak_bytes() if group else None
            found = usage.until_now()
            row = {
                **identity(run, start, begun, load),
                **together([instance(folder, run, start) for folder in folders], killed),
                **({"peak_bytes": peak} if peak is not None else {}),
                "elapsed_s": found.elapsed_s,
                "machine_busy_s": found.busy_s,
                "load_during": os.getloadavg()[0],
            }
            if row["state"] == "died":
                self._keep_words(run, place)
            return row
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _keep_words(self, run: Run, place: Path) -> None:
        """What the applications of a run printed, where the study's results are."""
        kept = self.folder.parent / DIED
        kept.mkdir(mode=0o700, exist_ok=True)
        for output in place.rglob(OUTPUT):
            name = "-".join([run.key, *output.parent.relative_to(place).parts])
            shutil.copyfile(output, kept / f"{name}.txt")

    def _input(self, run: Run, most_bytes: int) -> Path:
        """As large as that, or as its input where that is less."""
        kind = workloads.NAMES[run.workload].kind
        return inputs.make(kind, min(most_bytes, run.input_bytes), self.folder / "inputs")

    def _run_all(self, run: Run, start: Start, data: Path | None, folders: list[Path], group: Budget | None) -> None:
        processes: list[subprocess.Popen[bytes]] = []
        deadline = time.monotonic() + self.timeout_s
        try:
            for folder in folders:
                processes.append(self._begin(run, start, data, folder, group))
            _wait(processes, deadline)
            if start.fault == "application":
                again = [folder / AGAIN for folder in folders if (folder / STRUCK).exists()]
                for folder in again:
                    processes.append(self._begin(run, start, data, folder, group, is_again=True))
                _wait(processes, deadline)
        finally:
            for process in processes:
                _end(process)

    def _begin(
        self, run: Run, start: Start, data: Path | None, folder: Path, group: Budget | None, *, is_again: bool = False
    ) -> subprocess.Popen[bytes]:
        folder.mkdir(mode=0o700)
        if run.own is not None:
            command, settings = run.own.started(run.levels, start, self.host)
            command = [word.replace("{output}", str(folder / "written")) for word in command]
        elif start.engine == "mapreduce":
            assert data is not None
            command, settings = mapreduce.command(start, data, folder / "written"), start.spark_settings()
        else:
            asked = {
                **start.as_json(),
                "input": str(data),
                "output": str(folder / "written"),
                "answer": str(folder / ANSWER),
                "struck": str(folder / STRUCK),
                "warm_input": str(self._input(run, _WARM)) if start.is_warm else None,
                "begun": time.monotonic(),  # the same in all processes of a machine
                "is_again": is_again,
                **({"fault": "none"} if is_again else {}),
            }
            (folder / "application.json").write_text(json.dumps(asked))
            command = [sys.executable, "-m", "sparkgap.lab.application", str(folder / "application.json")]
            settings = start.spark_settings()
        request = {
            "command": command,
            "cpus": start.cpus,
            "budget": None if group is None else {"folder": str(group.folder), "is_unified": group.is_unified},
            "settings": settings,
            "profile": str(folder / "profile"),
            "output": str(folder / OUTPUT),
            "ended": str(folder / ENDED),
        }
        (folder / REQUEST).write_text(json.dumps(request))
        words = [sys.executable, "-m", "sparkgap.lab.instance", str(folder / REQUEST)]
        environ = dict(os.environ)
        if run.own is None:
            environ = {name: value for name, value in environ.items() if name not in _OF_OTHERS}
            environ["PYSPARK_PYTHON"] = sys.executable
        ends = processes.end_with(os.getpid())
        return subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL, env=environ, preexec_fn=ends)


def _wait(processes: list[subprocess.Popen[bytes]], deadline: float) -> None:
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.1, deadline - time.monotonic()))


@contextlib.contextmanager
def _limits(start: Start) -> Iterator[Budget | None]:
    limit = start.limit_bytes()
    if limit is None:
        yield None
        return
    with budget(limit) as group:
        yield group


def _end(process: subprocess.Popen[bytes]) -> None:
    """All of its session, at once where it has ended by itself."""
    left = processes.end(lambda: processes.of_session(process.pid), _END_S if process.poll() is None else 0)
    if not left:
        process.wait()
