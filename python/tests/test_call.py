# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkgap import call, call_table, errors, progress


def test_statement_holds_names_only():
    assert (
        call.sql("pagerank", "graph", ["edges", "src"]) == "CALL sparkgap.graph.pagerank(edges => :edges, src => :src)"
    )


@given(st.text().filter(lambda s: not (s.isidentifier() and s.isascii())))
def test_nothing_but_plain_names_enters_a_statement(word):
    for words in (("k", "f", [word]), (word, "f", []), ("k", word, [])):
        with pytest.raises(errors.ArgumentError):
            call.sql(*words)


def test_phases_are_ordered_by_when_they_run():
    names = ["zzz", "readback_s", "compute_s", "read_s", "export_s"]
    assert sorted(names, key=call.phase_order) == ["read_s", "export_s", "compute_s", "readback_s", "zzz"]


def a_call(kernel="degree"):
    return call.Call(kernel, "native", "t", 4, 3, 0, True, None, 1, 2, 0.5, 64, 1 << 20, {"export_s": 0.25})


def test_the_logger_hears_of_a_call(caplog):
    with caplog.at_level("INFO", logger="sparkgap"):
        call.remember(a_call())
    assert [record.getMessage() for record in caplog.records] == ["degree by native in 0.50 s, 1 x 2: 4 rows in, 3 out"]


def test_a_notebook_shows_the_phases_and_runs_nothing():
    shown = a_call("<script>alert(1)</script>")._repr_html_()
    assert "<tr><td>export</td><td>0.250</td>" in shown and "<script>" not in shown


def test_common_arguments_are_checked():
    with pytest.raises(errors.ArgumentError, match="ranks: expected a whole number"):
        call._checked_common({"engine": "native", "ranks": 0, "threads": None, "timeout_s": None, "result": None})
    with pytest.raises(errors.ArgumentError, match="engine: expected one of native, spark"):
        call._checked_common({"engine": "gpu", "ranks": None, "threads": None, "timeout_s": None, "result": None})


def test_phase_table_names_all_phases():
    from rich.console import Console

    figures = call.Call(
        "degree", "native", "t", 4, 3, 20, False, 0.5, 1, 2, 0.5, 64, 1 << 20, {"export_s": 0.25, "compute_s": 0.125}
    )
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(figures.as_table())
    text = console.export_text()
    for word in (
        "export",
        "0.250",
        "compute",
        "0.125",
        "20 iterations, not converged (residual 5.00e-01)",
        "64 B copied",
    ):
        assert word in text
    assert "memory asked for" not in text
    figures.memory_bytes, figures.memory_from = 3 << 30, "spark"
    console.print(figures.as_table())
    assert "memory asked for 3.0 GiB, given by Spark's off-heap pool" in console.export_text()


def test_progress_words():
    assert progress.detail(0, 0, None) == ""
    assert progress.detail(0, 0, -1.0) == ""
    assert progress.detail(2, 20, None) == "iteration 2/20"


def test_sizes():
    assert [call_table.size(n) for n in (0, 1023, 1024, 1 << 40, 1 << 60)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "1.0 TiB",
        "1048576.0 TiB",
    ]
