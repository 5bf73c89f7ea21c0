# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a profile's samples explain of the time of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..application import SAMPLED, Application, Processors
from .lacks import CONCURRENT_GC

_CONCURRENT = ("ZGC", "Shenandoah")
_KINDS = ("queue", "file_io", "other")


class Sample(msgspec.Struct):
    """Seconds of the threads of an executor in a window of time (`sparkgap.profile.sampler`)."""

    from_ms: int
    to_ms: int
    executor: str
    active: float = 0.0
    cpu: float = 0.0
    queue: float = 0.0
    file_io: float = 0.0
    other: float = 0.0
    jvm_cpu: float = 0.0
    gc_cpu: float = 0.0
    jit_cpu: float = 0.0
    collector: str | None = None


def add_samples(app: Application, path: Path, sent: Sequence[Sample] = ()) -> None:
    """Fill the columns of `SAMPLED`: a task has the shares that the task threads of its executor had in its time.

    Which thread had which task, the samples do not say: side by side, tasks of different kinds share what they wait
    for. Without samples the columns stay 0. `sent` are those of samplers beside executors, which count where none here
    has seen the executor.
    """
    by_executor: dict[str, list[Sample]] = {}
    broken = 0
    decode = msgspec.json.Decoder(Sample).decode
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        lines = []
    for line in lines:
        try:
            sample = decode(line)
            by_executor.setdefault(sample.executor, []).append(sample)
        except msgspec.MsgspecError:
            broken += 1
    if broken:
        app.warnings.append(f"{broken} of {len(lines)} samples are damaged and were passed over.")
    seen_here = set(by_executor)
    for sample in sent:
        if sample.executor not in seen_here:
            by_executor.setdefault(sample.executor, []).append(sample)
    known = {place: by_executor[e.id] for place, e in enumerate(app.executors) if e.id in by_executor}
    for place, samples in known.items():
        _fill(app, app.tasks["executor"] == place, samples)
    app.is_sampled = bool(known)
    found = (_processors(executor, samples) for executor, samples in by_executor.items())
    app.processors = [each for each in found if each is not None]
    if not app.gc_is_concurrent and any(each.collector in _CONCURRENT for each in app.processors):
        app.gc_is_concurrent = True
        app.warnings.append(CONCURRENT_GC)
    unseen = [executor.id for executor in app.executors if executor.id not in by_executor]
    if unseen and len(app.tasks):
        app.warnings.append(f"{len(unseen)} executors have no samples: what their tasks wait for is not known.")


def _processors(executor: str, samples: list[Sample]) -> Processors | None:
    """What its JVM used of the processors; None where nobody looked. A look at all of its threads is rarer than one at
    those of tasks, so a time is the end of a window with such a look.
    """
    samples = sorted(samples, key=lambda sample: sample.to_ms)
    looks = [place for place, sample in enumerate(samples) if sample.jvm_cpu > 0]
    if not looks:
        return None

    def summed(kind: str) -> Any:
        return np.cumsum([max(getattr(sample, kind), 0.0) for sample in samples])[looks]

    known = [summed(kind) for kind in ("cpu", "gc_cpu", "jit_cpu")]
    rest = np.maximum.accumulate(np.maximum(summed("jvm_cpu") - sum(known), 0.0))
    times = np.maximum.accumulate([samples[place].to_ms for place in looks])
    collector = next((sample.collector for sample in reversed(samples) if sample.collector), "")
    return Processors(executor, collector, times, np.stack([*known, rest]))


def _fill(app: Application, rows: Any, samples: list[Sample]) -> None:
    tasks = app.tasks
    samples = sorted(samples, key=lambda sample: sample.to_ms)
    times = np.maximum.accumulate(np.array([at for sample in samples for at in (sample.from_ms, sample.to_ms)], float))

    def summed(kind: str) -> Any:
        """At each begin and end of a window, what has come together."""
        totals = np.cumsum([max(getattr(sample, kind), 0.0) for sample in samples])
        return np.stack([totals - np.diff(totals, prepend=0.0), totals], axis=1).ravel()

    active = summed("active")
    begin, end = tasks["launched"][rows], tasks["finished"][rows]
    whole = np.interp(end, times, active) - np.interp(begin, times, active)
    for kind, name in zip(_KINDS, SAMPLED, strict=True):
        total = summed(kind)
        part = np.interp(end, times, total) - np.interp(begin, times, total)
        share = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
        tasks.columns[name][rows] = np.round(np.clip(share, 0, 1) * (end - begin)).astype(np.int32)
