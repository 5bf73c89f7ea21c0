# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a batch system has given to this job: its nodes, their processors and memory, and until when."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import ArgumentError, LaunchError

SLURM, PBS, HOSTS = "slurm", "pbs", "hosts"
_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?")
_ASK_S = 30
_MIB = 1 << 20


@dataclass(frozen=True)
class Node:
    """None where the batch system does not say: the node is asked then."""

    name: str
    cpus: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Allocation:
    """`ends` is in seconds since 1970, None where there is no limit that is known."""

    scheduler: str
    job: str
    nodes: tuple[Node, ...]
    ends: float | None = None


def here(environ: Mapping[str, str] = os.environ, hosts: Path | None = None) -> Allocation:
    """That of this process, or, with `hosts`, of a file with a host in each line.

    Raises
    ------
    ArgumentError
        There is none, or the file names no host.
    LaunchError
        The batch system cannot be asked.
    """
    if hosts is not None:
        return of_hosts(hosts)
    if "SLURM_JOB_ID" in environ:
        return of_slurm(environ)
    if "PBS_NODEFILE" in environ:
        names = dict.fromkeys(_lines(Path(environ["PBS_NODEFILE"])))
        counted = _lines(Path(environ["PBS_NODEFILE"]))
        nodes = tuple(Node(name, counted.count(name)) for name in names)
        return Allocation(PBS, environ.get("PBS_JOBID", "0").partition(".")[0], nodes)
    do = "Run it in a job (sbatch, salloc), or say --hosts FILE."
    raise ArgumentError.of("cluster", "an allocation of Slurm or PBS", "neither SLURM_JOB_ID nor PBS_NODEFILE", do)


def of_hosts(file: Path) -> Allocation:
    """One of a file with a host in each line; it has no end."""
    names = dict.fromkeys(_lines(file))
    if not names:
        raise ArgumentError.of("--hosts", "a host in each line", f"none in {file}", "Name one.")
    return Allocation(HOSTS, f"hosts-{file.stem}", tuple(map(Node, names)))


def of_slurm(environ: Mapping[str, str]) -> Allocation:
    """That of a job of Slurm: what its environment has, and else what the controller says."""
    job, listed = environ["SLURM_JOB_ID"], environ.get("SLURM_JOB_NODELIST") or environ.get("SLURM_NODELIST", "")
    said = "" if listed else asked("scontrol", "--details", "--oneliner", "show", "job", job)
    names = _expanded(listed or _word(said, "NodeList"))
    cpus = counts(environ.get("SLURM_JOB_CPUS_PER_NODE", ""))
    of_node, of_cpu = environ.get("SLURM_MEM_PER_NODE", ""), environ.get("SLURM_MEM_PER_CPU", "")
    if len(cpus) != len(names) or not (of_node.isdigit() or of_cpu.isdigit()):
        given = _details(said or asked("scontrol", "--details", "--oneliner", "show", "job", job))
        return Allocation(SLURM, job, tuple(given.get(name, Node(name)) for name in names), _end(job, environ))
    nodes = []
    for name, own in zip(names, cpus, strict=True):
        mib = int(of_node) if of_node.isdigit() else int(of_cpu) * own
        nodes.append(Node(name, own, mib * _MIB or None))  # 0: all that the node has
    return Allocation(SLURM, job, tuple(nodes), _end(job, environ))


def _expanded(listed: str) -> list[str]:
    return asked("scontrol", "show", "hostnames", listed).split()


def _details(said: str) -> dict[str, Node]:
    """What the controller says of each node of a job: `Nodes=n[1-2] CPU_IDs=0-1 Mem=3000`."""
    found = {}
    for listed, cpus, memory in re.findall(r" Nodes=(\S+) CPU_IDs=(\S+) Mem=(\d+)", said):
        ends = [part.split("-") for part in cpus.split(",")]
        n = sum(int(end[-1]) - int(end[0]) + 1 for end in ends)
        for name in _expanded(listed):
            found[name] = Node(name, n, int(memory) * _MIB or None)
    return found


def _word(said: str, key: str) -> str:
    match = re.search(rf" {key}=(\S+)", said)
    return match[1] if match else ""


def counts(text: str) -> list[int]:
    """Numbers of processors as Slurm writes them.

    Examples
    --------
    >>> counts("16(x2),8")
    [16, 16, 8]
    """
    found: list[int] = []
    for part in text.split(","):
        if (match := _COUNT.fullmatch(part)) is not None:
            found += [int(match[1])] * int(match[2] or 1)
    return found


def asked(*words: str) -> str:
    """What a program of the batch system answers.

    Raises
    ------
    LaunchError
        It is not there, or it fails.
    """
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_ASK_S)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise LaunchError.of(words[0], "an answer", str(e), "Run it where Slurm's programs are.") from None
    if done.returncode != 0:
        raise LaunchError.of(
            words[0], "an answer", done.stderr.strip() or f"status {done.returncode}", "Try it by hand."
        )
    return done.stdout


def addresses(allocation: Allocation) -> dict[str, str]:
    """The address of each node, as the batch system has it, or its name."""
    found = {node.name: node.name for node in allocation.nodes}
    if allocation.scheduler == SLURM:
        for line in asked("scontrol", "--oneliner", "show", "node", ",".join(found)).splitlines():
            said = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if said.get("NodeName") in found and said.get("NodeAddr"):
                found[said["NodeName"]] = said["NodeAddr"]
    return found


def own_address(toward: list[str]) -> str:
    """This host's address on the way to the first of those that is another host, else that of the loopback."""
    for name in toward:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect((name, 9))
            own, other = way.getsockname()[0], way.getpeername()[0]
            if own != other:
                return str(own)
    return "127.0.0.1"


def is_own(address: str) -> bool:
    """Whether it is one of this host's."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((address, 9))
        return bool(way.getsockname()[0] == way.getpeername()[0])
    return False


def _end(job: str, environ: Mapping[str, str]) -> float | None:
    if (said := environ.get("SLURM_JOB_END_TIME", "")).isdigit():
        return float(said)
    with contextlib.suppress(LaunchError, ValueError):
        left = asked("squeue", "--noheader", "--job", job, "--format", "%L").strip()
        return _after(left)
    return None


def _after(left: str) -> float | None:
    """The moment that is so much later than now, as Slurm writes durations: 1-02:03:04, 03:04, UNLIMITED."""
    import time

    match = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)", left)
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return time.time() + ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        found = getattr(e, "strerror", None) or "no text"
        raise ArgumentError.of(f"{file}", "a file of hosts", found, "Check its name.") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
