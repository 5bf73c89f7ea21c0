# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Slurm itself: a controller on this host, and daemons that are nodes to it, on hosts of their own or on this one."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from sparkgap import processes

from .problem import problem, until

DAEMONS = ("munged", "slurmctld", "slurmd")
CONF = """
ClusterName=gap
SlurmctldHost={host}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/run/munge.sock
CredType=cred/munge
SlurmctldPort={port}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool-%n
SlurmctldPidFile={place}/run/slurmctld.pid
SlurmdPidFile={place}/run/slurmd-%n.pid
SlurmctldLogFile={place}/log/slurmctld.log
SlurmdLogFile={place}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin={tasks}
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=20
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
DefMemPerCPU=1500
{nodes}
PartitionName=debug Nodes={names} Default=YES MaxTime=30 State=UP
"""
# Control groups of version 1: a job that takes more memory than it has asked for is ended.
CGROUP_CONF = """
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainRAMSpace=yes
ConstrainSwapSpace=yes
ConstrainCores=no
"""
GROUPS = Path("/sys/fs/cgroup")
START_S, JOB_S = 60, 300


class Slurm:
    """Nodes n1 to `nodes` with so many processors and MiB of memory each, which they do not have; a context manager.
    With `is_limited` the kernel keeps jobs to the memory that they ask for. `hosts` are those that the nodes are,
    `head` is that of the controller, and they see the place; else all are at this host's loopback address.

    Raises
    ------
    ClusterError
        Slurm is not there, or does not start.
    """

    def __init__(self, place, nodes=2, cpus=2, memory_mb=4000, *, is_limited=False, hosts=(), head=None):
        self.place, self.head, self.hosts = place, head, {host.name: host for host in hosts}
        self.names = list(self.hosts) or [f"n{i + 1}" for i in range(nodes)]
        self._cpus, self._memory, self._is_limited, self._daemons = cpus, memory_mb, is_limited, {}

    def __enter__(self):
        if absent := [name for name in DAEMONS if _program(name) is None]:
            raise problem(
                "Slurm", "the programs of slurm-wlm and munge", f"no {absent[0]}", "Do run dev/system-packages"
            )
        for name in ("run", "state", "log", *(f"spool-{node}" for node in self.names)):
            (self.place / name).mkdir(mode=0o755)
        key = self.place / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        ports = iter(_ports(1 + len(self.names)))
        shape = f"CPUs={self._cpus} RealMemory={self._memory} State=UNKNOWN"
        port = next(ports)
        lines = []
        for name in self.names:
            at = (name, self.hosts[name].address) if name in self.hosts else (host, "127.0.0.1")
            where = "NodeHostname={} NodeAddr={}".format(*at)
            lines.append(f"NodeName={name} {where} Port={next(ports)} {shape}")
        nodes = "\n".join(lines)
        conf = self.place / "slurm.conf"
        tasks, names = "task/cgroup" if self._is_limited else "task/none", ",".join(self.names)
        head, address = (host, "127.0.0.1") if self.head is None else (self.head.name, self.head.address)
        said = {"host": head, "address": address, "place": self.place, "port": port, "tasks": tasks}
        conf.write_text(CONF.format(**said, nodes=nodes, names=names))
        if self._is_limited:
            (self.place / "cgroup.conf").write_text(CGROUP_CONF)
        self.environ = {**os.environ, "SLURM_CONF": str(conf)}
        try:
            munge = ["munged", "-F", "--force", f"--key-file={key}", f"--socket={self.place}/run/munge.sock"]
            munge += [f"--pid-file={self.place}/run/munged.pid", f"--seed-file={self.place}/run/munge.seed"]
            self._begin("munged", munge)
            until("munge's socket", (self.place / "run" / "munge.sock").exists, START_S)
            self._begin("slurmctld", ["slurmctld", "-D", "-f", str(conf)], self.head)
            for name in self.names:
                self.begin_node(name)
            until("idle nodes", self.is_idle, START_S, found=self.words)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *why):
        for daemon in reversed(self._daemons.values()):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self._daemons.values()):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for name in self.names if self._is_limited else []:
            for group in sorted(GROUPS.glob(f"*/slurm_{name}/**"), reverse=True):
                with contextlib.suppress(OSError):
                    group.rmdir()

    def begin_node(self, name):
        """Its daemon; its host is up."""
        self._begin(name, ["slurmd", "-D", "-f", self.environ["SLURM_CONF"], "-N", name], self.hosts.get(name))

    def left(self, job):
        """Processes and folders of clusters of a job."""
        mark = f"sparkgap-{os.getuid()}-{job}-"
        folder = re.compile(rf"/sparkgap-cluster-{job}(/|\s|$)")
        running = [each.command() for each in processes.everyone() if folder.search(each.command())]
        here = [str(f) for top in ("/tmp", "/dev/shm") for f in Path(top).glob(f"{mark}*")]
        there = [f"{h.name}: {f}" for h in self.hosts.values() if h.alive for f in h.files() if mark in f]
        return running + here + there

    def ask(self, *words):
        """What a program of Slurm answers."""
        done = subprocess.run(list(map(str, words)), env=self.environ, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise problem("Slurm", f"`{words[0]}` to succeed", done.stderr.strip(), "Do look at its logs")
        return done.stdout

    def submit(self, place, script, *options):
        """The number of a job; it works in the place, and what it prints is there in `out`."""
        file = place / "job.sh"
        file.write_text(script)
        words = ["--parsable", f"--chdir={place}", f"--output={place}/out", "--export=ALL", *options, file]
        return self.ask("sbatch", *words).strip()

    def state(self, job):
        """In Slurm's words: PENDING, RUNNING, COMPLETED, FAILED, CANCELLED, TIMEOUT."""
        shown = self.ask("scontrol", "--oneliner", "show", "job", job)
        return dict(word.split("=", 1) for word in shown.split() if "=" in word)["JobState"]

    def wait(self, job, seconds=JOB_S):
        """The state in which it ended."""
        over = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
        return until(f"the end of job {job}", lambda: (s := self.state(job)) in over and s, seconds)

    def words(self):
        """The ends of the daemons' logs."""
        return " | ".join(f"{file.name}: {file.read_text()[-400:]}" for file in sorted(self.place.glob("log/*")))

    def is_idle(self):
        """Whether all nodes wait for jobs."""
        try:
            return self.ask("sinfo", "--noheader", "--format=%T").split() == ["idle"]
        except Exception:  # the controller is not there yet
            return False

    def _begin(self, name, words, host=None):
        log = (self.place / "log" / f"{name}.out").open("wb")
        words = [_program(words[0]), *words[1:]]
        if host is None:
            self._daemons[name] = subprocess.Popen(words, env=self.environ, stdout=log, stderr=log)
        else:
            own = {"SLURM_CONF": self.environ["SLURM_CONF"]}
            self._daemons[name] = host.begin(words, own, stdout=log, stderr=log)


def _program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def _ports(n):
    with_them = [socket.socket() for _ in range(n)]
    for each in with_them:
        each.bind(("127.0.0.1", 0))
    found = [each.getsockname()[1] for each in with_them]
    for each in with_them:
        each.close()
    return found
