# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The jar and the programs from an sdist's sources, for `pip install` where no wheel fits."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = {"g++": "GCC", "cmake": "CMake", "ninja": "Ninja", "mvn": "Maven", "javac": "a JDK of 17 or later"}
STEP_S = 3600


def run(root):
    """Builds build/jars/sparkgap.jar and build/native/bin in `root`, without any test.

    Raises
    ------
    RuntimeError
        A tool is missing, or a step fails; its last words are in the text.
    """
    missing = [what for tool, what in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise RuntimeError(f"sdist: expected {', '.join(missing)} on PATH, found none. Install them, or take a wheel.")
    spark = Path(importlib.util.find_spec("pyspark").origin).parent / "jars"
    native, glibc = root / "build" / "native", root / "build" / "glibc"
    _step(root, sys.executable, "dev/old_glibc.py", glibc)
    settings = {"SPARKGAP_PYTHON": sys.executable, "SPARKGAP_GLIBC": glibc, "SPARKGAP_TESTS": "OFF"}
    _step(root, "cmake", "-S", root, "-B", native, "-G", "Ninja", *(f"-D{k}={v}" for k, v in settings.items()))
    _step(root, "cmake", "--build", native, "--target", "programs")
    _step(root, "mvn", "-T", "2", "--batch-mode", "--quiet", f"-Dspark.jars={spark}", "-Dmaven.test.skip", "package")


def _step(root, *command):
    words = [str(word) for word in command]
    print("sdist:", " ".join(words[:3]), flush=True)
    done = subprocess.run(
        words, cwd=root, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=STEP_S
    )
    if done.returncode != 0:
        last = " ".join(done.stdout.splitlines()[-20:])
        raise RuntimeError(f"sdist: expected {words[0]} to end with 0, found {done.returncode}. {last}")
