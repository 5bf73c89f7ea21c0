# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How a command that starts Spark is given settings that it does not name itself."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import environment, submit_options
from ..errors import ArgumentError

# Programs of Spark that take --conf in front of the application.
_SUBMITTERS = ("spark-submit", "spark-shell", "spark-sql", "pyspark", "sparkR", "sparkgap-submit")
# Their options that no word follows.
_FLAGS = ("--verbose", "-v", "--supervise", "--help", "-h", "--version", "--usage-error", "-S", "--silent", "--debug")
_SHELL = "pyspark-shell"


def with_settings(command: Sequence[str], settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """The words and the environment by which the command starts with these settings, which replace the same ones among
    its own options. What the application sets itself stays.

    Raises
    ------
    ArgumentError
        There is no such program, or it is a MapReduce job in a session.

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
    if (before := submitter(command)) is not None:
        at = before + _application(words[before:])
        if "--session" in words[before:at]:
            do = "Leave it out: the Spark of a session is not this command's."
            raise ArgumentError.of("profile", "a job with a Spark of its own", "--session", do)
        words[at:at] = confs
    else:
        said = environ.get("PYSPARK_SUBMIT_ARGS", "").removesuffix(_SHELL).strip()
        environ["PYSPARK_SUBMIT_ARGS"] = " ".join(filter(None, [said, shlex.join(confs), _SHELL]))
    return words, environ


def submitter(command: Sequence[str]) -> int | None:
    """Where the options begin of a program that takes those of spark-submit; None where it takes none.

    Examples
    --------
    >>> submitter(["bin/spark-submit", "app.py"]), submitter(["python3", "-m", "sparkgap", "mapreduce", "job.jar"])
    (1, 4)
    """
    if Path(command[0]).name in _SUBMITTERS:
        return 1
    module = 1 if Path(command[0]).name == "sparkgap" else 3
    is_ours = module == 1 or list(command[1:3]) == ["-m", "sparkgap"]
    return module + 1 if is_ours and list(command[module : module + 1]) == ["mapreduce"] else None


def options(command: Sequence[str]) -> dict[str, str]:
    """The master and the lists of jars and plug-ins, as the command's options or the defaults of its Spark have them.

    Raises
    ------
    ArgumentError
        An option has no value.
    """
    if (before := submitter(command)) is not None:
        words, surface = list(command[before:]), "profile"
    else:
        surface = "PYSPARK_SUBMIT_ARGS"
        words = shlex.split(os.environ.get(surface, "").removesuffix(_SHELL))
    found, home = submit_options.parse(words, surface=surface), spark_home(command)
    if home is not None and not {"SPARK_HOME", "SPARK_CONF_DIR"} & os.environ.keys():
        for key in ("spark.master", "spark.submit.deployMode", *submit_options.LISTS):
            if key not in found.settings:
                found.settings[key] = environment.spark_default(key, str(home / "conf" / "spark-defaults.conf"))
    return found.settings


def spark_home(command: Sequence[str]) -> Path | None:
    """The folder of the Spark that the command starts: a program of Spark lies in it, Python has its own."""
    if said := os.environ.get("SPARK_HOME"):
        return Path(said)
    program = shutil.which(command[0])
    if program is not None and Path(command[0]).name in _SUBMITTERS:
        found = Path(program).resolve().parent.parent
        if (found / "jars").is_dir():
            return found
    package = importlib.util.find_spec("pyspark")
    return None if package is None or package.origin is None else Path(package.origin).parent


def _application(words: Sequence[str]) -> int:
    """Where options end: of two settings of one name, Spark takes the later one.

    Examples
    --------
    >>> _application(["--master", "local", "-v", "app.py", "--conf", "its own"])
    3
    """
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 1 if words[at] in _FLAGS or (words[at].startswith("--") and "=" in words[at]) else 2
    return min(at, len(words))
