# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap-submit`: spark-submit with sparkgap attached, and a Python job's estimators native; the words stay."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import environment
from ..errors import ArgumentError, LaunchError, SparkGapError, surface
from ..settings import settings_for
from ..submit_options import LISTS, parse

_MAIN = Path(__file__).parent / "__main__.py"


def submit_command(words: Sequence[str], *, program: str = "spark-submit") -> list[str]:
    """The command line of spark-submit for one of sparkgap-submit.

    Raises
    ------
    ArgumentError
        There is no job, or a Python job whose driver would run in the cluster.

    Examples
    --------
    >>> submit_command(["--master", "local[2]", "app.jar", "x"])[:3]
    ['spark-submit', '--master', 'local[2]']
    """
    given = parse(words, surface="sparkgap-submit")
    if not given.job:
        raise ArgumentError.of("sparkgap-submit", "a job behind the options", "none", "Add app.py or app.jar.")
    is_python = given.job[0].endswith(".py")
    if is_python and given.settings.get("spark.submit.deployMode") == "cluster":
        raise ArgumentError.of(
            "sparkgap-submit",
            "a driver on this host for a Python job",
            "--deploy-mode cluster",
            "Leave it out, or call sparkgap.install() in the job and use spark-submit.",
        )
    settings = settings_for(given.settings.get("spark.master") or "local[*]", conf=given.settings)
    new = {
        key: value
        for key, value in settings.items()
        if key in LISTS or (key.startswith("spark.sparkgap.") and key not in given.settings)
    }
    confs = [word for key, value in new.items() for word in ("--conf", f"{key}={value}")]
    return [program, *given.words, *confs, *([str(_MAIN)] if is_python else []), *given.job]


def _program() -> str:
    """spark-submit: that of SPARK_HOME, else of the pyspark beside us, else the first on PATH."""
    home = os.environ.get("SPARK_HOME")
    if home is None:
        try:
            import pyspark
        except ImportError:
            found = shutil.which("spark-submit")
            if found is None:
                raise LaunchError.of("sparkgap-submit", "spark-submit", "none", environment.INSTALL_PYSPARK) from None
            return found
        home = str(Path(pyspark.__file__).parent)
    program = Path(home, "bin", "spark-submit")
    if not os.access(program, os.X_OK):
        raise LaunchError.of("SPARK_HOME", "a folder with bin/spark-submit", home, "Set it to Spark's folder.")
    return str(program)


def main() -> None:
    """The console script; the process becomes spark-submit."""
    surface.set("cli")
    words = sys.argv[1:]
    try:
        program = _program()
        if not words or words[0] in ("-h", "--help", "--version"):
            command = [program, *words]
        else:
            command = submit_command(words, program=program)
            if str(_MAIN) not in command:
                print("sparkgap: the plug-in is attached; estimators are replaced in Python only.", file=sys.stderr)
    except SparkGapError as e:
        print(e, file=sys.stderr)
        sys.exit(e.code)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.execv(command[0], command)
