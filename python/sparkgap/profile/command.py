# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How a command that starts Spark is given settings that it does not name itself."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import ArgumentError

# Programs of Spark that take --conf in front of the application.
_SUBMITTERS = ("spark-submit", "spark-shell", "spark-sql", "pyspark", "sparkR", "sparkgap-submit")
# Their options that no word follows.
_FLAGS = ("--verbose", "-v", "--supervise", "--help", "-h", "--version", "--usage-error", "-S", "--silent")
_SHELL = "pyspark-shell"


def with_settings(command: Sequence[str], settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The words and the environment by which the command starts with these settings, which replace the same ones among
    its own options. What the application sets itself stays.

    Raises
    ------
    ArgumentError
        There is no such program.

    Examples
    --------
    >>> with_settings(["true", "job.py"], {"spark.a": "1"})[1]["PYSPARK_SUBMIT_ARGS"].endswith("pyspark-shell")
    True
    """
    program = shutil.which(command[0])
    if program is None:
        raise ArgumentError.of("profile", "a program that can be run", f"no {command[0]!r}", "Check its name or path.")
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    words, environ = [program, *command[1:]], dict(os.environ)
    if Path(command[0]).name in _SUBMITTERS:
        at = _application(words)
        words[at:at] = confs
    else:
        before = environ.get("PYSPARK_SUBMIT_ARGS", "").removesuffix(_SHELL).strip()
        environ["PYSPARK_SUBMIT_ARGS"] = " ".join(filter(None, [before, shlex.join(confs), _SHELL]))
    return words, environ


def _application(words: Sequence[str]) -> int:
    """Where options end: of two settings of one name, Spark takes the later one.

    Examples
    --------
    >>> _application(["spark-submit", "--master", "local", "-v", "app.py", "--conf", "its own"])
    4
    """
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 1 if words[at] in _FLAGS or (words[at].startswith("--") and "=" in words[at]) else 2
    return min(at, len(words))
