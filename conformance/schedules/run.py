# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two applications on one store: they run a schedule, everybody reads what is there at the end, all goes, and the store
must be empty.
"""

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

from .oracle import judge
from .steps import APPLICATIONS, NAMES, PUBLISHED, THREADS, Step

START_S, END_S, LEFT_S = 180.0, 120.0, 20.0
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "2",
    "spark.sparkgap.launch.memoryBytes": "0",
}


class Pair:
    """The two applications; a context manager."""

    def __init__(self, store):
        self.store = Path(store)
        self.applications = []
        self._seen = set()

    def __enter__(self):
        settings = json.dumps(
            {
                **SETTINGS,
                "spark.sparkgap.store.dir": str(self.store / "memory"),
                "spark.sparkgap.store.diskDir": str(self.store / "disk"),
            }
        )
        words, here = [sys.executable, "-m", "schedules.application", settings], Path(__file__).resolve().parent.parent
        self.log = (self.store / "log").open("w+")
        try:
            for _ in range(APPLICATIONS):
                self.applications.append(
                    subprocess.Popen(
                        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=here
                    )
                )
            for application in self.applications:
                self._said(application, START_S)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for application in self.applications:
            application.stdin.close()
        for application in self.applications:
            try:
                application.wait(60)
            except subprocess.TimeoutExpired:
                application.kill()
                application.wait(60)
        self.log.close()

    def run(self, steps):
        """What is wrong with a schedule's run, as lines of text. Errors: RuntimeError where an application crashes or
        hangs.
        """
        results = self._all(steps)
        last = len(steps)
        # Each application looks at its own names, and at those of everybody.
        look = [
            Step(last + i, a, 0, "read", name)
            for i, (a, name) in enumerate((a, n) for a in range(APPLICATIONS) for n in (*NAMES, *PUBLISHED))
        ]
        results += self._all(look)
        wrong = judge([*steps, *look], results)
        strays, self._seen = self._strays() - self._seen, self._strays()
        wrong += [f"the store has {f}, of no table" for f in sorted(strays)]
        there = {
            (by.register, by.application)
            for by, r in zip(look, self._sorted(look, results), strict=True)
            if r["outcome"] == "ok"
        }
        drops = {}
        for step in look:
            if (step.register, step.application) in there:
                drops.setdefault(
                    step.register,
                    Step(
                        last + len(drops),
                        step.application,
                        step.id % THREADS,
                        "unpublish" if step.name in PUBLISHED else "drop",
                        step.name,
                    ),
                )
        for result in self._all(list(drops.values())):
            if result["outcome"] != "ok":
                wrong.append(f"the last drop: {result['text']}")
        if not wrong and (left := self._left()):
            wrong.append(f"left in the store when all was dropped: {left}")
            self._seen |= set(left)
        return [*wrong, *self._story(steps, results)] if wrong else []

    def _all(self, steps):
        asked = []
        for number, application in enumerate(self.applications):
            own = [s for s in steps if s.application == number]
            if own:
                application.stdin.write(json.dumps([vars(s) for s in own]) + "\n")
                application.stdin.flush()
                asked.append(application)
        return [result for application in asked for result in self._said(application, END_S)]

    def _sorted(self, steps, results):
        by = {r["id"]: r for r in results}
        return [by[s.id] for s in steps]

    def _said(self, application, within_s):
        if not select.select([application.stdout], [], [], within_s)[0]:
            raise RuntimeError(
                f"schedules: expected a word of an application within {within_s:g} s, found silence. Do look where its"
                " threads are."
            )
        line = application.stdout.readline()
        if not line:
            self.log.seek(0)
            raise RuntimeError(
                f"schedules: expected a word of an application, found its end, status {application.wait(60)}. Its last"
                f" words:\n{self.log.read()[-3000:]}"
            )
        return json.loads(line)

    def _strays(self):
        """Segments of the applications that no manifest names. Those of published tables stay for a minute, for readers
        who are about to open them.
        """
        named = set()
        for manifest in [*self.store.glob("*/*/tables/*.json"), *self.store.glob("*/published/*.json")]:
            named |= {segment["path"] for segment in _segments(json.loads(manifest.read_text()))}
        files = [str(f) for f in self.store.glob("*/*/segments/**/*") if f.is_file()]
        missing = [path for path in named if not os.path.exists(path)]
        return {f for f in files if f not in named} | {
            f"a manifest that names {path}, which is not there" for path in missing
        }

    def _left(self):
        """Files but locks and logs of failed ranks, once the last have gone."""
        deadline = time.monotonic() + LEFT_S
        while True:
            there = (f for tier in ("memory", "disk") for f in (self.store / tier).rglob("*") if f.is_file())
            files = {str(f) for f in there if "lock" not in f.name and "-logs" not in str(f)} - self._seen
            if not files or time.monotonic() > deadline:
                return sorted(files)[:8]
            time.sleep(0.02)

    def _story(self, steps, results):
        """The steps with what came of them, in the order in which they began."""
        by = {s.id: s for s in steps}
        start = min(r["begin"] for r in results)
        lines = []
        for r in sorted((r for r in results if r["id"] in by), key=lambda r: r["begin"]):
            came = (
                r["text"][:160]
                if r["outcome"] == "error"
                else (
                    f"{len(r['rows'])} rows, first {r['rows'][:1]}"
                    if "rows" in r
                    else "skipped"
                    if r.get("skipped")
                    else "done"
                )
            )
            lines.append(f"  {r['begin'] - start:6.3f} to {r['end'] - start:6.3f} s  {by[r['id']]}: {came}")
        return lines


def _segments(manifest):
    graph = manifest.get("graph") or {}
    return [*manifest["segments"], *graph.get("in", []), *graph.get("out", [])]
