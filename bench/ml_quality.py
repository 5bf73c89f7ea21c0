# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-ml-quality`: how good models are on real data, beside MLlib's and scikit-learn's at the same settings.

The skin set (245,057 rows, 3 features) and KOS (3,430 documents, 6,906 words) of SPARKGAP_DATA. Every number is
computed by numpy, or for topics by Spark, from the models alone, for all engines alike. Writes
bench/results/ml-quality.{json,md}.
"""

import datetime
import os
import statistics
import sys
import time
from pathlib import Path

import machine
import numpy as np
import pyarrow.parquet as pq
import results
from pyspark.ml import classification as sparks_classification
from pyspark.ml import clustering as sparks_clustering
from pyspark.ml import regression as sparks_regression
from pyspark.ml.functions import array_to_vector
from pyspark.ml.linalg import SparseVector, VectorUDT
from pyspark.sql import functions as F
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB

import sparkgap
from sparkgap.ml import classification, clustering, regression

DATA = Path(os.environ["SPARKGAP_DATA"])
SEEDS = (1, 2, 3, 4, 5)
TOPIC_SEEDS = (1, 2, 3)


def skin():
    """(features, 1 where it is skin)."""
    table = pq.read_table(DATA / "ml" / "skin.parquet")
    label = table["label"].to_numpy()
    return np.column_stack([table[c].to_numpy() for c in table.column_names if c != "label"]).astype(float), (
        label == 1
    ).astype(float)


def log_loss(x, y, model, reg, mixture):
    """What MLlib's logistic regression makes small: the mean log loss and the penalty of coefficients for features of
    deviation 1.
    """
    line = x @ model.coefficients.toArray() + model.intercept
    scaled = model.coefficients.toArray() * x.std(axis=0, ddof=1)
    return np.logaddexp(0, np.where(y > 0, -line, line)).mean() + reg * (
        mixture * np.abs(scaled).sum() + (1 - mixture) / 2 * (scaled**2).sum()
    )


def squares(x, y, coefficients, intercept):
    return float(((x @ coefficients + intercept - y) ** 2).mean())


def inertia(x, centers):
    return float(np.min([((x - c) ** 2).sum(axis=1) for c in centers], axis=0).mean())


def far(a, b):
    """The largest difference, relative to the largest number."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return float(np.abs(a - b).max() / np.abs(b).max())


def of_skin(spark):
    """Rows (data, what, ours, MLlib's, scikit-learn's, how far the parameters are apart)."""
    x, y = skin()
    table = spark.createDataFrame(
        [(list(map(float, a)), float(b)) for a, b in zip(x, y, strict=True)], "f array<double>, label double"
    )
    table = table.select(array_to_vector("f").alias("features"), "label").repartition(2).cache()
    table.count()
    for reg, mixture in ((0.0, 0.0), (0.01, 0.0), (0.01, 0.5)):
        given = {"regParam": reg, "elasticNetParam": mixture, "maxIter": 200, "tol": 1e-10}
        ours, theirs = (home.LogisticRegression(**given).fit(table) for home in (classification, sparks_classification))
        yield (
            "skin",
            f"log loss, regParam {reg}, elasticNetParam {mixture}",
            log_loss(x, y, ours, reg, mixture),
            log_loss(x, y, theirs, reg, mixture),
            None,
            far(ours.coefficients, theirs.coefficients),
        )
    for given in ({}, {"regParam": 0.1, "elasticNetParam": 0.5, "tol": 1e-10}):
        ours, theirs = (home.LinearRegression(**given).fit(table) for home in (regression, sparks_regression))
        sk = LinearRegression().fit(x, y) if not given else None
        errors = [squares(x, y, m.coefficients.toArray(), m.intercept) for m in (ours, theirs)]
        yield (
            "skin",
            f"squared error, {given or 'no penalty'}",
            *errors,
            squares(x, y, sk.coef_, sk.intercept_) if sk else None,
            far(ours.coefficients, theirs.coefficients),
        )
    for kind, peer in (("gaussian", GaussianNB(var_smoothing=0)), ("multinomial", MultinomialNB())):
        ours, theirs = (home.NaiveBayes(modelType=kind).fit(table) for home in (classification, sparks_classification))
        hits = [m.transform(table).where("prediction = label").count() / len(y) for m in (ours, theirs)]
        yield (
            "skin",
            f"naive Bayes, {kind}: hits",
            *hits,
            float((peer.fit(x, y).predict(x) == y).mean()),
            far(ours.theta.toArray(), theirs.theta.toArray()),
        )
    for k in (2, 8, 32):
        found = []
        for home in (clustering, sparks_clustering):
            found.append(
                [
                    inertia(x, home.KMeans(k=k, maxIter=100, tol=1e-6, seed=seed).fit(table).clusterCenters())
                    for seed in SEEDS
                ]
            )
        found.append(
            [
                inertia(x, KMeans(k, n_init=1, max_iter=100, tol=1e-6, random_state=seed).fit(x).cluster_centers_)
                for seed in SEEDS
            ]
        )
        yield "skin", f"k-means, k = {k}: squared distance, best of {len(SEEDS)} seeds", *map(min, found), None
        yield (
            "skin",
            f"k-means, k = {k}: squared distance, median of {len(SEEDS)} seeds",
            *map(statistics.median, found),
            None,
        )


def of_kos(spark):
    """Topics, as `of_skin`."""
    words = spark.read.parquet(str(DATA / "corpora" / "kos.parquet"))
    doc, word, count = words.columns[:3]
    vector = F.udf(lambda pairs: SparseVector(6906, {int(p[0]): float(p[1]) for p in pairs}), VectorUDT())
    table = (
        words.groupBy(doc)
        .agg(vector(F.collect_list(F.struct(word, count))).alias("features"))
        .select("features")
        .repartition(2)
        .cache()
    )
    table.count()

    def online(home):
        """Spark's own bound of the log perplexity."""
        models = (
            home.LDA(k=20, seed=seed, optimizer="online", maxIter=20, subsamplingRate=0.1).fit(table)
            for seed in TOPIC_SEEDS
        )
        return [m.logPerplexity(table) for m in models]

    tokens = words.agg(F.sum(count)).head()[0]
    em = {"k": 20, "max_iter": 20, "optimizer": "em"}
    ours = [
        -sparkgap.ml.lda(table, features="features", seed=seed, progress=False, **em).sparkgap.figures["objective"][0]
        / tokens
        for seed in TOPIC_SEEDS
    ]
    theirs = [
        -sparks_clustering.LDA(k=20, maxIter=20, optimizer="em", seed=seed).fit(table).trainingLogLikelihood() / tokens
        for seed in TOPIC_SEEDS
    ]
    for what, found in (
        ("EM: training loss a word", [ours, theirs]),
        ("online: log perplexity", [online(home) for home in (clustering, sparks_clustering)]),
    ):
        yield "KOS", f"LDA, {what}, best of {len(TOPIC_SEEDS)} seeds", *map(min, found), None, None
        yield "KOS", f"LDA, {what}, median of {len(TOPIC_SEEDS)} seeds", *map(statistics.median, found), None, None


def cell(value, form=".8g"):
    return "" if value is None else format(value, form)


def markdown(result):
    m = result["machine"]
    lines = [
        (
            "Models of real data: less is better but for hits. *From MLlib's*: relative, below 0 is better. Spark"
            f" {m['packages']['pyspark']}, scikit-learn {m['packages']['scikit-learn']}; commit"
            f" {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']}; `make bench-ml-quality`."
        ),
        "",
        "| data | what | ours | MLlib | scikit-learn | from MLlib's | parameters apart |",
        "|---|---|" + "---:|" * 5,
    ]
    for data, what, ours, theirs, peer, apart in result["rows"]:
        better = (ours - theirs) / abs(theirs) * (-1 if "hits" in what else 1)
        lines.append(
            f"| {data} | {what} | {cell(ours)} | {cell(theirs)} | {cell(peer)} | {better:+.1e} | {cell(apart, '.0e')} |"
        )
    return "\n".join([*lines, ""])


def main():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = sparkgap.session(
        "local[2]", conf={"spark.driver.memory": "6g", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    )
    result = {"date": datetime.date.today().isoformat(), "machine": machine.describe(), "rows": []}
    start = time.monotonic()
    for part in (of_skin, of_kos):
        for row in part(spark):
            print(*row, f"at {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
            result["rows"].append(row)
    print(markdown(result))
    print(results.keep("ml-quality", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
