# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap mpirun`: files in, any program, files out; exit status, one line for an error, and nothing left."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sparkgap.cli.mpirun import Binding
from sparkgap.errors import ArgumentError

SORT = 'echo rank $PMI_RANK of {ranks}; test $PMI_RANK = 1 || sort -rn "$1" > "$2"'


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "sparkgap", "mpirun", *map(str, words)], capture_output=True, text=True, timeout=150
    )


def test_files_in_and_files_out(store, tmp_path):
    pq.write_table(pa.table({"x": [3, 4, 9]}), tmp_path / "x.parquet")
    words = [
        "-n",
        2,
        "--threads",
        1,
        "--store",
        store.path,
        "--input",
        f"x={tmp_path / 'x.parquet'}:csv",
        "--output",
        "down=x bigint:csv",
        "--out",
        tmp_path / "out",
        "--json",
        "sh",
        "-c",
        SORT,
        "--",
        "{inputs.x}",
        "{outputs.down}",
    ]
    done = command(*words)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["ranks"], said["threads"], said["rows_in"], said["rows_out"]) == (2, 1, 3, 3)
    assert (said["outputs"], said["printed"]) == ({"down": str(tmp_path / "out" / "down.parquet")}, "rank 0 of 2")
    assert pq.read_table(tmp_path / "out" / "down.parquet").to_pylist() == [{"x": 9}, {"x": 4}, {"x": 3}]
    again = command(*words)
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1) and "--overwrite" in again.stderr
    assert store.homes() == []


def test_the_end_of_the_program_is_the_end_of_the_command(store, tmp_path):
    done = command("--store", store.path, "--logs", tmp_path / "logs", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert done.returncode == 5
    log = tmp_path / "logs" / "rank-0.log"
    assert done.stderr.splitlines()[0].endswith(
        f"expected exit 0, found exit 3. Do look at the log lines below and run again. Its log is in {log}."
    )
    assert done.stderr.splitlines()[1:] == ["out", "err"]
    assert log.read_text() == "out\nerr\n"
    assert done.stdout == ""
    assert store.homes() == []


def test_wrong_words_start_nothing(store, tmp_path):
    for words, said in [
        (["--input", "x", "sh"], "--input: expected NAME=WHAT[:FORMAT], found 'x'."),
        (["--output", "a=i int", "sh"], "--out: expected a folder for the outputs, found nothing."),
        (["--input", f"x={tmp_path}/none.csv", "sh"], "INPUT: expected a file or folder that exists"),
        (["-n", "0", "sh"], "command line: expected words as in its help"),
    ]:
        done = command("--store", store.path, *words)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert done.stderr.startswith(said)


def test_a_format_is_what_stands_behind_the_last_colon_and_is_one():
    assert Binding.parse("--input", "x=/a:b/c.csv") == Binding("x", "/a:b/c.csv", None)
    assert Binding.parse("--input", "x=/a:b/c.csv:csv+header") == Binding("x", "/a:b/c.csv", "csv+header")
    with pytest.raises(ArgumentError, match="--env"):
        Binding.parse("--env", "=x")
