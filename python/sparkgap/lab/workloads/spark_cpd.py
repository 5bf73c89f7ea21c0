# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""CP decomposition by Spark alone, as straightforward as that is: factors are broadcast, each partition sums up its
entries in NumPy, the driver solves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cpd(
    entries: DataFrame, modes: Sequence[str], value: str, *, rank: int, iterations: int, seed: int = 0
) -> tuple[list[Any], Any, list[float]]:
    """Alternating least squares on whole numbers from 0 on as keys.

    Returns
    -------
    factors, lambdas, fits
        Arrays (keys, rank) by mode with columns of length 1, their lengths, and the fit after each iteration.
    """
    random = np.random.default_rng(seed)
    greatest = entries.selectExpr(*(f"max({name})" for name in modes)).first()
    assert greatest is not None  # a maximum is a row
    factors = [random.random((int(n) + 1, rank)) for n in greatest]
    squares = float(entries.selectExpr(f"sum({value} * {value})").collect()[0][0])
    lambdas: Any = np.ones(rank)
    fits: list[float] = []
    for _ in range(iterations):
        for mode in range(len(modes)):
            gram = np.prod([f.T @ f for m, f in enumerate(factors) if m != mode], axis=0)
            sums = _mttkrp(entries, modes, value, mode, factors)
            solved = sums @ np.linalg.pinv(gram)
            lambdas = np.linalg.norm(solved, axis=0)
            factors[mode] = solved / np.where(lambdas > 0, lambdas, 1)
        model = lambdas @ np.prod([f.T @ f for f in factors], axis=0) @ lambdas
        fits.append(1 - float(np.sqrt(max(0.0, squares - 2 * (sums * solved).sum() + model) / squares)))
    return factors, lambdas, fits


def _mttkrp(entries: DataFrame, modes: Sequence[str], value: str, mode: int, factors: list[Any]) -> Any:
    shared = entries.sparkSession.sparkContext.broadcast(factors)
    shape = factors[mode].shape

    def sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if not (found := list(batches)):
            return
        table = pa.Table.from_batches(found)
        at = [table[name].to_numpy() for name in modes]
        x, total = table[value].to_numpy(), np.empty(shape)
        for r in range(shape[1]):
            product = x
            for m, factor in enumerate(shared.value):
                if m != mode:
                    product = product * factor[at[m], r]
            total[:, r] = np.bincount(at[mode], product, shape[0])
        yield pa.record_batch({"sums": pa.array([total.tobytes()], pa.binary())})

    found = entries.mapInArrow(sums, "sums binary").collect()
    shared.destroy()
    return np.sum([np.frombuffer(row.sums).reshape(shape) for row in found], axis=0)
