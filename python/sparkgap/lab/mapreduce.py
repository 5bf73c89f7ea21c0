# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The engine `mapreduce`: programs of Hadoop's own examples, unchanged, as jobs on Spark."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..spec import JAR
from .start import Start

_TEXT = "org.apache.hadoop.io.Text"
_SORT = [
    *("-inFormat", "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat"),
    *("-outFormat", "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"),
    *("-outKey", _TEXT, "-outValue", _TEXT),
]
_REDUCES = "-Dmapreduce.job.reduces={}"


def examples() -> Path | None:
    """Their jar, of an installed Hadoop or of a source tree."""
    home = os.environ.get("HADOOP_HOME")
    installed = Path(home) / "share" / "hadoop" / "mapreduce" if home else JAR.resolve().parents[1] / "hadoop-installed"
    found = (jar for jar in installed.glob("hadoop-mapreduce-examples-*.jar") if "sources" not in jar.name)
    return next(found, None)


def command(start: Start, data: Path, output: Path) -> list[str]:
    """The command of a run; its master and its settings are those of the run."""
    jar = examples()
    assert jar is not None  # runs without are left out
    slots = max(1, len(start.cpus) // start.instances)
    words = {
        "wordcount": ["wordcount", _REDUCES.format(slots), str(data), str(output)],
        "sort": ["sort", "-r", str(slots), *_SORT, str(data), str(output)],
        "grep": ["grep", str(data), str(output), "the[a-z]*"],
    }[start.workload]
    return [sys.executable, "-m", "sparkgap", "mapreduce", str(jar), *words]
