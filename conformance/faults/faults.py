# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The list: what strikes, and what must come of it."""

import contextlib
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from cluster.problem import ClusterError, until

from sparkgap import LaunchError, ResourceError

from .scene import EXECUTOR, PROXY, RANK, WORKER

RESULT, ERROR = "the result", "one error"
# A job that nobody answers any more ends at this deadline of its call.
DEADLINE_S = 4.0
# Of the sessions here: a host that says nothing for so long is lost, and kills its ranks.
SILENCE_S = 5.0
GREEDY = "while :; do cat /dev/zero >> /dev/shm/full 2>/dev/null; sleep 0.02; done"


def nothing(_):
    """For what heals by itself, or by Cluster.repair."""


@dataclass(frozen=True)
class Fault:
    """A piece of code that strikes a job.

    Parameters
    ----------
    name : str
        On the command line.
    what : str
        On the page.
    strike : callable
        Takes the Scene; raises Missed where nobody is there to be struck.
    then : callable
        Takes the Scene, when the work goes on after the strike.
    comes : RESULT or ERROR
        What the caller must get.
    says : str
        A pattern of the error's text.
    raises : type
        The error.
    in_spark : bool
        Whether a job of plain Spark can meet it too.
    timeout_s : float or None
        The deadline of the call.
    heal : callable
        Takes the Scene, after the job's end: undoes what Cluster.repair does not.
    at_end : bool
        Whether it meets the job only when that writes its result.
    after : bool
        Whether it strikes when the job has ended, before its result is read.
    """

    name: str
    what: str
    strike: Callable
    then: Callable = nothing
    comes: str = RESULT
    says: str = ""
    raises: type = LaunchError
    in_spark: bool = False
    timeout_s: float | None = None
    heal: Callable = nothing
    at_end: bool = False
    after: bool = False

    @property
    def endless(self):
        """Whether the job must not end by itself."""
        return self.comes == ERROR and not self.at_end and not self.after


def come_back(scene):
    """So long is the network away: what MPI and Spark notice, and get over."""
    time.sleep(1.5)
    scene.host.join()


def join(scene):
    """Only when the cut host has ended its ranks by itself."""
    if scene.native:
        scene.without_ranks(3 * SILENCE_S)
    scene.host.join()


def cut_and_kill(scene):
    """Peers of the cut host's ranks that give up first must not hide that the host is lost."""
    others = [(i, pid) for i, pid in scene.ranks() if i != scene.number]
    scene.host.cut()
    with contextlib.suppress(ClusterError, ProcessLookupError):  # where it has died of that already
        for i, pid in others[:1]:
            scene.cluster.host(i).kill(pid)


def fill(scene):
    """No page more in the host's memory file system, which may not become smaller than what is in it just then; what is
    given back meanwhile is taken at once.
    """
    used = "$(df --output=used -k /dev/shm | tail -1 | tr -d ' ')"
    scene.host.run(
        f"for i in $(seq 50); do used={used}; mount -o remount,size=$((used > 4 ? used : 4))k /dev/shm && exit 0; sleep"
        " 0.02; done; exit 1"
    )
    scene.host.begin(GREEDY)
    until("the greedy one to begin", lambda: scene.host.pids(re.escape(GREEDY)), 10.0)  # else `empty` may not see it


def _killed(host, pattern):
    """Those that were there to be killed; what they have just started may still come."""
    found = host.pids(pattern)
    for pid in found:
        with contextlib.suppress(ClusterError, ProcessLookupError):
            host.kill(pid)
    return found


def empty(scene):
    until("the greedy ones to end", lambda: not _killed(scene.host, f"{re.escape(GREEDY)}|^cat /dev/zero"), 10.0)
    scene.host.run("rm -f /dev/shm/full")
    scene.host.run("mount -o remount,size=2g /dev/shm")


FAULTS = [
    Fault(
        "rank",
        "`kill -9` of a rank",
        lambda s: s.kill(RANK),
        comes=ERROR,
        says=r"^rank \d+ on host host\d: expected exit 0, found signal 9 ",
    ),
    Fault(
        "rank-crash",
        "a rank crashes (SIGSEGV)",
        lambda s: s.kill(RANK, signal.SIGSEGV),
        comes=ERROR,
        says=r"^rank \d+ on host host\d: expected exit 0, found signal 11 ",
    ),
    Fault(
        "rank-hang",
        f"a rank hangs (SIGSTOP); the call's deadline is {DEADLINE_S:g} s",
        lambda s: s.kill(RANK, signal.SIGSTOP),
        comes=ERROR,
        says=r"^timeout_s of pagerank: expected the job to end within",
        timeout_s=DEADLINE_S,
    ),
    Fault(
        "proxy",
        "`kill -9` of MPI's proxy",
        lambda s: s.kill(PROXY),
        comes=ERROR,
        says=r"^MPI's proxy on host 10\.\S+: expected .* found signal 9 ",
    ),
    Fault("mpiexec", "`kill -9` of mpiexec", lambda s: s.end_here(s.launcher()), comes=ERROR, says=r"mpiexec"),
    Fault(
        "deadline",
        f"the call's deadline, {DEADLINE_S:g} s",
        nothing,
        comes=ERROR,
        says=r"^timeout_s of pagerank: expected the job to end within",
        timeout_s=DEADLINE_S,
    ),
    Fault("cancel", "`cancelJobGroup`", lambda s: s.cancel(), comes=ERROR, says="that it was cancelled"),
    Fault(
        "full",
        "no room in `/dev/shm` of a host",
        fill,
        comes=ERROR,
        says=r"host 10\.",
        raises=ResourceError,
        heal=empty,
        at_end=True,
    ),
    Fault(
        "executor", "`kill -9` of an executor, in which its host's agent is", lambda s: s.kill(EXECUTOR), in_spark=True
    ),
    Fault(
        "executor-hang",
        "an executor hangs (SIGSTOP)",
        lambda s: s.kill(EXECUTOR, signal.SIGSTOP),
        in_spark=True,
        heal=lambda s: s.kill(EXECUTOR),
    ),
    Fault("worker", "`kill -9` of a worker", lambda s: s.kill(WORKER), in_spark=True),
    Fault("host", "a host dies", lambda s: s.host.die(), in_spark=True),
    Fault("cut", "a host's network is cut", lambda s: s.host.cut(), in_spark=True, heal=join),
    Fault("cut-and-rank", "a host's network is cut, and a rank elsewhere dies of it", cut_and_kill, heal=join),
    Fault("blink", "a host's network is cut for 1.5 s", lambda s: s.host.cut(), come_back, in_spark=True),
    Fault(
        "result",
        "an executor dies after the job, with a part of its result; seconds until that is read",
        lambda s: s.kill_and_hear(EXECUTOR),
        after=True,
    ),
]


def named(name):
    """The fault of that name. Errors: KeyError."""
    return {f.name: f for f in FAULTS}[name]
