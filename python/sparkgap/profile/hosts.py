# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Samples of executors that are no children of the profiler: on other hosts, or started by a cluster's daemons here.

A plug-in of Spark starts the sampler beside each of them, and the driver's part of it writes `hosts.jsonl`. The sampler
travels with it, as one file that any Python 3.9 runs; the executors' hosts need no sparkgap.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from .. import spec
from .command import options, spark_home

HOSTS, SAMPLER, JAR = "hosts.jsonl", "sampler.pyz", "plugin.jar"
_PLUGIN = "org.sparkgap.spark.profile.ProfilePlugin"
_CLASS_PATH, _FOLDER = "SPARK_DIST_CLASSPATH", "SPARKGAP_PROFILE"
_CLASSES = "org/sparkgap/spark/profile/"
_PACKAGE = Path(__file__).parent.parent
_FILES = (
    "processes.py",
    "profile/__init__.py",
    "profile/control_group.py",
    "profile/jvm_threads.py",
    "profile/machine.py",
    "profile/sampler.py",
)
# All of it is in memory once it is imported: its file goes first, for a host that is struck to keep none.
_MAIN = (
    "import os, sys\nfrom sparkgap.profile.sampler import follow\nos.unlink(sys.argv[0])\nfollow(int(sys.argv[1]))\n"
)


def plugins(command: Sequence[str], given: str, *, stacks: bool) -> str | None:
    """`spark.plugins` with ours as one more entry, behind those `given` or of the command's options: where a cluster
    may run it, or tasks are to mark their stage, the driver runs here, and the Spark is one that the plug-in is made
    for. None elsewhere.
    """
    found, home = options(command), spark_home(command)
    is_local = re.fullmatch(r"local(\[.*\])?", found.get("spark.master", "")) is not None
    is_made_for = home is not None and any((home / "jars").glob("spark-core_2.13-4.*.jar"))
    is_here = found.get("spark.submit.deployMode") != "cluster"
    if (is_local and not stacks) or not is_here or not is_made_for or not spec.JAR.is_file():
        return None
    return ",".join(filter(None, [given or found.get("spark.plugins", ""), _PLUGIN]))


def of_driver(profile: Path) -> dict[str, str]:
    """What the environment of the driver has, for it to know the profile's folder, and to have the plug-in's jar among
    its classes. It sends that to the executors; lists of jars are the application's own.
    """
    parts = [os.environ.get(_CLASS_PATH, ""), str(profile.absolute() / JAR)]
    return {_CLASS_PATH: os.pathsep.join(filter(None, parts)), _FOLDER: str(profile.absolute())}


def put(profile: Path) -> None:
    """The sampler as one file, for the driver to send, and the plug-in as a jar of its own: all of sparkgap's is large,
    and each executor fetches it.
    """
    with zipfile.ZipFile(profile / SAMPLER, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("__main__.py", _MAIN)
        made.writestr("sparkgap/__init__.py", "")
        for name in _FILES:
            made.write(_PACKAGE / name, f"sparkgap/{name}")
    if spec.JAR.is_file():
        with zipfile.ZipFile(spec.JAR) as whole, zipfile.ZipFile(profile / JAR, "w", zipfile.ZIP_DEFLATED) as made:
            for name in whole.namelist():
                if name.startswith(_CLASSES) and name.endswith(".class"):
                    made.writestr(name, whole.read(name))


def take_away(profile: Path) -> None:
    """What nobody needs once the application has ended."""
    for name in (SAMPLER, JAR):
        (profile / name).unlink(missing_ok=True)
