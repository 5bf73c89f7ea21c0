# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Programs that are not ours, from a DataFrame and back: the worked examples of examples/mpi, by Python and SQL."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import sparkgap
from sparkgap import ArgumentError, DataError, environment

MPI = ROOT / "examples" / "mpi"
BIN = Path(environment.mpiexec()).parent
SCALAPACK = "libscalapack-mpich.so.2.2"
ONE = pytest.mark.parametrize("spark", ["classic"], indirect=True)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Compiled as docs/mpi-programs.md says."""
    folder = tmp_path_factory.mktemp("mpi")

    def compiled(name, *words):
        subprocess.run(
            [BIN / "mpicc", "-O2", MPI / f"{name}.c", "-o", folder / name, *words, "-lm"], check=True, timeout=100
        )

    compiled("norm")
    (found,) = Path("/usr/lib").glob(f"*/{SCALAPACK}")
    compiled("singular_values", found, "-Wl,--allow-shlib-undefined")
    # Debian's ScaLAPACK wants an MPICH of that name: the wheel's is one.
    (library,) = BIN.parent.glob("lib/libmpi.so.12")
    (folder / "libmpich.so.12").symlink_to(library)
    return folder


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_python_script_with_mpi4py(spark, ranks):
    points = spark.range(1000).selectExpr("cast(id as double) x", "sin(id) y")
    done = sparkgap.mpi.run(
        MPI / "standardise.py",
        inputs={"points": points},
        ranks=ranks,
        threads=1,
        outputs={"scaled": points.schema, "moments": "name string, mean double, deviation double"},
    )
    values = np.array(points.collect())
    scaled = np.array(done.scaled.collect())
    np.testing.assert_allclose(scaled, (values - values.mean(axis=0)) / values.std(axis=0), atol=1e-12)
    moments = {row.name: (row["mean"], row.deviation) for row in done["moments"].collect()}
    np.testing.assert_allclose(
        [moments["x"], moments["y"]], np.stack([values.mean(axis=0), values.std(axis=0)], axis=1), atol=1e-12
    )
    call = done.sparkgap
    assert (call.kernel, call.ranks, call.rows_in, call.rows_out) == ("standardise", ranks, 1000, 1002)
    assert {"export_s", "launch_s", "compute_s", "write_s", "parse_s"} <= set(call.phases)
    assert call.peak_rss_bytes > 0
    assert sparkgap.last_call() == call == done.scaled.sparkgap
    assert list(done) == ["scaled", "moments"]


@ONE
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_program_in_c(spark, programs, ranks):
    values = spark.range(1000).selectExpr("sqrt(id) x")
    done = sparkgap.mpi.run(
        programs / "norm",
        ["{inputs.x}", "{outputs.norm}"],
        {"x": values},
        {"norm": "ranks int, norm double"},
        formats={"x": "raw", "norm": "csv"},
        ranks=ranks,
    )
    assert done.norm.first().ranks == ranks
    assert done.norm.first().norm == pytest.approx(sum(range(1000)) ** 0.5, rel=1e-12)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_singular_values_by_scalapack(spark, programs, ranks):
    matrix = np.random.default_rng(7).normal(size=(200, 60))
    frame = spark.createDataFrame([tuple(map(float, row)) for row in matrix], [f"c{i}" for i in range(60)])
    done = sparkgap.mpi.run(
        programs / "singular_values",
        ["{inputs.m}", len(frame.columns), "{outputs.values}"],
        {"m": frame},
        {"values": "i bigint, s double"},
        formats={"m": "raw", "values": "csv"},
        ranks=ranks,
        env={"LD_LIBRARY_PATH": programs},
    )
    found = [row.s for row in done["values"].orderBy("i").collect()]
    np.testing.assert_allclose(found, np.linalg.svd(matrix, compute_uv=False), rtol=1e-10)


@ONE
def test_the_same_by_sql(spark, programs, store):
    spark.range(4).selectExpr("cast(id as double) x").createOrReplaceTempView("four")
    call = f"""CALL sparkgap.mpi.run(program => '{programs / "norm"}', args => array('{{inputs.x}}', '{{outputs.n}}'),
        inputs => map('x', 'four'), input_formats => map('x', 'raw'), outputs => map('n', 'ranks int, norm double'),
        output_formats => map('n', 'csv'), ranks => 2, threads => 1, timeout_s => 60, result => 'mine')"""
    row = spark.sql(call).first()
    assert row.tables == {"n": "sparkgap.store.mine_n"}
    assert (row.program, row.rows_in, row.rows_out, row.ranks, row.threads) == ("norm", 4, 1, 2, 1)
    assert spark.table("sparkgap.store.mine_n").first().norm == pytest.approx(14**0.5)
    with pytest.raises(Exception, match="a name that is free, found a table 'mine_n'"):
        spark.sql(call)
    spark.sql("DROP TABLE sparkgap.store.mine_n")


@ONE
def test_what_the_program_gets_to_see(spark, tmp_path):
    script = (
        "import os, sys; print(sys.argv[1:], os.environ['COLOUR'], os.environ['OMP_NUM_THREADS'], os.getcwd() =="
        " os.environ['SPARKGAP_JOB'])"
    )
    words = ["{ranks}x{threads}", "$HOME `id` * ;", "{{ranks}}", "{other}", "--in={inputs.t}", "", "Grüße"]
    done = sparkgap.mpi.run(
        [sys.executable, "-c", script, *words],
        inputs={"t": spark.range(1)},
        formats={"t": "csv"},
        ranks=2,
        threads=3,
        env={"COLOUR": "dark red"},
        logs=tmp_path,
    )
    said = done.printed
    assert said.startswith("['2x3', '$HOME `id` * ;', '{ranks}', '{other}', '--in=/")
    assert said.endswith("inputs/t.csv', '', 'Grüße'] dark red 3 True")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rank-0.log", "rank-1.log"]
    assert Path(done.logs[1]).read_text().strip() == said


@ONE
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_file_of_each_rank(spark, ranks):
    done = sparkgap.mpi.run(
        ["sh", "-c", 'echo "$0,$PMI_RANK" > "$1"', "{rank}", "{outputs.parts}/{rank}.csv"],
        outputs={"parts": "rank int, told int"},
        formats={"parts": "csv"},
        ranks=ranks,
    )
    assert [r.rank for r in done.parts.collect()] == list(range(ranks))
    assert ranks == 1 or [r.told for r in done.parts.collect()] == list(range(ranks))


@ONE
def test_arrow_programs_are_checked_too(spark, store, tmp_path):
    (tmp_path / "p.py").write_text(
        "import sys, pyarrow as pa\nfrom sparkgap import program\nwith program.job() as job:\n    t = job.input('t',"
        " whole=True) if 't' in job.inputs else None\n    S = pa.struct([pa.field('x', pa.int32(), False)])\n   "
        " job.write('o', eval(sys.argv[1]))\n"
    )
    given = spark.range(10).coalesce(1).cache()
    given.count()

    def run(code):
        return sparkgap.mpi.run(
            tmp_path / "p.py", [code], inputs={"t": given}, outputs={"o": "id bigint not null, w string"}
        )

    assert [tuple(r) for r in run("t.slice(2, 2).append_column('w', [['a', 'b']])").o.collect()] == [(2, "a"), (3, "b")]
    structs = {"o": "s struct<x:int not null>"}
    assert [
        r.s
        for r in sparkgap.mpi.run(
            tmp_path / "p.py", ["pa.table({'s': pa.array([None, {'x': 1}], S)})"], outputs=structs
        ).o.collect()
    ] == [None, (1,)]
    before = store.files()
    with pytest.raises(DataError, match=r"outputs\.o: expected columns id, w, found id\. Rename or drop columns\."):
        run("t")
    with pytest.raises(DataError, match=r"outputs\.o\.id: expected bigint, found string"):
        run("pa.table({'id': ['x'], 'w': ['y']})")
    with pytest.raises(
        DataError, match=r"outputs\.o \(rank-00000-00000\.arrow\): expected no nulls in id, found 1 in batch 0"
    ):
        run("pa.table({'id': [None, 1], 'w': ['y', 'z']})")
    with pytest.raises(DataError, match=r"expected no nulls in s\.x, found 1 in batch 0"):
        sparkgap.mpi.run(
            tmp_path / "p.py", ["pa.table({'s': pa.array([None, {'x': None}, {'x': 1}], S)})"], outputs=structs
        )
    with pytest.raises(
        sparkgap.SparkGapError, match=r"expected one of the outputs of the call \(o\), found none of that name"
    ):
        run("job.write('p', t)")
    assert store.files() == before


@ONE
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"program": ["sh"], "args": ["{inputs.zz}"]}, r"args\[0\]: expected places among .*, found \{inputs\.zz\}"),
        ({"program": []}, "program: expected a command, found an empty list"),
        ({"program": "sh", "inputs": {"a b": "x"}}, "inputs: expected names of letters, digits and _"),
        (
            {"program": "sh", "inputs": {"a": "nonexistent"}},
            "inputs.a: expected a table or view 'nonexistent', found none of that name",
        ),
        (
            {"program": "sh", "outputs": {"a": "i nonsense"}},
            "outputs.a: expected columns such as 'i bigint, s double', found 'i nonsense'",
        ),
        ({"program": "sh", "outputs": {"a": "i int, i int"}}, "outputs.a: expected columns of different names"),
        ({"program": "sh", "formats": {"a": "csv"}}, "formats: expected names of inputs or outputs, found 'a'"),
        ({"program": "sh", "env": {"SPARKGAP_JOB": "x"}}, "env: expected names of variables that are not SPARKGAP_"),
        ({"program": "sh", "logs": "/nonexistent"}, "logs: expected a folder"),
        ({"program": "sh", "ranks": 0}, "ranks: expected a whole number of at least 1, found 0"),
        ({"program": "nothing.py"}, "program: expected a Python script, found nothing at"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_runs(spark, store, words, said):
    before = store.files()
    with pytest.raises(ArgumentError, match=said):
        sparkgap.mpi.run(**words)
    assert store.files() == before
