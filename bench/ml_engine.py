# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One task by one engine in a process of its own: prints JSON figures, its model as arrays in --out.

Spark's engines start with the table cached and counted (ours in the store, which is where df.cache() keeps tables with
the plug-in, Spark's in its own cache), scikit-learn with arrays, and each has fitted once on two thousand rows. Seconds
go to the model on the driver.
"""

import argparse
import importlib
import json
import os
import re
import signal
import sys
import time
from dataclasses import asdict

import numpy as np
from engines import KRYO
from ml_tasks import TASKS, WORDS, arrays, of_spark

from sparkgap import processes

WARM = 2000


def timed(body):
    cpu, start = processes.cpu_s(), time.monotonic()
    model = body()
    return model, {"wall_s": time.monotonic() - start, "cpu_s": processes.cpu_s() - cpu}


def by_spark(args, task):
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.linalg import SparseVector, VectorUDT
    from pyspark.sql.functions import udf

    import sparkgap

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    own = (
        {"spark.driver.memory": "4g"}
        if args.engine == "native"
        else {
            "spark.driver.memory": "12g",
            "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
            "spark.sparkgap.store.cache": "false",
            **KRYO,
        }
    )
    spark = sparkgap.session(
        f"local[{args.threads}]",
        conf={**own, "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": str(args.threads)},
    )
    table = spark.read.parquet(args.data).coalesce(args.threads)
    if task.data == "words":
        sparse = udf(lambda i, v: SparseVector(WORDS, i, v), VectorUDT())
        table = table.select(sparse("indices", "values").alias("features"), "label")
    else:
        table = table.withColumn("features", array_to_vector("features"))
    home = "sparkgap.ml" if args.engine == "native" else "pyspark.ml"
    estimator = getattr(importlib.import_module(f"{home}.{task.family}"), task.name)(**task.given)
    small = table.limit(WARM).cache()
    small.count()
    estimator.fit(small)
    small.unpersist()
    table = table.cache()
    rows = table.count()
    model, figures = timed(lambda: estimator.fit(table))
    if task.predicts:
        figures["predict_s"] = timed(lambda: model.transform(table).agg({"prediction": "sum"}).collect())[1]["wall_s"]
    figures |= {
        "rows": rows,
        "jvm_peak_rss_bytes": max(processes.peak_rss_bytes(p.pid) for p in processes.tree() if p.name == "java"),
    }
    if args.engine == "native":
        # The same kernel as a function, which tells its phases.
        given = {re.sub("([A-Z])", lambda m: "_" + m[1].lower(), name): value for name, value in task.given.items()}
        getattr(sparkgap.ml, estimator.kernel)(table, features="features", progress=False, **given)
        figures["call"] = asdict(sparkgap.last_call())
    arrays_of = of_spark(model)
    spark.stop()
    return arrays_of, figures


def by_sklearn(args, task):
    try:
        from sklearnex import patch_sklearn

        patch_sklearn(verbose=False)
    except ImportError:
        pass
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    x, label = arrays(task.data, args.data)
    given = task.given
    make = {
        "LinearRegression": lambda: LinearRegression(n_jobs=args.threads),
        "LogisticRegression": lambda: LogisticRegression(C=np.inf, max_iter=given["maxIter"]),
        "KMeans": lambda: KMeans(
            given["k"],
            init="random",
            n_init=1,
            max_iter=given["maxIter"],
            tol=0,
            random_state=given["seed"],
            algorithm="lloyd",
        ),
        "NaiveBayes": MultinomialNB,
    }[task.name]
    make().fit(x[:WARM], *([] if label is None else [label[:WARM]]))
    model, figures = timed(lambda: make().fit(x, *([] if label is None else [label])))
    if task.predicts:
        figures["predict_s"] = timed(lambda: model.predict(x).sum())[1]["wall_s"]
    if task.name == "KMeans":
        out = {"centers": model.cluster_centers_}
    elif task.name == "NaiveBayes":
        out = {"theta": model.feature_log_prob_, "pi": model.class_log_prior_}
    else:
        out = {"coefficients": np.ravel(model.coef_), "intercept": np.array(np.ravel(model.intercept_)[0])}
    return out, {**figures, "rows": x.shape[0], "peak_rss_bytes": processes.peak_rss_bytes()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=("native", "spark", "sklearn"))
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--timeout", type=int, required=True, help="seconds, after which the process ends")
    args = parser.parse_args()
    signal.alarm(args.timeout)
    model, figures = (by_sklearn if args.engine == "sklearn" else by_spark)(args, TASKS[args.task])
    np.savez(args.out, **model)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
