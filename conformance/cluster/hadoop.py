# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own daemons on the hosts, of hadoop-client-minicluster, which needs no installation.

Their class path has Spark's jars for the rest. All files of one process's clusters are in one folder, which hosts see.
"""

import atexit
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from .daemon import FOLDER, JVM, ROOT, Daemon
from .problem import problem
from .standalone import SPARK_HOME

JARS = ROOT / "build" / "hadoop"
COPY_S = 600
CONFIGURATION = ROOT / "build" / f"hadoop-{os.getpid()}"


def prepare():
    """Makes the folder of this process's configurations, empty. Errors: ClusterError where jars do not come."""
    _copy_jars()
    shutil.rmtree(CONFIGURATION, ignore_errors=True)
    CONFIGURATION.mkdir(parents=True)
    atexit.register(shutil.rmtree, CONFIGURATION, ignore_errors=True)
    # No other names: nodes go by their addresses, which drivers on this side reach.
    own = " ".join(["localhost", "master", *(f"host{i}" for i in range(1, 100))])
    (CONFIGURATION / "names").write_text(f"127.0.0.1 {own}\n")
    write(CONFIGURATION / "core-site.xml", {"fs.defaultFS": "file:///"})


def write(file, properties):
    """A configuration in Hadoop's form."""
    lines = (
        f"<property><name>{escape(name)}</name><value>{escape(str(value))}</value></property>"
        for name, value in properties.items()
    )
    file.write_text("<configuration>\n" + "\n".join(lines) + "\n</configuration>\n")


def own_folder(host, name, properties):
    """The configuration of one daemon of a host, as a folder."""
    folder = CONFIGURATION / f"{host.name}-{name}"
    folder.mkdir(exist_ok=True)
    shutil.copy(CONFIGURATION / "core-site.xml", folder)
    write(folder / f"{name}-site.xml", properties)
    return folder


def class_path(folder):
    """Of Hadoop with a configuration."""
    return os.pathsep.join([str(folder), f"{JARS}/*", f"{SPARK_HOME}/jars/*"])


def java(main, heap, folder):
    """The command of a class with that configuration."""
    names = CONFIGURATION / "names"
    flags = [heap, *JVM.split(), f"-Dhadoop.log.dir={FOLDER}", f"-Djdk.net.hosts.file={names}"]
    return [shutil.which("java"), *flags, "-cp", class_path(folder), main]


def daemon(host, main, heap, folder):
    """One that runs from now on."""
    environment = {"HADOOP_CONF_DIR": str(folder), "PYSPARK_PYTHON": sys.executable}
    pattern = rf"{main}$".replace(".", r"\.")
    return Daemon(host, main.rpartition(".")[2].lower(), java(main, heap, folder), environment, pattern)


def _copy_jars():
    if list(JARS.glob("hadoop-client-minicluster-*.jar")):
        return
    pom = Path(__file__).with_name("hadoop.pom.xml")
    goal = ["dependency:copy-dependencies", "-DexcludeTransitive=true", f"-DoutputDirectory={JARS}"]
    done = subprocess.run(
        ["mvn", "--batch-mode", "--quiet", "-f", pom, *goal], capture_output=True, text=True, timeout=COPY_S
    )
    if done.returncode != 0:
        raise problem("Hadoop", "Maven to bring its jars", done.stdout.strip()[-300:], "Do connect to a repository")
