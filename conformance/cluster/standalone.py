# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark's own standalone master and workers, each on its host, started as their service files would."""

import json
import sys
import urllib.request
from pathlib import Path

import pyspark

from .daemon import FOLDER, JVM, Daemon, until_registered, words_of
from .problem import until

SPARK_HOME = Path(pyspark.__file__).resolve().parent
MASTER_PORT, MASTER_PAGE = 7077, 8080
START_S = 90.0
# The same on all, or the master throws out workers that are well. It looks once in this time, so a cut host is lost
# after one to two.
WORKER_TIMEOUT_S = 20
# What a worker says that it may lend: only counted, never taken.
LENDS = "6g"
ENVIRONMENT = {
    "SPARK_HOME": str(SPARK_HOME),
    "SPARK_DAEMON_MEMORY": "256m",
    "SPARK_DAEMON_JAVA_OPTS": f"{JVM} -Dspark.worker.timeout={WORKER_TIMEOUT_S}",
    "SPARK_LAUNCHER_OPTS": JVM,
    # Shuffles and blocks: Spark removes them, and they are not what one looks for in a host's /tmp.
    "SPARK_LOCAL_DIRS": f"{FOLDER}/local",
    "PYSPARK_PYTHON": sys.executable,
}


def _daemon(host, kind, *words, settings=None):
    options = " ".join([ENVIRONMENT["SPARK_DAEMON_JAVA_OPTS"], *(f"-D{k}={v}" for k, v in (settings or {}).items())])
    name = f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
    command = [SPARK_HOME / "bin" / "spark-class", name, "--host", host.address, *words]
    pattern = rf"org\.apache\.spark\.deploy\.{kind}\."
    return Daemon(host, kind, command, {**ENVIRONMENT, "SPARK_DAEMON_JAVA_OPTS": options}, pattern)


def url(master_host):
    """What a session takes for its master."""
    return f"spark://{master_host.address}:{MASTER_PORT}"


def application():
    """What an application's settings say of this manager."""
    return {
        "spark.executor.extraJavaOptions": JVM,
        "spark.worker.timeout": WORKER_TIMEOUT_S,
        "spark.network.timeout": f"{2 * WORKER_TIMEOUT_S}s",
        "spark.network.timeoutInterval": f"{WORKER_TIMEOUT_S}s",
        "spark.executor.heartbeatInterval": "4s",
    }


def master(host, settings=None):
    """A master that answers. Errors: ClusterError."""
    made = _daemon(host, "master", "--port", str(MASTER_PORT), "--webui-port", str(MASTER_PAGE), settings=settings)
    _until_up("the master to answer", lambda: state(host), made)
    return made


def worker(host, master_host, cores, settings=None):
    """A worker, which registers a moment later."""
    words = ["--cores", str(cores), "--memory", LENDS, "--work-dir", f"{FOLDER}/work"]
    return _daemon(host, "worker", *words, f"spark://{master_host.address}:{MASTER_PORT}", settings=settings)


def registered(master_host, workers):
    """Returns when the master counts just these workers as alive. Errors: ClusterError."""
    until_registered(workers, lambda: alive_workers(master_host), START_S)


def alive_workers(master_host):
    """The addresses of the workers that the master counts as alive, sorted."""
    return sorted(w["host"] for w in (state(master_host) or {"workers": []})["workers"] if w["state"] == "ALIVE")


def state(master_host):
    """What the master's page says, as a dict; None where it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{master_host.address}:{MASTER_PAGE}/json/", timeout=5) as page:
            return json.load(page)
    except (OSError, ValueError):
        return None


def _until_up(what, condition, *daemons):
    until(what, condition, START_S, found=lambda: words_of(daemons))
