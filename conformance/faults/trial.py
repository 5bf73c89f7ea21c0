# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One fault, once: a job, the strike, what the caller gets and when, what is left, and whether the session goes on."""

import contextlib
import re
import threading
import time
from dataclasses import dataclass, field

from cluster.problem import PATIENCE, ClusterError, until

from sparkgap import LaunchError, SparkGapError
from sparkgap.errors import translate

from . import left
from .faults import ERROR, RESULT
from .scene import GROUP, Missed
from .work import FOREVER, SHORT

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
# What has not ended then hangs.
HANG_S = 150.0 * PATIENCE
SPARK_HANG_S = 300.0 * PATIENCE
LEFT_S = 45.0
BEGIN_S = 60.0
# A strike that missed is repeated so often.
TIMES = 4


@dataclass
class Outcome:
    """How one trial went. `problems` is empty where all was as it must be; `came` is RESULT, ERROR, "a hang" or
    "missed"; `proof` says that the work ran when it was struck.
    """

    fault: str
    engine: str
    came: str
    seconds: float | None = None
    proof: str = ""
    text: str = ""
    rank: int | None = None
    host: str | None = None
    signal: int | None = None
    logged: bool = False
    took: float = 0.0
    problems: list = field(default_factory=list)


class Call(threading.Thread):
    """A job on a thread of its own; `frame`, which is what `run` gave, or `error` when it has ended."""

    def __init__(self, context, run):
        super().__init__(daemon=True)
        self.context, self._run = context, run
        self.frame = self.error = None
        self.began = self.ended = time.monotonic()
        self.start()

    def run(self):
        try:
            self.context.setJobGroup(GROUP, GROUP)
            self.began = time.monotonic()
            self.frame = self._run()
        except Exception as e:
            self.error = e
        self.ended = time.monotonic()


def trial(scene, fault, work, *, at=0.0, delay_s=0.0, any_moment=False, longer=1):
    """Strikes once. `came` is "missed" where the strike was not proved to hit the work.

    Parameters
    ----------
    scene : Scene
    fault : Fault
    work : Work
    at : float
        The strike comes when that share of the iterations is done, and not before the first.
    delay_s : float
        And not before so long after the job's begin: for jobs of plain Spark, which do not say how far they are.
    any_moment : bool
        After the delay alone: it may hit whatever the job does.
    longer : float
        Times the usual iterations and deadline.
    """
    engine = "native" if scene.native else "spark"
    before = scene.earlier = left.of_jobs(scene.cluster, scene.store)
    iterations = FOREVER if fault.endless else int(work.iterations[engine] * longer)
    options = {"timeout_s": fault.timeout_s * longer} if fault.timeout_s and scene.native else {}
    call = Call(scene.spark.sparkContext, lambda: work.run(engine, iterations, **options))
    outcome, struck = Outcome(fault.name, engine, "missed"), None
    try:
        if fault.after:
            call.join(HANG_S)
        while call.is_alive() and time.monotonic() - call.began < delay_s:
            time.sleep(0.01)
        struck, outcome.proof = _strike(fault, scene, call, 0 if fault.endless else at, any_moment)
        fault.then(scene)
    except (ClusterError, Missed) as e:
        outcome.text = str(e)
        if isinstance(e, ClusterError):
            outcome.problems.append(str(e))
        while fault.endless and call.is_alive():
            with contextlib.suppress(Missed):
                scene.cancel()
            call.join(0.1)
    patience = HANG_S if scene.native else SPARK_HANG_S
    call.join(patience)
    if call.is_alive():
        outcome.came = "a hang"
        outcome.problems.append(f"no end within {patience:g} s")
        return outcome
    outcome.took = call.ended - call.began
    if struck is not None and fault.at_end and not any_moment and call.error is None and not _wrote_there(scene, call):
        struck, outcome.text = None, f"{scene.host.name} was taken for lost, and the job run again on the others"
    if struck is not None:
        _judge(outcome, fault, work, call, iterations, any_moment)
        outcome.seconds = (time.monotonic() if fault.after else call.ended) - struck
    if scene.struck:
        try:
            fault.heal(scene)
        except (ClusterError, Missed) as e:
            outcome.problems.append(str(e))
    _look_around(outcome, scene, work, before, call)
    return outcome


def struck(make_scene, fault, work, *, times=TIMES, **options):
    """Trials until one has struck, each with a longer job; the last one's Outcome, which has a problem where none did.

    `make_scene` gives the Scene of each.
    """
    for i in range(times):
        outcome = trial(make_scene(), fault, work, longer=3**i, **options)
        if outcome.came != "missed" or outcome.problems:
            return outcome
    outcome.problems.append(f"it never struck in {times} trials: {outcome.text}")
    return outcome


def _strike(fault, scene, call, at, any_moment):
    """When it has struck, and what proves that the work ran: text. Errors: Missed."""
    if fault.after:
        fault.strike(scene)
        return time.monotonic(), "the job had ended"
    if any_moment:
        return _strike_any(fault, scene, call)
    if not scene.native:
        jobs = until("a job of Spark's", lambda: scene.spark_jobs() or not call.is_alive(), BEGIN_S)
        now = time.monotonic()
        fault.strike(scene)
        if not call.is_alive() or not isinstance(jobs, list):
            raise Missed("the job had ended")
        return now, f"Spark ran jobs {jobs} before, and the call went on after"

    def far_enough():
        status = scene.computes()
        return status if status and status.iteration >= max(1, at * status.of) else not call.is_alive()

    status = until("the job to compute", far_enough, BEGIN_S, found=scene.status)
    if status is True:
        raise Missed("the job had ended")
    if fault.endless:
        now = time.monotonic()
        fault.strike(scene)
        return now, f"it does not end by itself: {status.phase}, iteration {status.iteration} of {status.of}"
    with scene.held(unwritten=fault.at_end) as proof:
        now = time.monotonic()
        fault.strike(scene)
    return now, proof


def _wrote_there(scene, call):
    """Whether the struck host has a part of the result."""
    stat = scene.spark.sql(
        "CALL sparkgap.store.stat(name => :name)", args={"name": call.frame.sparkgap.table}
    ).collect()
    return any(segment.host in (scene.host.address, scene.host.name) and segment.rows for segment in stat)


def _strike_any(fault, scene, call):
    """Waits for who is to be struck as long as the job lasts."""
    while True:
        now, status = time.monotonic(), scene.status()
        try:
            fault.strike(scene)
            if not call.is_alive() and call.ended < now:
                raise Missed("the job had ended")
            return now, f"{status and status.phase} before, the call {'went on' if call.is_alive() else 'ended'} after"
        except Missed:
            if not call.is_alive():
                raise
            time.sleep(0.02)


def _judge(outcome, fault, work, call, iterations, any_moment):
    """What came, beside what was promised. At any moment: a result may be lost after it was made, a disk full after the
    last write, and Spark's own jobs cancelled.
    """
    error, wrong = call.error, ""
    if error is None:
        read = Call(call.context, lambda: work.wrong(call.frame, iterations))
        read.join(HANG_S)
        if read.is_alive():
            outcome.came = "a hang"
            outcome.problems.append(f"its result was not read within {HANG_S:g} s")
            return
        wrong, error = read.frame, read.error  # a part of the result may be on what died after the job
    if error is None:
        outcome.came = RESULT
        if wrong:
            outcome.problems.append(f"a wrong result: {wrong}")
        if fault.comes == ERROR and not (any_moment and fault.at_end):
            outcome.problems.append("expected an error")
        return
    outcome.came = ERROR
    ours = error if isinstance(error, SparkGapError) else translate(error)
    outcome.text = str(ours or error).splitlines()[0] if str(ours or error) else repr(error)
    if outcome.engine == "spark" or (any_moment and fault.name == "cancel" and "cancelled" in str(error)):
        return
    if ours is None:
        outcome.problems.append(f"{type(error).__name__}, none of ours")
        return
    if not FORM.fullmatch(outcome.text):
        outcome.problems.append("an error of another form")
    if isinstance(ours, LaunchError):
        outcome.rank, outcome.host, outcome.signal, outcome.logged = ours.rank, ours.host, ours.signal, bool(ours.log)
    if fault.comes == RESULT and any_moment and "its segment on host" in outcome.text:
        outcome.came = "its result was lost"
    elif fault.comes == RESULT:
        outcome.problems.append("expected a result")
    elif not isinstance(ours, fault.raises) or not (
        (any_moment and fault.at_end) or re.search(fault.says, outcome.text)
    ):
        outcome.problems.append(f"expected {fault.raises.__name__} that says {fault.says!r}, found {outcome.text!r}")


def _look_around(outcome, scene, work, before, call):
    """Repairs; then nothing may be left, and a small job must be right."""
    try:
        scene.repair()
        if call.frame is not None:
            scene.spark.sql(f"DROP TABLE IF EXISTS {call.frame.sparkgap.table}")

        _nothing_left(scene, before)
    except ClusterError as e:
        outcome.problems.append(str(e))
    again = Call(scene.spark.sparkContext, lambda: work.run("native", SHORT))
    again.join(HANG_S)
    if again.is_alive():
        outcome.problems.append(f"the next job: no end within {HANG_S:g} s")
    elif again.error is not None:
        outcome.problems.append(f"the next job: {str(again.error).splitlines()[0]}")
    else:
        wrong = work.wrong(again.frame, SHORT)
        if wrong:
            outcome.problems.append(f"the next job: {wrong}")
        scene.spark.sql(f"DROP TABLE {again.frame.sparkgap.table}")
        try:
            _nothing_left(scene, before)  # what went later would make room on a disk that the next trial fills
        except ClusterError as e:
            outcome.problems.append(f"after the next job: {e}")


def _nothing_left(scene, before):
    """Errors: ClusterError."""

    def remains():
        return (left.of_jobs(scene.cluster, scene.store) - before) | left.of_the_dead(scene.cluster, scene.store)

    until("nothing left", lambda: not remains(), LEFT_S, found=lambda: ", ".join(sorted(remains())[:5]))
