# Copyright 2026 the sparkgap authors. Over 400 lines: every format with every type.
# SPDX-License-Identifier: Apache-2.0
"""Tables as files for programs and back: what the files hold by other readers' word, every type and format there and
back, and what is refused.
"""

import csv
import datetime
import decimal
import math
import random
import re
import sys

import numpy as np
import pytest
import scipy.io

import sparkgap
from sparkgap import ArgumentError, DataError

ONE = pytest.mark.parametrize("spark", ["classic"], indirect=True)
FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
NUMBERS = "b boolean, t tinyint, s smallint, i int, l bigint, f float, d double"
TEXTS = f"{NUMBERS}, e decimal(12,3), day date, at timestamp, local timestamp_ntz, w string"


def frame(spark, rows, schema):
    return spark.createDataFrame(rows, schema).coalesce(1)


def numbers(n):
    draw = random.Random(n)
    return [
        (
            draw.random() < 0.5,
            draw.randrange(-128, 128),
            draw.randrange(-(2**15), 2**15),
            draw.randrange(-(2**31), 2**31),
            draw.randrange(-(2**63), 2**63),
            float(np.float32(draw.gauss(0, 1))),
            draw.gauss(0, 1e9),
        )
        for _ in range(n)
    ]


def texts(n):
    draw = random.Random(n + 1)
    words = [
        "",
        "plain",
        " blanks ",
        "a,b",
        'say "hi"',
        "tab\tstop",
        "two\nlines",
        "cr\r\nlf",
        "Grüße",
        "日本",
        '"',
        "\r",
        "NULL",
    ]
    moment = datetime.datetime(2026, 2, 3, 4, 5, 6, 789000)
    rows = [
        (
            *row,
            decimal.Decimal(draw.randrange(-(10**11), 10**11)) / 1000,
            datetime.date(1900, 1, 1) + datetime.timedelta(draw.randrange(80000)),
            moment + datetime.timedelta(seconds=draw.randrange(10**9)),
            moment,
            words[i % len(words)],
        )
        for i, row in enumerate(numbers(n))
    ]
    rows[3] = (None,) * len(rows[3])
    rows[4] = (*rows[4][:5], math.inf, -math.inf, *rows[4][7:])
    return rows


def copy(frame, how, schema=None, **options):
    """The table by way of a program that copies its file."""
    done = sparkgap.mpi.run(
        [
            "sh",
            "-c",
            'if [ -d "$1" ]; then cp -L "$1"/* "$2"; else cp "$1" "$2"; fi',
            "copy",
            "{inputs.t}",
            "{outputs.t2}",
        ],
        inputs={"t": frame},
        outputs={"t2": schema or frame.schema},
        formats={"t": how, "t2": how},
        **options,
    )
    return done.t2


@pytest.mark.parametrize("how", ["csv", "csv+header", "tsv", "tsv+header", "arrow"])
def test_every_type_goes_through_text_and_back(spark, how):
    given = frame(spark, texts(200), TEXTS)
    back = copy(given, how)
    assert back.schema == given.schema
    assert back.collect() == given.collect()


@ONE
@pytest.mark.parametrize("how", ["csv", "tsv+header"])
def test_any_text_goes_through_and_back(spark, how):
    draw = random.Random(11)
    rows = [
        tuple(
            None if draw.random() < 0.1 else "".join(draw.choices(",\"\n\r\t 'aß", k=draw.randrange(6)))
            for _ in range(3)
        )
        for _ in range(3000)
    ]
    given = frame(spark, rows, 'a string, `b,"c` string, d string')
    assert [tuple(row) for row in copy(given, how).collect()] == rows


@pytest.mark.parametrize("how", ["raw", "raw+rows"])
def test_numbers_go_through_raw_bytes_and_back(spark, how):
    given = frame(spark, numbers(70001), NUMBERS)  # more than a batch
    back = copy(given, how)
    assert back.collect() == given.collect()
    assert back.sparkgap.rows_in == back.sparkgap.rows_out == 70001


@ONE
@pytest.mark.parametrize("how", ["npy", "npy+columns"])
@pytest.mark.parametrize("kind", ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double"])
def test_arrays_go_through_npy_and_back(spark, how, kind):
    position = ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double"].index(kind)
    values = [row[position] for row in numbers(999)]
    for given in (
        frame(spark, [(v,) for v in values], f"a {kind}"),
        frame(spark, list(zip(*[iter(values)] * 3, strict=True)), f"a {kind}, b {kind}, c {kind}"),
    ):
        assert copy(given, how).collect() == given.collect()


@ONE
@pytest.mark.parametrize("how", ["mtx", "mtx+zero"])
def test_entries_go_through_matrix_market_and_back(spark, how):
    rows = [(i % 7 + 1, i % 5 + 1, i / 3) for i in range(100)]
    assert copy(frame(spark, rows, "i bigint, j int, v double"), how).collect() == rows
    assert copy(frame(spark, [r[:2] for r in rows], "i bigint, j int"), how).collect() == [r[:2] for r in rows]


@ONE
@pytest.mark.parametrize("how", ["csv", "csv+header", "raw", "raw+rows", "npy", "arrow", "mtx"])
def test_no_rows_are_a_table_too(spark, how):
    given = frame(spark, [], "i bigint, j bigint, v bigint")
    assert copy(given, how).collect() == []


def seen(spark, code, given, how):
    """What a Python without sparkgap makes of the file."""
    done = sparkgap.mpi.run(
        [sys.executable, "-c", f"import sys, numpy, scipy.io, csv; path = sys.argv[1]; {code}", "{inputs.t}"],
        inputs={"t": given},
        formats={"t": how},
    )
    return done.printed


@ONE
def test_other_readers_see_the_same(spark):
    rows = [(1, 2, 0.5), (3, 1, -1.25), (2, 2, 1e300)]
    given = frame(spark, rows, "i bigint, j bigint, v double")
    assert seen(spark, "print(list(csv.reader(open(path))))", given, "csv+header") == str(
        [["i", "j", "v"], *[[str(i), str(j), {1e300: "1.0E300"}.get(v, str(v))] for i, j, v in rows]]
    )
    assert (
        seen(spark, "print(scipy.io.mmread(path).toarray().tolist())", given, "mtx")
        == "[[0.0, 0.5], [0.0, 1e+300], [-1.25, 0.0]]"
    )
    square = frame(spark, [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], "a double, b double")
    look = "a = numpy.load(path); print(a.tolist(), a.flags.f_contiguous)"
    assert seen(spark, look, square, "npy") == "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] False"
    assert seen(spark, look, square, "npy+columns") == "[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] True"
    assert seen(spark, "print(numpy.load(path).tolist())", square.select("b"), "npy") == "[2.0, 4.0, 6.0]"
    assert seen(spark, "print(numpy.fromfile(path).tolist())", square, "raw") == "[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]"
    assert seen(spark, "print(numpy.fromfile(path).tolist())", square, "raw+rows") == "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"


@ONE
def test_what_others_write_is_read(spark, tmp_path):
    matrix = np.arange(12, dtype=np.float64).reshape(4, 3)
    np.save(tmp_path / "c.npy", matrix)
    np.save(tmp_path / "f.npy", np.asfortranarray(matrix))
    scipy.io.mmwrite(tmp_path / "dense.mtx", matrix)
    scipy.io.mmwrite(
        tmp_path / "symmetric.mtx", scipy.sparse.coo_matrix([[1.0, 2.0], [2.0, 0.0]]), symmetry="symmetric"
    )
    with open(tmp_path / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([[1, 'a "b", c'], [2, "x\ny"]])  # lines end with CR LF
    for name in ("c.npy", "f.npy"):
        assert [tuple(row) for row in written(tmp_path / name, "npy", "x double, y double, z double").collect()] == [
            tuple(row) for row in matrix
        ]
    dense = written(tmp_path / "dense.mtx", "mtx", "i int, j int, v double").collect()
    assert {(r.i, r.j): r.v for r in dense} == {(i + 1, j + 1): matrix[i, j] for i in range(4) for j in range(3)}
    symmetric = written(tmp_path / "symmetric.mtx", "mtx+zero", "i int, j int, v double").collect()
    assert {(r.i, r.j): r.v for r in symmetric} == {(0, 0): 1, (0, 1): 2, (1, 0): 2}
    (tmp_path / "skew.mtx").write_bytes(MARKET + b"coordinate real skew-symmetric\n2 2 1\n2 1 +5\n")
    assert {tuple(r) for r in written(tmp_path / "skew.mtx", "mtx", "i int, j int, v double").collect()} == {
        (2, 1, 5),
        (1, 2, -5),
    }
    (tmp_path / "d.csv").write_text("1.50\n1e3\n0e999999999\n-0.01\n")
    assert [str(r.d) for r in written(tmp_path / "d.csv", "csv", "d decimal(6,2)").collect()] == [
        "1.50",
        "1000.00",
        "0.00",
        "-0.01",
    ]
    assert [tuple(row) for row in written(tmp_path / "t.csv", "csv", "n int, w string").collect()] == [
        (1, 'a "b", c'),
        (2, "x\ny"),
    ]


def written(path, how, schema):
    return sparkgap.mpi.run("cp", [path, "{outputs.o}"], outputs={"o": schema}, formats={"o": how}).o


@ONE
def test_the_files_of_a_folder_are_one_output(spark):
    script = 'mkdir "$1"; for r in 1 0 2; do echo $r,x$r > "$1/part-$r"; done; echo junk > "$1/.hidden"'
    done = sparkgap.mpi.run(
        ["sh", "-c", script, "-", "{outputs.o}"], outputs={"o": "n int, w string"}, formats={"o": "csv"}
    )
    assert [tuple(r) for r in done.o.collect()] == [(0, "x0"), (1, "x1"), (2, "x2")]


def npy(shape):
    """The head of an array alone."""
    words = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}\n".encode()
    return np.lib.format.magic(1, 0) + len(words).to_bytes(2, "little") + words


MARKET = b"%%MatrixMarket matrix "
WRONG = [
    ("csv", b"1,2\n3\n", "a int, b int", "(o.csv line 2): expected 2 columns, found 1 column."),
    ("csv", b"1,2\n\n3,x\n", "a int, b int", "(o.csv line 3, column b): expected int for b, found 'x'."),
    ("csv", b'"1\n1",2\n3,x\n', "a string, b int", "(o.csv line 3, column b): expected int for b, found 'x'."),
    ("csv", b"1,3000000000\n", "a int, b int", "(o.csv line 1, column b): expected int for b, found '3000000000'."),
    ("csv", b"1.5f\n", "a double", "(o.csv line 1, column a): expected double for a, found '1.5f'."),
    (
        "csv",
        b"1,\n",
        "a int, b int not null",
        "(o.csv line 1, column b): expected int for b that is not null, found nothing.",
    ),
    (
        "csv",
        b'1,"open\n',
        "a int, b string",
        "(o.csv line 1): expected quotes that end, found none before the end of the file.",
    ),
    ("csv+header", b"b,a\n1,2\n", "a int, b int", "(o.csv line 1): expected the header a,b, found b,a."),
    ("tsv", b"1,2\n", "a int, b int", "(o.tsv line 1): expected 2 columns, found 1 column."),
    (
        "raw",
        b"123456789",
        "a double",
        "(o.raw): expected a multiple of 8 bytes, those of a row of 1 column, found 9 bytes.",
    ),
    (
        "npy",
        b"no array",
        "a double",
        (
            "(o.npy): expected a .npy file of one or two dimensions and dtype <f8, found a file that does not begin as"
            " .npy files do."
        ),
    ),
    ("npy", "float32", "a double", "(o.npy): expected dtype <f8, for double for a, found dtype <f4."),
    (
        "npy",
        "complex128",
        "a double",
        "(o.npy): expected a .npy file of one or two dimensions and dtype <f8, found dtype '<c16'.",
    ),
    ("npy", "float64", "a double, b double", "(o.npy): expected 2 columns, found 3 columns."),
    (
        "npy",
        npy(f"{2**61}, 1"),
        "a double",
        f"(o.npy): expected {2**64} bytes of values, as its head says, found 0 bytes.",
    ),
    (
        "npy",
        npy(f"{10**20},"),
        "a double",
        f"(o.npy): expected a .npy file of one or two dimensions and dtype <f8, found an array of shape ({10**20},).",
    ),
    (
        "csv",
        b'"a"b,1\n',
        "a string, b int",
        "(o.csv line 1): expected quotes around whole fields, found text behind their end.",
    ),
    ("csv", b"1e999\n", "a double", "(o.csv line 1, column a): expected double for a, found '1e999'."),
    ("csv", b"1e39\n", "a float", "(o.csv line 1, column a): expected float for a, found '1e39'."),
    (
        "csv",
        b"1e999999999\n",
        "a decimal(38,2)",
        "(o.csv line 1, column a): expected decimal(38,2) for a, found '1e999999999'.",
    ),
    (
        "csv",
        b"1e-999999999\n",
        "a decimal(38,2)",
        "(o.csv line 1, column a): expected decimal(38,2) for a, found '1e-999999999'.",
    ),
    (
        "mtx",
        MARKET + b"coordinate real general\n2 2 3000000000\n1 1 5\n",
        "i int, j int, v double",
        "(o.mtx): expected 3000000000 entries, found the end of the file before.",
    ),
    (
        "mtx",
        MARKET + b"array real general\n4294967296 4294967296\n5\n",
        "i int, j int, v double",
        f"(o.mtx): expected {2**64} entries, found the end of the file before.",
    ),
    (
        "mtx",
        MARKET + b"coordinate real symmetric\n2 3 1\n1 3 5\n",
        "i int, j int, v double",
        "(o.mtx line 2): expected as many rows as columns, for symmetric, found 2 and 3.",
    ),
    ("mtx", b"1 1 1\n", "i int, j int, v double", "(o.mtx line 1): expected %%MatrixMarket matrix"),
    (
        "mtx",
        b"%%MatrixMarket matrix coordinate real general\n% c\n2 2 1\n3 1 5\n",
        "i int, j int, v double",
        "(o.mtx line 4): expected a row from 1 to 2, found '3'.",
    ),
    (
        "mtx",
        b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n",
        "i int, j int, v double",
        "(o.mtx): expected 2 entries, found the end of the file before.",
    ),
]


@ONE
@pytest.mark.parametrize(("how", "content", "schema", "said"), WRONG, ids=[f"{w[0]}-{i}" for i, w in enumerate(WRONG)])
def test_a_wrong_output_is_named_by_file_line_and_column(spark, store, tmp_path, how, content, schema, said):
    path = tmp_path / "any"
    if isinstance(content, str):
        with open(path, "wb") as file:
            np.save(file, np.zeros((2, 3) if content == "float64" else 2, dtype=content))
    else:
        path.write_bytes(content)
    before = store.files()
    with pytest.raises(DataError) as caught:
        written(path, how, schema)
    assert f"outputs.o {said}" in str(caught.value)
    assert FORM.fullmatch(str(caught.value))
    assert store.files() == before


@ONE
def test_a_value_without_a_place_in_the_format_is_named(spark, store):
    before = store.files()

    def refused(error, given, how):
        with pytest.raises(error) as caught:
            copy(given, how)
        assert FORM.fullmatch(str(caught.value))
        assert store.files() == before
        return str(caught.value)

    assert refused(DataError, frame(spark, [(1,), (None,)], "a int"), "raw").startswith(
        "inputs.t.a, row 2: expected a value, found a null."
    )
    assert refused(DataError, frame(spark, [(0, 1, 1.0)], "i int, j int, v double"), "mtx").startswith(
        "inputs.t.i, row 1: expected a number of at least 1, found 0."
    )
    assert "expected booleans, integers, floats and doubles for format npy, found string" in refused(
        DataError, frame(spark, [("x",)], "a string"), "npy"
    )
    assert "expected columns of one type, which a has as INT for format npy, found double" in refused(
        DataError, frame(spark, [(1, 2.0)], "a int, b double"), "npy"
    )
    assert "found array<int>" in refused(DataError, frame(spark, [([1],)], "a array<int>"), "csv")
    assert refused(ArgumentError, frame(spark, [(1,)], "a int"), "xls").startswith(
        "input_formats.t: expected one of arrow, csv, csv+header"
    )


@ONE
def test_files_beside_the_inputs_that_lie_in_the_store_are_no_copies(spark):
    cached = spark.range(1000).cache()
    cached.count()
    assert copy(cached, "arrow").sparkgap.bytes_copied == 0
    assert copy(cached, "raw").sparkgap.bytes_copied >= 8000
