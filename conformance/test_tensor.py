# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""CP decompositions beside one in NumPy, of tensors whose factors are known, and what is no tensor."""

import json

import numpy as np
import pytest

import sparkgap
from sparkgap import cli
from sparkgap.tensor import CPD, CPDModel

SHAPE, RANK = (9, 8, 7), 3
MODES = ["user", "item", "day"]


def planted():
    """A dense array of a known rank with noise, from the same numbers each time."""
    random = np.random.default_rng(5)
    a, b, c = (random.normal(size=(n, RANK)) for n in SHAPE)
    exact = np.einsum("ir,jr,kr->ijk", a, b, c)
    return exact + random.normal(size=SHAPE) * 0.1 * exact.std()


def best_fit(x, tries=3, iterations=200):
    """The best fit of alternating least squares in NumPy, from several starts."""
    fits = []
    for seed in range(tries):
        random = np.random.default_rng(seed)
        factors = [random.random((n, RANK)) for n in x.shape]
        for _ in range(iterations):
            for mode in range(3):
                p, q = (factors[m] for m in range(3) if m != mode)
                khatri_rao = np.einsum("ir,jr->ijr", p, q).reshape(-1, RANK)
                unfolded = np.moveaxis(x, mode, 0).reshape(x.shape[mode], -1)
                factors[mode] = np.linalg.lstsq(khatri_rao, unfolded.T, rcond=None)[0].T
        fits.append(1 - np.linalg.norm(x - np.einsum("ir,jr,kr->ijk", *factors)) / np.linalg.norm(x))
    return max(fits)


@pytest.fixture
def entries(spark):
    """Keys of three types; half of the rows twice, each with half of the value."""
    made = []
    for (i, j, k), value in np.ndenumerate(planted()):
        made += [(f"ü{i}", -1000 * j, k, float(value) / (1 + k % 2))] * (1 + k % 2)
    return spark.createDataFrame(made, "user string, item bigint, day tinyint, x double")


def test_finds_what_numpy_finds(spark, entries, tmp_path):
    models = [CPD(rank=RANK, modes=MODES, value="x", maxIter=400, tol=1e-9, seed=seed).fit(entries) for seed in (1, 2)]
    model = max(models, key=lambda m: m.fit)
    assert model.fit == pytest.approx(best_fit(planted()), abs=1e-5)
    assert model.figures["duplicates"] == [9 * 8 * 3]
    assert model.figures["sizes"] == list(SHAPE)
    assert sorted(model.lambdas, reverse=True) == model.lambdas
    factors = model.factors
    assert [factors[m].dtypes[0] for m in MODES] == [("user", "string"), ("item", "bigint"), ("day", "tinyint")]
    a, b, c = ({r[0]: np.array(r.factor) for r in factors[m].collect()} for m in MODES)
    assert np.linalg.norm(list(b.values()), axis=0) == pytest.approx([1] * RANK)

    stranger = spark.createDataFrame([("nobody", 0, 1, 0.0)], entries.schema)
    again = entries.limit(50).union(stranger)
    scored = model.transform(again)
    assert scored.columns == [*entries.columns, "prediction"]
    for row in scored.collect():
        expected = (
            None
            if row.user == "nobody"
            else pytest.approx(np.sum(model.lambdas * a[row.user] * b[row.item] * c[row.day]))
        )
        assert row.prediction == expected

    model.save(f"file://{tmp_path}/model")
    loaded = CPDModel.load(f"file://{tmp_path}/model")
    assert (loaded.uid, loaded.fit, loaded.getModes(), loaded.figures) == (model.uid, model.fit, MODES, model.figures)
    order = ["user", "item", "day", "prediction"]
    assert sorted(loaded.transform(entries).select(order).collect()) == sorted(
        model.transform(entries).select(order).collect()
    )


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_ranks_threads_and_bounds(spark, entries):
    def found(**given):
        rows = sparkgap.tensor.cpd(entries, modes=MODES, value="x", rank=2, max_iter=5, tol=0.0, seed=3, **given)
        return {(r.mode, r.key, component): x for r in rows.collect() for component, x in enumerate(r.factor)}

    one = found(threads=1)
    assert len(one) == 2 * sum(SHAPE)
    assert found(threads=2) == one
    assert found(ranks=2, threads=1) == pytest.approx(one, abs=1e-9)
    above = found(non_negative=True)
    assert min(above.values()) == 0 and sparkgap.last_call().figures["fit"][0] > 0
    history = sparkgap.last_call().figures["fit_history"]
    assert history == sorted(history)


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_fit_of_a_real_tensor_never_falls(spark, data):
    entries = spark.read.csv(f"file://{data}/tensors/med.tns.gz", sep=" ", schema="i int, j int, k int, value double")
    model = CPD(modes=["i", "j", "k"], maxIter=15, tol=0.0).fit(entries)
    history = model.figures["fit_history"]
    assert len(history) == 15 and history == sorted(history)
    assert (model.figures["entries"], model.figures["duplicates"]) == ([100_000], [0])
    assert model.figures["sizes"] == [2425, 10816, 29567]


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_what_is_no_tensor(spark):
    def refused(error, value="1d", **given):
        rows = spark.range(0, 8, 1, 1).selectExpr("id i", "id j", "cast(id as double) d", f"{value} value")
        with pytest.raises(error) as caught:
            CPD(**{"modes": ["i", "j"], **given}).fit(rows)
        return str(caught.value)

    assert refused(sparkgap.DataError, "if(id = 3, double('nan'), 1d)").startswith(
        "data.value: expected finite numbers, found NaN in row 4"
    )
    assert refused(sparkgap.DataError, "if(id = 3, null, 1d)").startswith(
        "data.value: expected finite numbers, found a null in row 4"
    )
    assert refused(sparkgap.DataError, "0d").startswith("data: expected at least one value other than 0, found none")
    assert refused(sparkgap.DataError, modes=["i", "d"]).startswith(
        "data.d: expected an integer or string column, found double"
    )
    assert refused(sparkgap.ArgumentError, modes=["i"]).startswith("modes: expected 2 to 32 columns of data, found 1")
    assert refused(sparkgap.ArgumentError, rank=0).startswith("rank: expected a whole number in [1, 1000], found 0")
    assert refused(sparkgap.ArgumentError, modes=None).startswith("modes: expected two or more columns")


@pytest.mark.parametrize("spark", ["classic"], indirect=True)
def test_command_line(spark, tmp_path, capfd):
    (tmp_path / "entries.tsv").write_text(
        "".join(f"{i}\t{j}\t{(i + 1) * (j + 2)}\n" for i in range(5) for j in range(4))
    )
    words = [
        "run",
        "cpd",
        f"{tmp_path}/entries.tsv",
        "--modes",
        "i,j",
        "--value",
        "v",
        "--rank",
        "1",
        "--out",
        f"{tmp_path}/model",
        "--json",
    ]
    assert cli.main(words) == 0, capfd.readouterr().err
    figures = json.loads(capfd.readouterr().out)
    assert figures["fit"] == pytest.approx(1, abs=1e-6)
    assert figures["objective"] == pytest.approx(0, abs=1e-6)
    model = CPDModel.load(f"file://{tmp_path}/model")
    scored = model.transform(spark.createDataFrame([(4, 3)], "i bigint, j bigint")).collect()
    assert scored[0].prediction == pytest.approx(25)


def test_what_it_takes_grows_with_its_modes(spark):
    entries = spark.range(100_000).selectExpr("id % 50 a", "id % 40 b", "id % 30 c", "1.0D value")
    asked = [
        sparkgap.tensor.cpd(entries, modes=list(modes), rank=1, max_iter=1, ranks=1, threads=1).sparkgap.memory_bytes
        for modes in ("ab", "abc")
    ]
    assert asked[1] - asked[0] >= 32 * 100_000
