# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A Spark cluster of several hosts, its master on one of its own, and sessions whose driver runs in this process."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import sparkgap
from sparkgap import processes

from . import standalone
from .daemon import ROOT
from .host import Host
from .network import Network
from .problem import missing, problem, until

MASTER = 100
EXECUTORS_S = 90.0
# On YARN a shell beside it has the same words.
EXECUTOR = re.compile(r"^\S*java .*CoarseGrainedExecutorBackend .*--executor-id (\d+)")


class Executor(NamedTuple):
    """An executor by Spark's id, the number of its host and its process on this side."""

    id: str
    host: int
    pid: int


class Cluster:
    """Hosts 1 to `hosts` with a worker each, and a host for the master; a context manager.

    Parameters
    ----------
    hosts : int
        1 to 99.
    cores : int
        What each worker lends; the machine's processors are shared by all.
    memory : str
        The heap of an executor in Spark's form, such as "512m".
    shared : iterable of paths
        Folders that all hosts see as they are here, beside this checkout, its Python, Spark, Java and SPARKGAP_DATA.
    shm : str
        The size of each host's /dev/shm.
    manager : module
        `standalone`, or `yarn`.
    secret : str, optional
        What all daemons and applications must know (spark.authenticate); what they say to each other is then encrypted
        too.

    Raises
    ------
    ClusterError
        Without root, without the tools, or where a part does not start in time.
    """

    def __init__(self, hosts=3, cores=2, memory="512m", shared=(), shm="2g", secret=None, manager=standalone):
        if not 1 <= hosts < MASTER:
            raise problem("Cluster", "hosts from 1 to 99", str(hosts), "Do choose fewer")
        self.cores, self.memory, self._shm, self.manager = cores, memory, shm, manager
        self._shared = [*everywhere(), *map(Path, shared)]
        self._security = (
            {}
            if secret is None
            else {
                "spark.authenticate": "true",
                "spark.authenticate.secret": secret,
                "spark.network.crypto.enabled": "true",
            }
        )
        self._numbers = range(1, hosts + 1)
        self._network = self._master_host = self._master = None
        self._hosts, self._workers, self._python = {}, {}, os.environ.get("PYSPARK_PYTHON")

    def __enter__(self):
        lacking = missing()
        if lacking is not None:
            raise lacking
        self._network = Network()
        try:
            self._master_host = Host(self._network, MASTER, "master", self._shared, self._shm)
            self._hosts = {i: Host(self._network, i, f"host{i}", self._shared, self._shm) for i in self._numbers}
            for host in (self._master_host, *self._hosts.values()):
                host.start()
            self._reach()
            self._master = self.manager.master(self._master_host, self._security)
            self.repair()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends every process of every host, and the network. A session that runs must be stopped before."""
        for host in (*self._hosts.values(), self._master_host):
            if host is not None:
                host.die()
        for daemon in (*self._workers.values(), self._master):
            if daemon is not None:
                daemon.close()
        self._hosts, self._workers, self._master, self._master_host = {}, {}, None, None
        if self._network is not None:
            self._network.close()
            self._network = None
        if self._python is None:
            os.environ.pop("PYSPARK_PYTHON", None)

    def repair(self):
        """Brings back what was killed or cut: hosts, cables, workers. Executors come back by themselves where a session
        runs.
        """
        for i, host in self._hosts.items():
            if not host.alive:
                host.die()
                host.start()
            host.join()
            if i not in self._workers or not self._workers[i].there:
                self._workers[i] = self.manager.worker(host, self._master_host, self.cores, self._security)
        self.manager.registered(self._master_host, list(self._workers.values()))

    @property
    def master(self):
        """What a session takes for its master."""
        return self.manager.url(self._master_host)

    @property
    def driver(self):
        """The address of this side, where drivers run."""
        return self._network.driver

    @property
    def hosts(self):
        """All hosts with workers, by number."""
        return list(self._hosts.values())

    def host(self, i):
        """Host i, from 1."""
        return self._hosts[i]

    @property
    def settings(self):
        """What a Spark application on this side needs to use the cluster, beside the master."""
        return {
            "spark.driver.host": self.driver,
            "spark.driver.bindAddress": self.driver,
            "spark.executor.memory": self.memory,
            "spark.ui.enabled": "false",
            **self.manager.application(),
            **self._security,
        }

    def session(self, conf=None):
        """A sparkgap session with executors on all hosts, one on each or as `conf` says (spark.executor.cores,
        spark.cores.max).

        Errors: ClusterError where not all executors are there in time.
        """
        settings = {**self.settings, **(conf or {})}
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        spark = sparkgap.session(self.master, conf=settings)
        each = int(settings.get("spark.executor.cores", self.cores))
        wanted = min(len(self._hosts) * (self.cores // each), int(settings.get("spark.cores.max", 2**31)) // each)
        try:
            self.wait_for_executors(spark, wanted)
        except BaseException:
            spark.stop()
            raise
        return spark

    def wait_for_executors(self, spark, wanted=None):
        """Returns when the driver knows `wanted` executors, by default one for each host. Errors: ClusterError."""
        wanted = len(self._hosts) if wanted is None else wanted
        status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        # The driver counts itself.
        until(
            f"{wanted} executors",
            lambda: status().size() - 1 >= wanted,
            EXECUTORS_S,
            found=lambda: f"{status().size() - 1}",
            action="Do look at the workers' logs in /run/spark of their hosts",
        )

    def executors(self):
        """The living executors of all applications, by host and process."""
        found = []
        for i, host in self._hosts.items():
            own = set(host.pids(EXECUTOR.pattern)) if host.alive else set()
            found += [
                Executor(EXECUTOR.search(p.command()).group(1), i, p.pid)
                for p in processes.everyone()
                if p.pid in own and EXECUTOR.search(p.command())
            ]
        return sorted(found, key=lambda e: (e.host, e.pid))

    def executor_pid(self, i):
        """The process of the one executor on host i. Errors: ClusterError where there is none, or several."""
        found = [e.pid for e in self.executors() if e.host == i]
        if len(found) != 1:
            raise problem(f"host {self.host(i).name}", "one executor", str(len(found)), "Do ask executors()")
        return found[0]

    def worker_pid(self, i):
        """The process of the worker on host i. Errors: ClusterError where there is none."""
        return self._workers[i].pid

    def alive_workers(self):
        """The addresses of the workers that the master believes to be alive."""
        return self.manager.alive_workers(self._master_host)

    def _reach(self):
        """A firewall that drops what crosses bridges lets nothing else fail before its deadline."""
        first, last = self.hosts[0], self._master_host
        try:
            last.run(f"timeout 5 bash -c 'exec 3<>/dev/tcp/{first.address}/9' 2>&1 | grep -q refused", timeout_s=10)
        except RuntimeError:
            action = (
                f"Do let the firewall pass {self._network.bridge}, such as by iptables -I FORWARD -i gap+ -j ACCEPT"
            )
            raise problem("Cluster", f"host {last.name} to reach {first.address}", "no answer in 5 s", action) from None


def everywhere():
    """What is installed here and must be there, under the same names."""
    data = os.environ.get("SPARKGAP_DATA") or ROOT / "data"
    folders = [
        ROOT,
        Path(sys.prefix),
        Path(sys.base_prefix),
        standalone.SPARK_HOME,
        Path(sparkgap.__file__).parent,
        Path(data),
    ]
    folders.append(Path(shutil.which("java")).resolve().parent.parent)
    return [f for f in folders if f.is_dir()]
