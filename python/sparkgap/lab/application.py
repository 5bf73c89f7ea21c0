# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A workload as an application of Spark: `python -m sparkgap.lab.application REQUEST.json`.

Its settings are those of the process that starts it. It answers with the seconds of the work: from a session that is up
to results that are written.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..profile.command import spark_home
from . import workloads
from .faults import strike

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Request:
    """What a workload needs to know."""

    workload: str
    engine: str
    iterations: int
    input: str
    output: str
    tables: str = "files"
    fault: str = "none"
    struck: str = ""  # the file that says when
    begun: float = 0.0
    since: float = 0.0  # like begun, on the clock of the event log
    is_again: bool = False  # all of a second try is work, its start too
    parts: dict[str, float] = field(default_factory=dict)

    def begin(self) -> None:
        """The work begins now: what came before is no part of it."""
        if not self.is_again:
            self.begun, self.since = time.monotonic(), time.time()

    def add_parts(self, seconds: dict[str, float]) -> None:
        """What a part of the work took, by its name."""
        self.parts |= {f"part_{name}": value for name, value in seconds.items()}

    def computed(self) -> None:
        """All is computed, and not yet read: a fault strikes here, if this run has one."""
        if self.fault != "none":
            Path(self.struck).write_text(json.dumps({"work_s": time.monotonic() - self.begun}), encoding="utf-8")
            strike(self.fault)


def main(path: Path) -> None:
    """Do what the file asks for."""
    said = json.loads(path.read_text(encoding="utf-8"))
    workload = workloads.NAMES[said["workload"]]
    request = Request(
        said["workload"],
        said["engine"],
        said["iterations"] or workload.iterations,
        said["input"],
        said["output"],
        said["tables"],
        said["fault"],
        said["struck"],
        said["begun"],
        said["is_again"],
    )
    module = importlib.import_module(f".workloads.{workload.module}", __package__)
    work = getattr(module, request.workload)
    spark = _session(said["has_sparkgap"], said["settings"]["spark.master"])
    if said["warm_input"] is not None:
        output = f"{request.output}-before"
        work(spark, replace(request, input=said["warm_input"], output=output, fault="none", parts={}))
        spark.catalog.clearCache()
    request.begin()
    work(spark, request)
    work_s = time.monotonic() - request.begun
    home = spark_home([sys.executable])
    name = spark.sparkContext.applicationId
    spark.stop()
    if home is not None:  # where executors beside the driver worked
        shutil.rmtree(home / "work" / name, ignore_errors=True)
    answer = {"work_s": work_s, "since": request.since, **request.parts}
    Path(said["answer"]).write_text(json.dumps(answer), encoding="utf-8")


def _session(has_sparkgap: bool, master: str) -> SparkSession:
    if has_sparkgap:
        import sparkgap

        return sparkgap.session(master)
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
