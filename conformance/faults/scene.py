# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A job under way on a cluster, as a fault sees it: who takes part, and who is struck."""

import contextlib
import os
import re
import signal

from cluster.problem import until

from sparkgap import processes

from . import left

RANK = r"^\S*/sparkgap-(pagerank|components|bfs)( |$)"
PROXY = r"^\S*hydra_pmi_proxy"
EXECUTOR = r"^\S*java .*CoarseGrainedExecutorBackend"
WORKER = r"^\S*java .*\.deploy\.worker\.Worker"
GROUP = "a job that faults strike"


RESULT_FILE = re.compile(r"/segments/[^/]+/rank-\d+")


class Missed(Exception):
    """Nobody was there to be struck: the job had ended, or had not begun."""


class Scene:
    """A session on a Cluster, the call that runs, and the host that is struck.

    Parameters
    ----------
    cluster, spark : Cluster, SparkSession
    store : Path
        The store of the session, on every host and here.
    choose : callable
        Takes one of a list; the last one by default.
    native : bool
        Whether the job has ranks, or is one of plain Spark.
    """

    def __init__(self, cluster, spark, store, choose=lambda found: found[-1], native=True):
        self.cluster, self.spark, self.store, self.choose, self.native = cluster, spark, store, choose, native
        self._struck = None
        # What jobs before this one have left, as left.of_jobs says it.
        self.earlier = set()

    @property
    def struck(self):
        """Whether a host was chosen, and so perhaps struck."""
        return self._struck is not None

    def ranks(self):
        """(number of its host, process) of each rank."""
        # One look at all processes before one at each host's.
        if not any(p.name.startswith("sparkgap-") and p.name != "sparkgap-rank" for p in processes.everyone()):
            return []
        return [(i, pid) for i, host in enumerate(self.cluster.hosts, 1) if host.alive for pid in host.pids(RANK)]

    def takes_part(self):
        """The numbers of the hosts that have a part in the job: those with ranks, else those with executors."""
        found = {i for i, _ in self.ranks()} if self.native else set()
        return sorted(found or {e.host for e in self.cluster.executors()})

    @property
    def number(self):
        """The number of the host that is struck, chosen once. Errors: Missed."""
        if self._struck is None:
            there = self.takes_part()
            if not there:
                raise Missed("no host has a part in it")
            self._struck = self.choose(there)
        return self._struck

    @property
    def host(self):
        """The host that is struck. Errors: Missed."""
        return self.cluster.host(self.number)

    def status(self):
        """What the driver says of the one call that runs (job, phase, iteration, of ...), or None."""
        found = self.spark.sql("CALL sparkgap.launch.jobs()").collect()
        return found[0] if found else None

    def computes(self):
        """The status of the call, once it has done an iteration: then all its ranks are there. Else None."""
        status = self.status()
        return status if status is not None and status.phase == "compute" and status.iteration > 0 else None

    def spark_jobs(self):
        """The jobs of the call that Spark runs just now, sorted."""
        tracker = self.spark.sparkContext.statusTracker()
        return sorted(set(tracker.getJobIdsForGroup(GROUP)) & set(tracker.getActiveJobsIds()))

    @contextlib.contextmanager
    def held(self, unwritten=False):
        """Within the body all ranks stand still in the middle of their work (SIGSTOP), so that the job cannot end by
        itself. Gives what proves it, as text.

        With `unwritten` the struck host has nothing of the result yet. Errors: Missed where the job was over before all
        stood.
        """
        known = {pid for _, pid in self.ranks()}
        try:
            for pid in known:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            until(
                "the ranks to stand still",
                lambda: all(state == "T" for _, state in self._states()),
                30,
                found=self._states,
            )
            there, status = self._states(), self.status()
            if not there or {pid for pid, _ in there} != known or status is None or status.phase != "compute":
                raise Missed(f"the ranks {there} are no longer those of {sorted(known)}, at {status}")
            if unwritten and (
                written := [
                    f
                    for f in self.host.files()
                    if RESULT_FILE.search(f) and f"{self.host.name}: {f}" not in self.earlier
                ]
            ):
                raise Missed(f"it writes already: {written[:3]}")
            yield f"{len(there)} ranks stood still in {status.phase}, iteration {status.iteration} of {status.of}"
        finally:
            for pid in known:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def _states(self):
        """(process, state) of each rank."""
        pids = {pid for _, pid in self.ranks()}
        return sorted((p.pid, p.state) for p in processes.everyone() if p.pid in pids)

    def kill(self, pattern, by=signal.SIGKILL):
        """Sends a signal to one of that host's processes. Errors: Missed where none matches."""
        found = self.host.pids(pattern)
        if not found:
            raise Missed(f"no {pattern} on {self.host.name}")
        try:
            self.host.kill(self.choose(found), by)
        except (RuntimeError, ProcessLookupError) as e:
            raise Missed(str(e)) from None

    def kill_and_hear(self, pattern):
        """Kills, and waits until Spark has heard of the executor's end."""
        executors = self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        before = executors().keySet()
        self.kill(pattern)
        until("Spark to hear of it", lambda: not before.subsetOf(executors().keySet()), 30)

    def without_the_dead(self):
        """Returns when what executors that died had in the store has gone. Errors: ClusterError."""
        until("nothing left of the dead", lambda: not left.of_the_dead(self.cluster, self.store), 45)

    def launcher(self):
        """The process of mpiexec, which runs here. Errors: Missed."""
        found = [p.pid for p in processes.tree() if p.name.startswith("mpiexec")]
        if not found:
            raise Missed("no mpiexec")
        return found[0]

    def cancel(self):
        """Of the job's group. Errors: Missed where it hit no job of it: Spark cancels what runs just then, and not what
        the call starts next.
        """
        jobs = self.spark_jobs()
        if not jobs:
            raise Missed("no job of the group runs")
        self.spark.sparkContext.cancelJobGroup(GROUP)
        tracker = self.spark.sparkContext.statusTracker()

        def ends():
            found = [tracker.getJobInfo(job) for job in jobs]
            return (
                None
                if any(job and job.status == "RUNNING" for job in found)
                else [job.status for job in found if job] or ["unknown"]
            )

        if "FAILED" not in until("the jobs of the group to end", ends, 30):
            raise Missed("the jobs of the group had ended by themselves")

    def end_here(self, pid, by=signal.SIGKILL):
        try:
            os.kill(pid, by)
        except ProcessLookupError as e:
            raise Missed(str(e)) from None

    def without_ranks(self, within_s):
        """Returns when the struck host has no rank any more. Errors: ClusterError."""
        until(f"the ranks of {self.host.name} to end by themselves", lambda: not self.host.pids(RANK), within_s)

    def repair(self):
        """Brings back what is missing, and waits for as many executors as there are hosts."""
        self.cluster.repair()
        until(
            "one executor on each host",
            lambda: [e.host for e in self.cluster.executors()] == [h.number for h in self.cluster.hosts],
            90,
        )
        self.cluster.wait_for_executors(self.spark)
        # Spark may not have noticed yet that one has ended.
        known = self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        until("Spark to know these alone", lambda: known().size() - 1 == len(self.cluster.executors()), 90)
