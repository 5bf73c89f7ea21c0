# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks run from end to end in a real kernel, and show what they should."""

import os

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

FOLDER = ROOT / "examples" / "notebooks"
CELL_S = 120
# The last of these that a page shows, by notebook.
SHOWN = {
    "first-steps": ["text/html", "<caption>pagerank, engine native, "],
    "from-graphframes": ["text/html", "<td>GraphFrame.connectedComponents</td><td>native</td>"],
    "estimators": ["text/html", "<caption>logreg, engine native, "],
}
# Of a call of seconds: a bar that moves and goes.
LONG = """
import sparkgap
from pyspark.sql import functions as F

spark = sparkgap.session("local[2]", conf={"spark.ui.enabled": "false"})
edges = spark.range(200_000).select("id", (F.col("id") * 48271 % 65536).alias("dst")).withColumnRenamed("id", "src")
done = sparkgap.graph.pagerank(edges, max_iterations=3000, tolerance=1e-300, threads=1)
spark.stop()
"""


def run(notebook, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    client = NotebookClient(
        notebook, timeout=CELL_S, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_no_notebook_is_forgotten():
    assert set(SHOWN) == {file.stem for file in FOLDER.glob("*.ipynb")}


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_notebook(name, tmp_path, monkeypatch):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert not [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs], "kept without outputs"
    kind, text = SHOWN[name]
    outputs = run(notebook, tmp_path, monkeypatch)
    assert any(text in output.get("data", {}).get(kind, "") for output in outputs), outputs


def test_a_bar_shows_a_long_call_and_goes(tmp_path, monkeypatch):
    shown = []
    before = NotebookClient.process_message

    def process(self, message, cell, index):
        shown.append(message["content"].get("data", {}).get("text/html", ""))
        return before(self, message, cell, index)

    monkeypatch.setattr(NotebookClient, "process_message", process)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG)])
    run(notebook, tmp_path, monkeypatch)
    bars = [html for html in shown if "<progress" in html]
    assert "pagerank export" in bars[0]
    assert any('max="3000"' in html for html in bars), bars
    last = [output["data"].get("text/html") for output in notebook.cells[0].outputs if "data" in output]
    assert "<progress" not in "".join(filter(None, last))
