# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark's own standalone master and workers, each on its host, started as their service files would."""

import json
import sys
import urllib.request
from pathlib import Path

import pyspark

from .problem import problem, until

SPARK_HOME = Path(pyspark.__file__).resolve().parent
MASTER_PORT, MASTER_PAGE = 7077, 8080
START_S = 90.0
# The same on all, or the master throws out workers that are well. It looks once in this time, so a cut host is lost
# after one to two.
WORKER_TIMEOUT_S = 20
# What a worker says that it may lend: only counted, never taken.
LENDS = "6g"
FOLDER = "/run/spark"
# Daemons live for a test session: the second compiler would cost more than it earns. hsperfdata files would be in
# everybody's way.
JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData"
ENVIRONMENT = {
    "SPARK_HOME": str(SPARK_HOME),
    "SPARK_DAEMON_MEMORY": "256m",
    "SPARK_DAEMON_JAVA_OPTS": f"{JVM} -Dspark.worker.timeout={WORKER_TIMEOUT_S}",
    "SPARK_LAUNCHER_OPTS": JVM,
    # Shuffles and blocks: Spark removes them, and they are not what one looks for in a host's /tmp.
    "SPARK_LOCAL_DIRS": f"{FOLDER}/local",
    "PYSPARK_PYTHON": sys.executable,
}


class Daemon:
    """A master or worker that runs on a host; its words are in `log` there."""

    def __init__(self, host, kind, *words, settings=None):
        self.host, self.kind = host, kind
        self.log = f"{FOLDER}/{kind}.log"
        command = f'mkdir -p {FOLDER} && exec >>{self.log} 2>&1 && exec "$0" "$@"'
        spark_class = SPARK_HOME / "bin" / "spark-class"
        options = " ".join(
            [ENVIRONMENT["SPARK_DAEMON_JAVA_OPTS"], *(f"-D{k}={v}" for k, v in (settings or {}).items())]
        )
        name = f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
        self._child = host.begin(
            ["bash", "-c", command, spark_class, name, "--host", host.address, *words],
            {**ENVIRONMENT, "SPARK_DAEMON_JAVA_OPTS": options},
        )

    @property
    def pid(self):
        """Its process. Errors: ClusterError where there is none."""
        found = self.host.pids(rf"java .*org\.apache\.spark\.deploy\.{self.kind}\.")
        if len(found) != 1:
            raise problem(
                f"host {self.host.name}", f"one {self.kind}", f"{len(found)}", f"Do look at its words: {self.tail()}"
            )
        return found[0]

    @property
    def alive(self):
        return self._child.poll() is None

    @property
    def there(self):
        """Whether the host has a process of it; what entered the host for it ends a moment later than that."""
        return self.alive and bool(self.host.pids(rf"org\.apache\.spark\.deploy\.{self.kind}\."))

    def tail(self):
        """The end of its log."""
        try:
            return (self.host.root / self.log.lstrip("/")).read_text(errors="replace")[-800:].strip() or "silence"
        except (OSError, RuntimeError):
            return "nothing left of it"

    def close(self):
        """Waits until the processes that died with the host are gone."""
        self._child.wait(START_S)


def master(host, settings=None):
    """A master that answers. Errors: ClusterError."""
    made = Daemon(host, "master", "--port", str(MASTER_PORT), "--webui-port", str(MASTER_PAGE), settings=settings)
    _until_up("the master to answer", lambda: state(host), made)
    return made


def worker(host, master_host, cores, settings=None):
    """A worker, which registers a moment later."""
    words = ["--cores", str(cores), "--memory", LENDS, "--work-dir", f"{FOLDER}/work"]
    return Daemon(host, "worker", *words, f"spark://{master_host.address}:{MASTER_PORT}", settings=settings)


def registered(master_host, workers):
    """Returns when the master counts just these workers as alive. Errors: ClusterError with what the one that is
    missing has said.
    """
    expected = sorted(w.host.address for w in workers)

    def there():
        dead = [w for w in workers if not w.alive]
        if dead:
            raise problem(
                f"host {dead[0].host.name}",
                "a worker that lives",
                "it ended",
                f"Do look at its words: {dead[0].tail()}",
            )
        return alive_workers(master_host) == expected

    _until_up(f"workers on {', '.join(expected)}", there, *workers)


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
    until(what, condition, START_S, found=lambda: " | ".join(f"{d.host.name} says: {d.tail()}" for d in daemons))
