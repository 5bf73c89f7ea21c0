# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Programs that write words between blanks into their working folder and take no path for it, as SPLATT does; and the
format `text`.
"""

import math
import re
import sys

import pytest
from conftest import installed
from faults.programs import compile_to
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_mpi_formats import FORM, ONE, copy, frame, texts

import sparkgap
from sparkgap import ArgumentError, DataError

# What SPLATT's `cpd` does with its files: nonzeros in coordinates, with comments, in; a matrix per mode and the weights
# out, each number with a blank behind it.
SPLATT = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, mode;
  long at[2], most[2] = {0, 0};
  double value, sum = 0;
  char name[32];
  MPI_Init(&argc, &argv), MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE* in = fopen(argv[1], "r");
  while (fscanf(in, "%ld %ld %lf", &at[0], &at[1], &value) == 3)
    for (sum += value, mode = 0; mode < 2; ++mode) if (at[mode] > most[mode]) most[mode] = at[mode];
  fclose(in);
  for (mode = 0; mode < 2 && rank == 0; ++mode) {
    sprintf(name, "mode%d.mat", mode + 1);
    FILE* out = fopen(name, "w");
    for (long row = 1; row <= most[mode]; ++row) fprintf(out, "%+0.8le %+0.8le \n", row / 3.0, -1.0 * row);
    fclose(out);
  }
  if (rank == 0) {
    FILE* out = fopen("lambda.mat", "w");
    fprintf(out, "%+0.8le \n%+0.8le \n", sum, sum / 2);
    fclose(out);
  }
  return MPI_Finalize();
}
"""
SCHEMAS = {"users": "a double, b double", "items": "a double, b double", "weights": "w double"}
FILES = {"users": "mode1.mat", "items": "mode2.mat", "weights": "lambda.mat"}
FORMATS = {"tensor": "text", **dict.fromkeys(SCHEMAS, "text")}


def factorise(spark, program, **options):
    tensor = frame(spark, [(1, 1, 0.5), (2, 3, 1.5), (4, 2, 2.0)], "i bigint, j bigint, v double")
    done = sparkgap.mpi.run(
        program, ["{inputs.tensor}"], {"tensor": tensor}, SCHEMAS, formats=FORMATS, files=FILES, **options
    )
    assert [(r.a, r.b) for r in done.users.collect()] == [(float(f"{n / 3:.8e}"), -n) for n in range(1, 5)]
    assert [(r.a, r.b) for r in done["items"].collect()] == [(float(f"{n / 3:.8e}"), -n) for n in range(1, 4)]
    assert [r.w for r in done.weights.collect()] == [4.0, 2.0]
    return done


@pytest.mark.parametrize("ranks", [1, 2])
def test_files_of_the_working_folder_are_outputs(spark, store, tmp_path, ranks):
    compile_to(tmp_path, "splatt", SPLATT)
    done = factorise(spark, tmp_path / "splatt", ranks=ranks)
    assert not [f for f in store.files() if f.endswith(".mat")]
    for table in done.sparkgap.table.split(", "):
        spark.sql(f"DROP TABLE {table}")


def test_files_of_the_working_folder_on_several_hosts(hosts, cluster):
    with installed(cluster, lambda folder: compile_to(folder, "splatt", SPLATT)) as folder:
        done = factorise(hosts, folder / "splatt", ranks=3, threads=1)
    assert done.sparkgap.ranks == 3
    for table in done.sparkgap.table.split(", "):
        hosts.sql(f"DROP TABLE {table}")
    with pytest.raises(
        DataError, match=r"outputs\.x on host \S+ \(x\): expected a file in the working folder itself, found the link x"
    ) as error:
        run_shell("ln -s /etc/hostname x", "x", ranks=3)
    assert FORM.fullmatch(str(error.value))
    with pytest.raises(
        DataError, match=r"expected the file x in the working folder, when all ranks have ended, found none on "
    ):
        run_shell("true", "x", ranks=3)


def run_shell(script, file, how="text", schema="w string", **options):
    return sparkgap.mpi.run(
        ["sh", "-c", script], outputs={"x": schema}, formats={"x": how}, files={"x": file}, **options
    )


@ONE
def test_a_folder_and_a_file_below_and_the_place_by_its_template(spark):
    assert [r.w for r in run_shell("mkdir -p out; echo b > out/2; echo a > out/1", "out").x.collect()] == ["a", "b"]
    assert [r.w for r in run_shell("mkdir -p out; echo a > out/1", "./out/1").x.collect()] == ["a"]
    assert [r.w for r in run_shell("echo a > real; ln -s real x", "x").x.collect()] == ["a"]
    done = sparkgap.mpi.run(
        ["sh", "-c", 'echo "$1" > "$1"', "sh", "{outputs.x}"],
        outputs={"x": "w string"},
        formats={"x": "text"},
        files={"x": "here"},
    )
    assert re.search(r"/here$", done.x.first().w)


def test_by_sql(spark):
    row = spark.sql(
        "CALL sparkgap.mpi.run(program => 'sh', args => array('-c', 'echo 1 2 > both'), outputs => map('x', 'a int, b"
        " int'), output_formats => map('x', 'text'), output_files => map('x', 'both'))"
    ).first()
    assert [tuple(r) for r in spark.table(row.tables["x"]).collect()] == [(1, 2)]


@ONE
@pytest.mark.parametrize(
    "name",
    ["/etc/hostname", "../x", "a/../../x", "", " ", ".", "job.json", "rank-0.log", "tmp/x", "x\0y", "..", "x/.."],
)
def test_names_that_are_no_file_of_the_working_folder_are_refused(spark, store, tmp_path, name):
    before, ran = store.files(), tmp_path / "ran"
    with pytest.raises(
        ArgumentError, match=r"output_files\.x: expected the name of a file in the program's working folder"
    ) as error:
        run_shell(f"touch {ran}", name)
    assert FORM.fullmatch(str(error.value)) and not ran.exists() and store.files() == before


@ONE
def test_what_lies_behind_a_link_is_not_taken(spark, store):
    before = store.files()
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
    with pytest.raises(
        DataError,
        match=(
            r"outputs\.x: expected the file x in the working folder, when all ranks have ended, found none \(its last"
            r" line: so\)"
        ),
    ):
        run_shell("echo so; ln -s nothing x", "x")
    assert store.files() == before


@ONE
def test_what_cannot_be_meant_is_refused(spark):
    twice = {"outputs": {"x": "w string", "y": "w string"}, "formats": {"x": "text", "y": "text"}}
    for options, said in [
        ({**twice, "files": {"x": "f", "y": "./f"}}, "expected a file of its own"),
        (
            {**twice, "files": {"x": "f", "y": "f/g"}},
            r"output_files\.y: expected a file of its own, found 'f/g', which is in 'f' of x",
        ),
        ({**twice, "files": {"z": "f"}}, "files: expected names of outputs, found 'z'"),
        (
            {"outputs": {"x": "w string"}, "files": {"x": "f"}},
            "expected an output of another format than arrow, found arrow",
        ),
        (
            {"outputs": {"x": "w string"}, "formats": {"x": "csv"}, "files": {"x": "f"}, "args": ["{outputs.x}/part"]},
            r"expected no argument with \{outputs\.x\}/ beside it",
        ),
    ]:
        with pytest.raises(ArgumentError, match=said) as error:
            sparkgap.mpi.run("true", **options)
        assert FORM.fullmatch(str(error.value))


# --- the format `text`

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1).filter(
    lambda w: not w.startswith("#") and not any(c.isspace() for c in w)
)
ROWS = st.lists(st.tuples(WORDS, st.floats(), st.integers(-(2**63), 2**63 - 1), WORDS), max_size=20)


@ONE
@pytest.mark.parametrize("how", ["text", "text+header"])
def test_every_type_goes_through_words_and_back(spark, how):
    rows = [row for row in texts(300) if row[-1] in ("plain", "a,b", "Grüße", "日本", '"', "NULL") and None not in row]
    assert len(rows) > 50
    given_ = frame(
        spark,
        rows,
        "b boolean, t tinyint, s smallint, i int, l bigint, f float, d double, e decimal(12,3), day date, at timestamp,"
        " local timestamp_ntz, w string",
    )
    back = copy(given_, how)
    assert back.schema == given_.schema and back.collect() == given_.collect()


@ONE
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_any_words_and_numbers_go_through_and_back(spark, rows):
    back = copy(frame(spark, rows, "w string, d double, l bigint, last string"), "text").collect()
    assert [(r.w, r.l, r.last) for r in back] == [(w, n, last) for w, _, n, last in rows]
    assert all(r.d == d or (math.isnan(r.d) and math.isnan(d)) for r, (_, d, _, _) in zip(back, rows, strict=True))


@ONE
def test_others_read_and_write_it(spark, tmp_path):
    seen = sparkgap.mpi.run(
        [sys.executable, "-c", "import sys, numpy; print(numpy.loadtxt(sys.argv[1]).tolist())", "{inputs.t}"],
        inputs={"t": frame(spark, [(1, 0.5), (2, 1e300)], "i int, d double")},
        formats={"t": "text"},
    )
    assert seen.printed == "[[1.0, 0.5], [2.0, 1e+300]]"
    (tmp_path / "t").write_bytes(b"# a comment\n\n  1\t \t0.5  \r\n#\n \t\n  # more\n2 nan\n3\x0binf")
    assert (
        str([tuple(r) for r in run_shell(f"cp {tmp_path / 't'} x", "x", schema="i int, d double").x.collect()])
        == "[(1, 0.5), (2, nan), (3, inf)]"
    )
    (tmp_path / "t").write_text('# by hand\n who  what\n"a b#\n')
    assert [
        tuple(r)
        for r in run_shell(
            f"cp {tmp_path / 't'} x", "x", how="text+header", schema="who string, what string"
        ).x.collect()
    ] == [('"a', "b#")]
    assert run_shell(": > x", "x").x.collect() == []


@ONE
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("New York", 1), "expected a word without blanks, found 'New York'"),
        (("", 1), "expected a word without blanks, found an empty one"),
        (("a\tb", 1), r"expected a word without blanks, found 'a\?b'"),
        (("a\u00a0b", 1), "expected a word without blanks"),
        (("a\u2028b", 1), "expected a word without blanks"),
        (("#a", 1), "expected a first word that does not begin with #"),
        (("#ü", 1), "expected a first word that does not begin with #"),
        ((None, 1), "expected a value, found a null"),
        (("a", None), "expected a value, found a null"),
    ],
)
def test_what_has_no_word_is_refused(spark, store, row, said):
    before = store.files()
    with pytest.raises(DataError, match=rf"^inputs\.t\.[wn], row 2: {said}") as error:
        copy(frame(spark, [("fine", 0), row], "w string, n int"), "text")
    assert FORM.fullmatch(str(error.value)) and store.files() == before


@ONE
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 3\n", r"x line 1\): expected 2 columns, found 3 columns"),
        ("1 2\n\n#\n3\n", r"x line 4\): expected 2 columns, found 1 column\."),
        ("1 a\n", r"x line 1, column d\): expected double for d, found 'a'"),
        ('"1" 2\n', r"x line 1, column i\): expected int for i, found '\"1\"'"),
    ],
)
def test_lines_that_do_not_fit_are_refused(spark, tmp_path, text, said):
    (tmp_path / "t").write_text(text)
    with pytest.raises(DataError, match=said) as error:
        run_shell(f"cp {tmp_path / 't'} x", "x", schema="i int, d double")
    assert FORM.fullmatch(str(error.value))


@ONE
@pytest.mark.parametrize("name", ["a b", "#a", "a\u00a0b"])
def test_names_that_are_no_words_are_refused_before_anything_runs(spark, name):
    for call in (
        lambda: copy(frame(spark, [(1,)], f"`{name}` int"), "text+header"),
        lambda: run_shell("true", "x", how="text+header", schema=f"`{name}` int"),
    ):
        with pytest.raises((ArgumentError, DataError), match="for format text\\+header, found ") as error:
            call()
        assert FORM.fullmatch(str(error.value))
    assert copy(frame(spark, [(1,)], f"`{name}` int"), "text").columns == [name]
