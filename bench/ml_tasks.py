# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The tasks of bench/ml.py: planted data as Parquet, the estimator of each engine, and how good a model is, computed by
numpy for all alike.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 17
WORDS, CLASSES = 20_000, 20
BLOCK = 50_000  # rows


@dataclass(frozen=True)
class Task:
    """One estimator on one table.

    Parameters
    ----------
    data : str
        The table's kind, of DATA.
    rows : int
        At --share 1.
    family, name : str
        The estimator's module in pyspark.ml and its class.
    given : dict
        Its parameters.
    budget : float
        Times faster than Spark, from the cached DataFrame to the model.
    kernel_s : float
        The kernel alone, 2 threads.
    predicts : bool
        Whether predictions for the same rows are measured too, which are Spark's for its models and ours alike.
    """

    data: str
    rows: int
    family: str
    name: str
    given: dict = field(default_factory=dict)
    budget: float = 0
    kernel_s: float = 0
    predicts: bool = False


TASKS = {
    "linreg": Task("lines", 2_000_000, "regression", "LinearRegression", {}, 10, 0.4),
    "logreg": Task("classes", 2_000_000, "classification", "LogisticRegression", {"maxIter": 12}, 8, 1.5),
    "kmeans8": Task(
        "clusters",
        2_000_000,
        "clustering",
        "KMeans",
        {"k": 8, "maxIter": 5, "tol": 0.0, "initMode": "random", "seed": 3},
        12,
        0.3,
    ),
    "kmeans200": Task(
        "clusters",
        2_000_000,
        "clustering",
        "KMeans",
        {"k": 200, "maxIter": 5, "tol": 0.0, "initMode": "random", "seed": 3},
        12,
        1.3,
    ),
    "naivebayes": Task("words", 100_000, "classification", "NaiveBayes", {}, 8, 0.1, predicts=True),
    "lda": Task(
        "words", 170_000, "clustering", "LDA", {"k": 20, "optimizer": "em", "maxIter": 10, "seed": 3}, 150, 1.2
    ),
}
WIDTH = {"lines": 100, "classes": 100, "clusters": 20}


def planted(kind):
    """The coefficients or centers of a kind of data."""
    random = np.random.default_rng(SEED)
    return random.normal(size=(64, 20)) * 3 if kind == "clusters" else random.normal(size=100)


def write(kind, rows, path):
    """The table in blocks, where it is not there yet: `features` and, but for clusters, `label`; words as sparse
    (indices, values).
    """
    if path.exists():
        return
    part = path.with_suffix(".part")
    random = np.random.default_rng(SEED + 1)
    writer = None
    for begin in range(0, rows, BLOCK):
        table = _block(kind, min(BLOCK, rows - begin), random)
        writer = writer or pq.ParquetWriter(part, table.schema)
        writer.write_table(table)
    writer.close()
    part.rename(path)


def _block(kind, n, random):
    if kind == "words":
        label = random.integers(0, CLASSES, n)
        lengths = random.poisson(150, n) + 1
        # Zipf's words, of which each class has its own order.
        word = np.minimum(random.zipf(1.3, lengths.sum()), WORDS) - 1
        word = (word * (1 + np.repeat(label, lengths) * 7)) % WORDS
        rows = np.repeat(np.arange(n), lengths)
        keys, counts = np.unique(rows * WORDS + word, return_counts=True)
        offsets = np.searchsorted(keys // WORDS, np.arange(n + 1)).astype(np.int32)
        columns = {
            "indices": pa.ListArray.from_arrays(offsets, (keys % WORDS).astype(np.int32)),
            "values": pa.ListArray.from_arrays(offsets, counts.astype(np.float64)),
        }
        return pa.table({**columns, "label": label.astype(np.float64)})
    width = WIDTH[kind]
    if kind == "clusters":
        centers = planted(kind)
        x, label = centers[random.integers(0, len(centers), n)] + random.normal(size=(n, width)), None
    else:
        x = random.normal(size=(n, width))
        line = x @ planted(kind)
        label = (
            line + random.normal(size=n)
            if kind == "lines"
            else (random.random(n) < 1 / (1 + np.exp(-line / 4))).astype(np.float64)
        )
    features = pa.ListArray.from_arrays(np.arange(0, n * width + 1, width, dtype=np.int32), x.ravel())
    return pa.table({"features": features} | ({} if label is None else {"label": label}))


def arrays(kind, path):
    """(x, label): numpy, words as scipy's CSR."""
    table = pq.read_table(path)
    label = table["label"].to_numpy() if "label" in table.column_names else None
    if kind == "words":
        from scipy.sparse import csr_matrix

        indices, values = (table[c].combine_chunks() for c in ("indices", "values"))
        return (
            csr_matrix(
                (values.flatten().to_numpy(), indices.flatten().to_numpy(), indices.offsets.to_numpy()),
                shape=(len(table), WORDS),
            ),
            label,
        )
    return table["features"].combine_chunks().flatten().to_numpy().reshape(len(table), -1), label


def quality(task, path, model):
    """Of a model as arrays, on the whole table: mean squared error, mean log loss, mean squared distance, share of
    hits; less is better but for hits.
    """
    if task.name == "LDA":
        return None
    x, label = arrays(task.data, path)
    if task.name == "NaiveBayes":
        return float(((x @ model["theta"].T + model["pi"]).argmax(axis=1) == label).mean())
    total = 0.0
    for begin in range(0, len(x), BLOCK):
        part = x[begin : begin + BLOCK]
        if task.name == "KMeans":
            c = model["centers"]
            total += ((part**2).sum(axis=1) + ((c**2).sum(axis=1) - 2 * part @ c.T).min(axis=1)).sum()
            continue
        line, y = part @ model["coefficients"] + model["intercept"], label[begin : begin + BLOCK]
        total += (
            ((line - y) ** 2).sum()
            if task.name == "LinearRegression"
            else np.logaddexp(0, np.where(y > 0, -line, line)).sum()
        )
    return float(total / len(x))


def work(task, path, rows, iterations):
    """(bytes, operations) that cannot be saved: the table once for each pass, products of rows with coefficients or
    centers, topics of every word. LDA's are of single precision.
    """
    width = WIDTH.get(task.data, 0)
    table = 8 * rows * (width + (task.data != "clusters"))
    if task.data == "words":
        numbers = pq.read_table(path, columns=["indices"])["indices"].combine_chunks().flatten()
        passes, each = (1, 2) if task.name == "NaiveBayes" else (iterations, 6 * task.given["k"])
        return 12 * len(numbers) * passes, each * len(numbers) * passes
    if task.name == "KMeans":
        return table * (iterations + 1), 2 * width * task.given["k"] * rows * (iterations + 1)
    if task.name == "LogisticRegression":
        return table * (iterations + 1), 4 * width * rows * (iterations + 1)
    return table, width * (width + 1) * rows


def of_spark(model):
    """A model of Spark as arrays, by what it has."""
    found = {"coefficients": "coefficients", "centers": "clusterCenters", "theta": "theta", "pi": "pi"}
    out = {name: getattr(model, attribute) for name, attribute in found.items() if hasattr(model, attribute)}
    out = {name: np.array(v() if callable(v) else v.toArray()) for name, v in out.items()}
    return out | ({"intercept": np.array(model.intercept)} if "coefficients" in out else {})


def folder(root):
    place = Path(root) / "build" / "bench"
    place.mkdir(parents=True, exist_ok=True)
    return place
