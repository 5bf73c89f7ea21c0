# Copyright 2026 the sparkgap authors. Over 400 lines: the cases of four files of tests by another way.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap.local.mpi.run`: any program without Spark. The cases are those of the way through Spark."""

import concurrent.futures
import csv
import math
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import scipy.io
from conftest import PATIENCE, ROOT, wait_for
from faults import programs
from faults.programs import MARK, compile_to
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_mpi_formats import FORM, MARKET, WRONG, numbers, texts
from test_mpi_working_folder import FILES, FORMATS, SCHEMAS, SPLATT, WORDS

from sparkgap import ArgumentError, DataError, LaunchError, SparkGapError, environment, last_call, processes
from sparkgap.local import home, mpi
from sparkgap.local.programs import cells, text
from sparkgap.local.programs.output_file import OutputFile
from sparkgap.local.programs.schema import columns

NUMBERS = "b boolean, t tinyint, s smallint, i int, l bigint, f float, d double"
TEXTS = f"{NUMBERS}, e decimal(12,3), day date, at timestamp, local timestamp_ntz, w string"
COPY = [
    "sh",
    "-c",
    'if [ -d "$1" ]; then cp -L "$1"/* "$2"; else cp "$1" "$2"; fi',
    "copy",
    "{inputs.t}",
    "{outputs.u}",
]


def table(rows, ddl):
    schema = columns("t", ddl)
    return pa.table([pa.array(c, f.type) for c, f in zip(zip(*rows, strict=True), schema, strict=True)], schema=schema)


def copy(rows, how):
    """The rows by way of a program that copies their file."""
    done = mpi.run(COPY, inputs={"t": rows}, outputs={"u": rows.schema}, formats={"t": how, "u": how})
    return done.u


def written(path, how, schema):
    return mpi.run("cp", [path, "{outputs.o}"], outputs={"o": schema}, formats={"o": how}).o


@pytest.fixture(autouse=True)
def untouched():
    """Nothing of a call is left, whatever its end."""
    place = home.home().path
    before = sorted(place.rglob("*"))
    yield
    wait_for("its files to go", lambda: sorted(place.rglob("*")) == before, found=lambda: sorted(place.rglob("*")))


@pytest.mark.parametrize("how", ["csv", "csv+header", "tsv", "tsv+header", "arrow"])
def test_every_type_goes_through_text_and_back(how):
    rows = table(texts(200), TEXTS)
    assert copy(rows, how).equals(rows)


@pytest.mark.parametrize("how", ["text", "text+header"])
def test_every_type_goes_through_words_and_back(how):
    rows = [row for row in texts(300) if row[-1] in ("plain", "a,b", "Grüße", "日本", '"', "NULL") and None not in row]
    given_ = table(rows, TEXTS)
    assert len(rows) > 50 and copy(given_, how).equals(given_)


@pytest.mark.parametrize("how", ["csv", "tsv+header"])
def test_any_text_goes_through_and_back(how):
    draw = random.Random(11)
    rows = [
        tuple(
            None if draw.random() < 0.1 else "".join(draw.choices(",\"\n\r\t 'aß", k=draw.randrange(6))) for _ in "abc"
        )
        for _ in range(3000)
    ]
    assert [
        tuple(row.values()) for row in copy(table(rows, 'a string, `b,"c` string, d string'), how).to_pylist()
    ] == rows


@pytest.mark.parametrize("how", ["raw", "raw+rows", "csv"])
def test_numbers_go_through_and_back(how):
    rows = table(numbers(70001), NUMBERS)
    assert copy(rows, how).equals(rows)
    assert (last_call().rows_in, last_call().rows_out) == (70001, 70001)


@pytest.mark.parametrize("how", ["npy", "npy+columns"])
@pytest.mark.parametrize("kind", ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double"])
def test_arrays_go_through_npy_and_back(how, kind):
    position = ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double"].index(kind)
    values = [row[position] for row in numbers(999)]
    for rows in (
        table([(v,) for v in values], f"a {kind}"),
        table(list(zip(*[iter(values)] * 3, strict=True)), f"a {kind}, b {kind}, c {kind}"),
    ):
        assert copy(rows, how).equals(rows)


@pytest.mark.parametrize("how", ["mtx", "mtx+zero"])
def test_entries_go_through_matrix_market_and_back(how):
    rows = [(i % 7 + 1, i % 5 + 1, i / 3) for i in range(100)]
    both = table(rows, "i bigint, j int, v double")
    assert copy(both, how).equals(both)
    assert copy(both.select(["i", "j"]), how).equals(both.select(["i", "j"]))


@pytest.mark.parametrize("how", ["csv", "csv+header", "text", "raw", "raw+rows", "npy", "arrow", "mtx"])
def test_no_rows_are_a_table_too(how):
    rows = columns("t", "i bigint, j bigint, v bigint").empty_table()
    assert copy(rows, how).equals(rows)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(WORDS, st.floats(), st.integers(-(2**63), 2**63 - 1), WORDS), max_size=20))
def test_any_words_and_numbers_go_through_and_back(rows):
    schema = columns("t", "w string, d double, l bigint, last string")
    given_ = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)
    back = copy(given_, "text")
    assert all(back[name].equals(given_[name]) for name in ("w", "l", "last"))
    assert all(
        a == b or (math.isnan(a) and math.isnan(b))
        for a, b in zip(back["d"].to_pylist(), given_["d"].to_pylist(), strict=True)
    )


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(st.sampled_from([*list('12-+.e,\t" \r\n#aß'), "\r\n", "1,2\n", "nan", "0x1", "\ufeff"]), max_size=30),
    kind=st.sampled_from(["csv", "tsv", "text"]),
    ddl=st.sampled_from(["a string", "a string, b string", "a int, b double", "a double"]),
)
def test_any_text_is_read_alike_at_once_and_field_by_field(data, kind, ddl):
    """What Arrow's reader takes is what a look at each field gives, and the same is refused."""

    def found():
        try:
            rows = text.read_block(OutputFile("o", Path("o")), kind, columns("o", ddl), "".join(data).encode(), 1)
            return str(rows.to_pylist())
        except DataError as e:
            return str(e)

    quick = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_by_arrow", lambda *_: None)
        slow = found()
    assert quick == slow


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    word=st.one_of(
        st.text("0123456789+-.eExXabcdfinty_ ()", max_size=8),
        st.floats().map(str),
        st.integers(-(2**70), 2**70).map(str),
    ),
    kind=st.sampled_from([pa.int8(), pa.int32(), pa.int64(), pa.float32(), pa.float64()]),
)
def test_a_number_is_one_by_arrows_rule_and_by_ours(word, kind):
    """What Arrow's own rule takes at once, a look at the word takes for the same."""
    column = pa.chunked_array([[word]])

    def found():
        values, bad = cells.values(column, kind)
        return str(values and values.to_pylist()), bad

    quick = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_plain_numbers", lambda *_: None)
        slow = found()
    assert quick == slow


def test_other_readers_see_the_same():
    def seen(code, rows, how):
        program = [sys.executable, "-c", f"import sys, numpy, scipy.io, csv; path = sys.argv[1]; {code}", "{inputs.t}"]
        return mpi.run(program, inputs={"t": rows}, formats={"t": how}).printed

    entries = {"i": [1, 3, 2], "j": [2, 1, 2], "v": [0.5, -1.25, 1e300]}
    assert (
        seen("print([float(x[2]) for x in list(csv.reader(open(path)))[1:]])", entries, "csv+header")
        == "[0.5, -1.25, 1e+300]"
    )
    assert (
        seen("print(scipy.io.mmread(path).toarray().tolist())", entries, "mtx")
        == "[[0.0, 0.5], [0.0, 1e+300], [-1.25, 0.0]]"
    )
    square = {"a": [1.0, 3.0, 5.0], "b": [2.0, 4.0, 6.0]}
    look = "a = numpy.load(path); print(a.tolist(), a.flags.f_contiguous)"
    assert seen(look, square, "npy") == "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] False"
    assert seen(look, square, "npy+columns") == "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] True"
    assert seen("print(numpy.load(path).tolist())", {"b": square["b"]}, "npy") == "[2.0, 4.0, 6.0]"
    assert seen("print(numpy.fromfile(path).tolist())", square, "raw") == "[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]"
    assert seen("print(numpy.fromfile(path).tolist())", square, "raw+rows") == "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"


def test_what_others_write_is_read(tmp_path):
    matrix = np.arange(12, dtype=np.float64).reshape(4, 3)
    np.save(tmp_path / "c.npy", matrix)
    np.save(tmp_path / "f.npy", np.asfortranarray(matrix))
    for name in ("c.npy", "f.npy"):
        found = written(tmp_path / name, "npy", "x double, y double, z double")
        np.testing.assert_array_equal(np.column_stack([c.to_numpy() for c in found.columns]), matrix)
    scipy.io.mmwrite(tmp_path / "dense.mtx", matrix)
    dense = written(tmp_path / "dense.mtx", "mtx", "i int, j int, v double").to_pylist()
    assert {(r["i"], r["j"]): r["v"] for r in dense} == {
        (i + 1, j + 1): matrix[i, j] for i in range(4) for j in range(3)
    }
    scipy.io.mmwrite(
        tmp_path / "symmetric.mtx", scipy.sparse.coo_matrix([[1.0, 2.0], [2.0, 0.0]]), symmetry="symmetric"
    )
    symmetric = written(tmp_path / "symmetric.mtx", "mtx+zero", "i int, j int, v double").to_pylist()
    assert {(r["i"], r["j"]): r["v"] for r in symmetric} == {(0, 0): 1, (0, 1): 2, (1, 0): 2}
    (tmp_path / "skew.mtx").write_bytes(MARKET + b"coordinate real skew-symmetric\n2 2 1\n2 1 +5\n")
    skew = written(tmp_path / "skew.mtx", "mtx", "i int, j int, v double").to_pylist()
    assert [tuple(r.values()) for r in skew] == [(2, 1, 5), (1, 2, -5)]
    (tmp_path / "d.csv").write_text("1.50\n1e3\n0e999999999\n-0.01\n")
    assert [str(d) for d in written(tmp_path / "d.csv", "csv", "d decimal(6,2)")["d"].to_pylist()] == [
        "1.50",
        "1000.00",
        "0.00",
        "-0.01",
    ]
    with open(tmp_path / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([[1, 'a "b", c'], [2, "x\ny"]])  # lines end with CR LF
    found = written(tmp_path / "t.csv", "csv", "n int, w string").to_pylist()
    assert [tuple(r.values()) for r in found] == [(1, 'a "b", c'), (2, "x\ny")]
    (tmp_path / "t").write_bytes(b"# a comment\n\n  1\t \t0.5  \r\n#\n \t\n  # more\n2 nan\n3\x0binf")
    assert str(written(tmp_path / "t", "text", "i int, d double")["d"].to_pylist()) == "[0.5, nan, inf]"
    (tmp_path / "t").write_text('# by hand\n who  what\n"a b#\n')
    assert written(tmp_path / "t", "text+header", "who string, what string").to_pylist() == [
        {"who": '"a', "what": "b#"}
    ]
    (tmp_path / "one").write_text("1\n\n3\n")
    assert written(tmp_path / "one", "csv", "n int")["n"].to_pylist() == [1, None, 3]


@pytest.mark.parametrize(("how", "content", "schema", "said"), WRONG, ids=[f"{w[0]}-{i}" for i, w in enumerate(WRONG)])
def test_a_wrong_output_is_named_by_file_line_and_column(tmp_path, how, content, schema, said):
    path = tmp_path / "any"
    if isinstance(content, str):
        with open(path, "wb") as file:
            np.save(file, np.zeros((2, 3) if content == "float64" else 2, dtype=content))
    else:
        path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        written(path, how, schema)
    assert f"outputs.o {said}" in str(caught.value)
    assert FORM.fullmatch(str(caught.value))


@pytest.mark.parametrize(
    ("content", "how", "said"),
    [
        ("1 2 3\n", "text", r"o.txt line 1\): expected 2 columns, found 3 columns"),
        ("1 2\n\n#\n3\n", "text", r"o.txt line 4\): expected 2 columns, found 1 column\."),
        ("1 a\n", "text", r"o.txt line 1, column d\): expected double for d, found 'a'"),
        ("1,0x10\n", "csv", r"o.csv line 1, column d\): expected double for d, found '0x10'"),
        ("0x10,1\n", "csv", r"o.csv line 1, column i\): expected int for i, found '0x10'"),
        ("1,1\n" * 40 + "1,1\xa02\n", "csv", r"o.csv line 41, column d\): expected double for d"),
    ],
)
def test_lines_that_do_not_fit_are_refused(tmp_path, content, how, said):
    (tmp_path / "t").write_text(content)
    with pytest.raises(DataError, match=said) as error:
        written(tmp_path / "t", how, "i int, d double")
    assert FORM.fullmatch(str(error.value))


@pytest.mark.parametrize(
    ("rows", "how", "said"),
    [
        ({"a": [1, None]}, "raw", "inputs.t.a, row 2: expected a value, found a null."),
        ({"i": [0], "j": [1], "v": [1.0]}, "mtx", "inputs.t.i, row 1: expected a number of at least 1, found 0."),
        ({"a": ["x"]}, "npy", "expected booleans, integers, floats and doubles for format npy, found string"),
        ({"a": [1], "b": [2.0]}, "npy", "expected columns of one type, which a has as BIGINT for format npy, found"),
        ({"a": [[1]]}, "csv", "found array<bigint>"),
        ({"a": ["fine", "New York"]}, "text", "inputs.t.a, row 2: expected a word without blanks, found 'New York'"),
        ({"a": ["fine", ""]}, "text", "inputs.t.a, row 2: expected a word without blanks, found an empty one"),
        ({"a": ["fine", "a\u2028b"]}, "text", "inputs.t.a, row 2: expected a word without blanks"),
        ({"a": ["fine", "#ü"]}, "text", "expected a first word that does not begin with #"),
    ],
)
def test_a_value_without_a_place_in_the_format_is_named(rows, how, said):
    with pytest.raises(DataError) as caught:
        copy(pa.table(rows), how)
    assert said in str(caught.value) and FORM.fullmatch(str(caught.value))


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_python_script_with_mpi4py(ranks):
    points = {"x": np.arange(1000.0), "y": np.sin(np.arange(1000))}
    done = mpi.run(
        ROOT / "examples" / "mpi" / "standardise.py",
        inputs={"points": points},
        ranks=ranks,
        threads=1,
        outputs={"scaled": "x double, y double", "moments": "name string, mean double, deviation double"},
    )
    values = np.column_stack([points["x"], points["y"]])
    scaled = np.column_stack([c.to_numpy() for c in done.scaled.columns])
    np.testing.assert_allclose(scaled, (values - values.mean(axis=0)) / values.std(axis=0), atol=1e-12)
    call = done.sparkgap
    assert (call.kernel, call.ranks, call.rows_in, call.rows_out) == ("standardise", ranks, 1000, 1002)
    assert call.peak_rss_bytes > 0 and {"export_s", "compute_s", "write_s"} <= set(call.phases)
    assert last_call() == call and list(done) == ["scaled", "moments"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_program_in_c_and_arrow_in_place(tmp_path, ranks):
    compiler = Path(environment.mpiexec()).parent / "mpicc"
    source = ROOT / "examples" / "mpi" / "norm.c"
    subprocess.run([compiler, "-O2", source, "-o", tmp_path / "norm", "-lm"], check=True, timeout=100)
    done = mpi.run(
        tmp_path / "norm",
        ["{inputs.x}", "{outputs.norm}"],
        {"x": {"x": np.sqrt(np.arange(1000.0))}},
        {"norm": "ranks int, norm double"},
        formats={"x": "raw", "norm": "csv"},
        ranks=ranks,
    )
    (row,) = done.norm.to_pylist()
    assert row["ranks"] == ranks and row["norm"] == pytest.approx(sum(range(1000)) ** 0.5, rel=1e-12)
    path = tmp_path / "lying.arrow"
    with pa.ipc.new_file(str(path), pa.schema([("n", pa.int64())])) as out:
        out.write(pa.record_batch({"n": list(range(9))}))
    assert mpi.run(COPY, inputs={"t": path}, outputs={"u": "n bigint"}).u["n"].to_pylist() == list(range(9))
    assert last_call().bytes_copied == 0


def test_what_the_program_gets_to_see(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_SECRET_KEY", "of nobody else")
    script = (
        "import os, sys; print(sys.argv[1:], os.environ['COLOUR'], os.environ['OMP_NUM_THREADS'], os.getcwd() =="
        " os.environ['SPARKGAP_JOB'], 'MY_SECRET_KEY' in os.environ)"
    )
    words = ["{ranks}x{threads}", "$HOME `id` * ;", "{{ranks}}", "{other}", "--in={inputs.t}", "", "Grüße"]
    done = mpi.run(
        [sys.executable, "-c", script, *words],
        inputs={"t": {"n": [1]}},
        formats={"t": "csv"},
        ranks=2,
        threads=3,
        env={"COLOUR": "dark red"},
        logs=tmp_path,
    )
    assert done.printed.startswith("['2x3', '$HOME `id` * ;', '{ranks}', '{other}', '--in=/")
    assert done.printed.endswith("inputs/t.csv', '', 'Grüße'] dark red 3 True False")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rank-0.log", "rank-1.log"]
    assert Path(done.logs[1]).read_text().strip() == done.printed


@pytest.mark.parametrize("ranks", [1, 2])
def test_files_of_the_working_folder_and_of_each_rank(tmp_path, ranks):
    compile_to(tmp_path, "splatt", SPLATT)
    tensor = {"i": [1, 2, 4], "j": [1, 3, 2], "v": [0.5, 1.5, 2.0]}
    done = mpi.run(
        tmp_path / "splatt", ["{inputs.tensor}"], {"tensor": tensor}, SCHEMAS, formats=FORMATS, files=FILES, ranks=ranks
    )
    assert done.users["b"].to_pylist() == [-1, -2, -3, -4] and done.weights["w"].to_pylist() == [4.0, 2.0]
    parts = mpi.run(
        ["sh", "-c", 'echo "$0" > "$1"', "{rank}", "{outputs.parts}/{rank}.csv"],
        outputs={"parts": "rank int"},
        formats={"parts": "csv"},
        ranks=ranks,
    )
    assert parts["parts"]["rank"].to_pylist() == list(range(ranks))


def run_shell(script, file, how="text", schema="w string", **options):
    return mpi.run(["sh", "-c", script], outputs={"x": schema}, formats={"x": how}, files={"x": file}, **options)


@pytest.mark.parametrize(
    "name",
    ["/etc/hostname", "../x", "a/../../x", "", " ", ".", "job.json", "rank-0.log", "tmp/x", "x\0y", "..", "x/.."],
)
def test_names_that_are_no_file_of_the_working_folder_are_refused(tmp_path, name):
    with pytest.raises(ArgumentError, match="expected the name of a file in the program's working folder") as error:
        run_shell(f"touch {tmp_path}/ran", name)
    assert FORM.fullmatch(str(error.value)) and not (tmp_path / "ran").exists()


def test_what_lies_behind_a_link_is_not_taken():
    for script, file in [
        ("ln -s /etc/hostname x", "x"),
        ("ln -s /etc out", "out/hostname"),
        ("ln -s /etc x", "x"),
        ("ln -s .. up", "up"),
        ("mkdir out; ln -s /etc/hostname out/1", "out"),
    ]:
        with pytest.raises(DataError, match=r"expected a file in the working folder itself, found the link") as error:
            run_shell(script, file)
        assert FORM.fullmatch(str(error.value))
    with pytest.raises(DataError, match=r"expected the file x in the working folder.* \(its last line: so\)"):
        run_shell("echo so; ln -s nothing x", "x")
    assert run_shell("echo a > real; ln -s real x", "x").x["w"].to_pylist() == ["a"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"program": "sh", "args": ["{inputs.zz}"]}, r"args\[0\]: expected places among .*, found \{inputs\.zz\}"),
        ({"program": []}, "program: expected a command, found an empty list"),
        ({"program": "/nonexistent"}, "found nothing at /nonexistent"),
        ({"program": "no-such-program"}, "found no 'no-such-program' in PATH"),
        ({"program": "/etc/passwd"}, "found /etc/passwd, which may not be executed. Do chmod"),
        ({"program": "sh", "inputs": {"a b": {"x": [1]}}}, "inputs: expected names of letters, digits and _"),
        ({"program": "sh", "inputs": {"a": "/nonexistent.csv"}}, "inputs.a: expected a file or folder that exists"),
        ({"program": "sh", "outputs": {"a": "i nonsense"}}, "outputs.a: expected columns such as 'i bigint, s double'"),
        ({"program": "sh", "outputs": {"a": "i int, i int"}}, "outputs.a: expected columns of different names"),
        ({"program": "sh", "outputs": {"a": pa.schema([("x", pa.uint8())])}}, "outputs.a.x: expected a type that"),
        ({"program": "sh", "formats": {"a": "csv"}}, "formats: expected names of inputs or outputs, found 'a'"),
        (
            {"program": "sh", "outputs": {"a": "i int"}, "formats": {"a": "xls"}},
            "formats.a: expected one of arrow, csv",
        ),
        ({"program": "sh", "env": {"SPARKGAP_JOB": "x"}}, "env: expected names of variables that are not SPARKGAP_"),
        ({"program": "sh", "logs": "/nonexistent"}, "logs: expected a folder"),
        ({"program": "sh", "ranks": 0}, "ranks: expected a whole number in .*, found 0"),
        ({"program": "nothing.py"}, "program: expected a Python script, found nothing at"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_runs(words, said):
    with pytest.raises(ArgumentError, match=said) as error:
        mpi.run(**words)
    assert FORM.fullmatch(str(error.value))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    return programs.compile_to(tmp_path_factory.mktemp("faulty"))


def fails(*words, **options):
    error = fails_at(*words, **options)
    assert not living()
    return error


def fails_at(*words, error=LaunchError, **options):
    with pytest.raises(error) as caught:
        mpi.run(*words, **{"ranks": 2, "timeout": 60, **options})
    assert FORM.fullmatch(str(caught.value).splitlines()[0]), str(caught.value)
    return caught.value


def living():
    return [p for p in processes.tree() if MARK in p.command() or p.name in ("mpiexec", "sparkgap-rank")]


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(("how", "said", "number"), programs.ENDS)
def test_an_end_that_is_none_of_success(faulty, tmp_path, how, said, number, ranks):
    error = fails(faulty, [how, str(ranks - 1)], ranks=ranks, logs=tmp_path)
    assert (error.rank, error.signal) == (ranks - 1, number), error
    said = "MPI_Abort with 7" if how == "abort" and ranks > 1 else said
    assert f"found {said}." in str(error) and f"rank {ranks - 1} is here" in error.log
    assert f"Its log is in {tmp_path}/rank-{ranks - 1}.log." in str(error)
    assert (tmp_path / f"rank-{ranks - 1}.log").read_text().startswith(f"rank {ranks - 1} is here\n")


def test_no_rank_waits_for_one_that_is_gone_on_a_busy_machine(faulty):
    """MPICH's launcher may see the end of a rank before that of its connection, and then ends no other."""
    with concurrent.futures.ThreadPoolExecutor(3 * (os.cpu_count() or 1)) as threads:
        failed = list(threads.map(lambda _: fails_at(faulty, ["exit", "1"], ranks=2), range(60)))
    assert [error.rank for error in failed] == [1] * len(failed), failed


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_program_that_never_ends(faulty, ranks):
    error = fails(faulty, ["hang", "-1"], ranks=ranks, timeout=1)
    assert f"timeout_s of {MARK}: expected the job to end within 1.0 s, found it running" in str(error)


def test_a_kill_from_outside(faulty):
    caught = []

    def call():
        try:
            mpi.run(faulty, ["hang", "-1"], ranks=2, timeout=60)
        except SparkGapError as e:
            caught.append(e)

    thread = threading.Thread(target=call)
    thread.start()
    place = home.home().path
    wait_for("two ranks", lambda: sum("is here" in log.read_text() for log in place.glob("jobs/*/rank-*.log")) == 2)
    os.kill([p for p in processes.tree() if p.name == MARK[:15]][-1].pid, signal.SIGKILL)
    thread.join(30 * PATIENCE)
    assert not thread.is_alive() and caught[0].signal == signal.SIGKILL


def test_a_caller_that_is_killed_takes_its_ranks_along(faulty, tmp_path):
    code = f"from sparkgap.local import mpi; mpi.run({str(faulty)!r}, ['hang', '-1'], ranks=2, logs={str(tmp_path)!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as caller:
        try:
            wait_for("two ranks", lambda: sum(p.name == MARK[:15] for p in processes.tree(caller.pid)) == 2)
            ranks = [p.pid for p in processes.tree(caller.pid)][1:]
        finally:
            caller.kill()
    wait_for("all of its processes to go", lambda: not any(Path(f"/proc/{pid}/stat").exists() for pid in ranks))


def test_programs_that_know_us_are_checked_too(tmp_path):
    (tmp_path / "p.py").write_text(
        "import sys, pyarrow as pa\nfrom sparkgap import DataError, program\nwith program.job() as job:\n"
        "    t = job.input('t', whole=True)\n    S = pa.struct([pa.field('x', pa.int32(), False)])\n"
        "    if not sys.argv[1]: raise DataError('of mine')\n    job.write('o', eval(sys.argv[1]))\n"
    )

    def run(code, outputs="id bigint not null, w string"):
        return mpi.run(tmp_path / "p.py", [code], {"t": {"id": range(10)}}, {"o": outputs}).o

    assert run("t.slice(2, 2).append_column('w', [['a', 'b']])").to_pylist() == [
        {"id": 2, "w": "a"},
        {"id": 3, "w": "b"},
    ]
    structs = "s struct<x:int not null>"
    assert run("pa.table({'s': pa.array([None, {'x': 1}], S)})", structs)["s"].to_pylist() == [None, {"x": 1}]
    for code, outputs, said in [
        ("t", None, r"outputs\.o: expected columns id, w, found id\. Rename or drop columns\."),
        (
            "pa.table({'id': [None, 1], 'w': ['y', 'z']})",
            None,
            r"o \(rank-0{5}-0{5}\.arrow\): expected no nulls in id, found 1",
        ),
        (
            "pa.table({'s': pa.array([None, {'x': None}], S)})",
            structs,
            r"expected no nulls in s\.x, found 1 in batch 0",
        ),
        ("", None, "of mine"),
    ]:
        with pytest.raises(DataError, match=said):
            run(code, *([outputs] if outputs else []))


def test_no_output():
    error = fails(["sh", "-c", "echo forgot it"], outputs={"o": "n int"}, formats={"o": "csv"}, error=DataError)
    assert str(error).startswith(
        "outputs.o: expected the file {outputs.o}, o.csv, when all ranks have ended, found none (its last line: forgot"
        " it)."
    )
