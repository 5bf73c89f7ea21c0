# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a figure was measured on: processor, memory, versions, commit, load, and the bandwidth of the memory."""

import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from sparkgap import LaunchError, environment

HERE = Path(__file__).resolve().parent
PACKAGES = ("pyspark", "mpich", "networkit", "igraph", "scikit-learn", "scikit-learn-intelex", "pyarrow", "numpy")


def describe():
    """Everything that a reader needs to judge a figure."""
    return {
        "processor": _processor(),
        "cores": environment.cores(),
        "memory_bytes": environment.memory_bytes(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "java": _java(),
        "compiler": _first_line(["g++", "--version"]),
        "packages": {name: _version(name) for name in PACKAGES},
        "commit": _first_line(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]),
        "changed": bool(_first_line(["git", "-C", str(HERE), "status", "--porcelain", "--untracked-files=no"])),
        "load_1min": round(os.getloadavg()[0], 2),
    }


def triad_gb_per_s(threads):
    """Measured triad bandwidth, or None where no C compiler is here."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "triad"
        build = ["gcc", "-O3", "-march=native", "-fopenmp", str(HERE / "triad.c"), "-o", str(program)]
        try:
            subprocess.run(build, check=True, capture_output=True, timeout=120)
            environ = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
            done = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=120, env=environ)
        except (OSError, subprocess.SubprocessError):
            return None
    return float(done.stdout)


def product_gflop_per_s(threads):
    """What numpy's matrix product reaches in double precision: the best of five, of 2000 x 2000."""
    program = (
        "import numpy as np, time; a = np.random.rand(2000, 2000); t = []\n"
        "for _ in range(5): s = time.perf_counter(); a @ a; t.append(time.perf_counter() - s)\n"
        "print(16 / min(t))"
    )
    environ = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=120, env=environ
    )
    return float(done.stdout)


def _processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _java():
    try:
        return environment.java_version()
    except LaunchError:
        return None


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _first_line(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else ""
