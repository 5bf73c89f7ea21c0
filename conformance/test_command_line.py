# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap run` as processes without Spark: no JVM, stdin and stdout, what is shown, and what a shell completes.

test_files.py, test_bad_input.py, test_faults.py and test_kernels.py run both ways beside each other.
"""

import io
import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from sparkgap import processes

NO_SPARK = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "numpy", "pandas"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""
EDGES = "src,dst\n1,2\n2,3\n3,1\n4,1\n"


@pytest.fixture
def command(tmp_path):
    """Runs the command in a Python that has no pyspark, on a host that has no Java."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "sitecustomize.py").write_text(NO_SPARK)
    path = os.pathsep.join([str(tmp_path / "python"), os.environ.get("PYTHONPATH", "")])
    variables = {**os.environ, "PYTHONPATH": path, "JAVA_HOME": "/nowhere", "COLUMNS": "120"}

    def run(*words, given=None, **more):
        words = [sys.executable, "-m", "sparkgap", *map(str, words)]
        text = given is None or isinstance(given, str)
        return subprocess.run(
            words, input=given, capture_output=True, text=text, timeout=100, env={**variables, **more}, cwd=tmp_path
        )

    run.folder, run.variables = tmp_path, variables
    return run


def test_no_jvm_is_needed(command):
    (command.folder / "e.csv").write_text(EDGES)
    for out in ("r.parquet", "r.csv", "r.tsv", "r.arrow", "folder"):
        done = command("run", "degree", "e.csv", "--out", out, "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        said = json.loads(done.stdout)
        assert (said["rows_in"], said["rows_out"], said["startup_s"], said["out"]) == (4, 4, 0, out)
    assert pq.read_table(command.folder / "folder").num_rows == 4
    done = command("run", "degree", "e.csv", "--out", "again.csv", "--spark")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("pyspark: expected the package pyspark, found none in this Python. Run: pip"), (
        done.stderr
    )
    done = command("run", "pagerank", "e.csv", "--out", "two.csv", "--ranks", "2", "--threads", "1")
    assert (done.returncode, done.stdout.startswith("top 4 of 4 in")) == (0, True), done.stderr
    assert "read in Spark" not in done.stderr


def test_models_as_rows(command):
    x = np.random.default_rng(1).normal(size=(60, 2)) + 10.0 * (np.arange(60) % 2)[:, None]
    pq.write_table(pa.table({"x": x[:, 0], "y": x[:, 1], "features": list(x)}), command.folder / "rows.parquet")
    done = command("run", "kmeans", "rows.parquet", "--k", "2", "--features", "x,y", "--out", "centers.csv")
    assert done.returncode == 0, done.stderr
    centers = sorted(pa.csv.read_csv(command.folder / "centers.csv")["value"].to_pylist())
    assert centers[:2] == pytest.approx([0, 0], abs=0.6) and centers[2:] == pytest.approx([10, 10], abs=0.6)
    done = command("run", "kmeans", "rows.parquet", "--k", "2", "--out", "model")
    assert (done.returncode, done.stderr.count("\n")) == (5, 1), "a folder is MLlib's, which takes Spark"


def arrow(table, make=pa.ipc.new_stream):
    sink = io.BytesIO()
    with make(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


ROWS = pa.table({"src": [1, 2, 3, 4], "dst": [2, 3, 1, 1]})
DEGREES = {1: 3, 2: 2, 3: 2, 4: 1}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("-", EDGES.encode()),
        ("-", arrow(ROWS)),
        ("-", arrow(ROWS, pa.ipc.new_file)),
        ("-.txt", EDGES.replace(",", " ").encode()),
        ("-.tsv", EDGES.replace(",", "\t").encode()),
    ],
    ids=["csv", "stream", "file", "txt", "tsv"],
)
def test_stdin_and_stdout(command, name, given):
    done = command("run", "degree", name, "--out", "-", given=given)
    assert done.returncode == 0, done.stderr
    found = pa.csv.read_csv(io.BytesIO(done.stdout))
    assert dict(zip(found["id"].to_pylist(), found["degree"].to_pylist(), strict=True)) == DEGREES
    done = command("run", "degree", name, "--out", "-.arrow", given=given)
    assert pa.ipc.open_stream(done.stdout).read_all().to_pydict() == found.to_pydict()
    assert [p.name for p in command.folder.iterdir()] == ["python"]


def test_the_result_is_refused_before_stdin_is_read(command):
    words = [sys.executable, "-m", "sparkgap", "run", "degree", "-", "--out", "nowhere/r.csv"]
    streams = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **streams, text=True, env=command.variables, cwd=command.folder) as process:
        try:
            assert process.wait(60) == 2  # stdin is still open
        finally:
            process.kill()
        assert process.stderr.read().startswith("--out: expected a path in a folder that exists")


def test_nothing_on_stdin(command):
    done = command("run", "degree", "-", "--out", "-", given="")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "edges: expected rows on stdin, found nothing. Give Arrow's stream, or text as in a .csv.\n"


def test_a_reader_that_ends_early(command):
    """`sparkgap run ... --out - | head -1` is no error."""
    (command.folder / "e.csv").write_text("src,dst\n" + "".join(f"{i},{i + 1}\n" for i in range(100_000)))
    words = f"{sys.executable} -m sparkgap run degree e.csv --out - 2>err | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", words], capture_output=True, text=True, timeout=100, env=command.variables, cwd=command.folder
    )
    assert done.stdout.splitlines() == ["id,in_degree,out_degree,degree", "0"]
    assert "Traceback" not in (command.folder / "err").read_text()


def shown(done):
    """The rows of the table on stdout."""
    assert done.returncode == 0, done.stderr
    rows = [re.findall(r"[^\s│|]+", line) for line in done.stdout.splitlines() if re.match(r"[│|] +\S", line)]
    return [tuple(map(float, row)) for row in rows]


def test_rows_that_people_ask_for(command):
    (command.folder / "e.csv").write_text(EDGES)
    words = ["run", "degree", "e.csv"]
    assert shown(command(*words, "--top", 2)) == [(1, 2, 1, 3), (2, 1, 1, 2)]
    assert shown(command(*words, "--sort", "in_degree", "--top", 1)) == [(1, 2, 1, 3)]
    assert shown(command(*words, "--sort=-in_degree")) == [(4, 0, 1, 1), (2, 1, 1, 2), (3, 1, 1, 2), (1, 2, 1, 3)]
    assert shown(command(*words, "--sort", "id", "--top", 2)) == [(4, 0, 1, 1), (3, 1, 1, 2)]
    assert shown(command(*words, "--top", 0, "--out", "r.csv")) == []
    assert [p.name for p in sorted(command.folder.iterdir())] == ["e.csv", "python", "r.csv"]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("sparkgap comp", ["completion"]),
        ("sparkgap run pag", ["pagerank"]),
        ("sparkgap run pagerank --da", ["--damping"]),
        ("sparkgap store s", ["stat", "sweep"]),
    ],
)
def test_what_a_shell_completes(command, words, completed):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = command(_SPARKGAP_COMPLETE="complete_bash", **asked)
    assert (done.returncode, done.stdout.split()) == (0, completed), done.stderr
    script = command("completion", "bash").stdout
    assert subprocess.run(["bash", "-n"], input=script, text=True, timeout=20).returncode == 0


def test_killed(command):
    """Its ranks end with it, and the next one removes what it left in the store."""
    (command.folder / "e.csv").write_text(EDGES)
    store = command.folder / "store"
    words = [sys.executable, "-m", "sparkgap", "run", "pagerank", "e.csv", "--top", "1", "--store", str(store)]
    forever = ["--max-iterations", "2000000000", "--ranks", "2", "--threads", "1"]
    child = subprocess.Popen([*words, *forever], env=command.variables, cwd=command.folder, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not list(store.glob("*/jobs/*/progress.jsonl")):
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        below = {p.pid for p in processes.tree(child.pid)}
        assert sum(p.name == "sparkgap-pagera" for p in processes.everyone() if p.pid in below) == 2
    finally:
        child.kill()
    child.wait(20)
    while [p for p in processes.everyone() if p.pid in below and p.state != "Z"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (left,) = store.glob("*.local*")
    done = subprocess.run(words, env=command.variables, cwd=command.folder, capture_output=True, timeout=60)
    assert (done.returncode, left.exists(), list(store.glob("*.local*"))) == (0, False, [])
