# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The page of the real tree, and what is said of one that is not true any more."""

import check_architecture
import pytest


@pytest.fixture
def page(tmp_path):
    """The page in a tree whose code is the real one's."""
    for room in ("spark", "store", "launch", "mapreduce", "kernels", "python"):
        (tmp_path / room).symlink_to(check_architecture.ROOT / room)
    (tmp_path / "docs").mkdir()
    copy = tmp_path / check_architecture.PAGE
    copy.write_text((check_architecture.ROOT / check_architecture.PAGE).read_text())
    return copy


def said(page, capsys):
    status = check_architecture.main(page.parents[1])
    return status, capsys.readouterr().err.splitlines()


def test_the_page_is_true(page, capsys):
    assert said(page, capsys) == (0, [""])


@pytest.mark.parametrize(
    ("there", "instead", "fault"),
    [
        ("kernels/pagerank/pagerank.cc: run", "kernels/pagerank/rank.cc: run", "found kernels/pagerank/rank.cc."),
        (
            "KernelInput.scala: resolve",
            "KernelInput.scala: resolved",
            "KernelInput.scala to have resolved, found none.",
        ),
        ("HostAgent.java: report", "HostAgent.java: reports", "HostAgent.java to have reports, found none."),
        ("rank_guard.cc: watch", "rank_guard.cc: watches", "rank_guard.cc to have watches, found none."),
        ("| `spark/cache` |", "| `spark/caches` |", "expected the tree as it is, found another."),
    ],
)
def test_what_is_not_there(page, capsys, there, instead, fault):
    assert there in page.read_text()
    page.write_text(page.read_text().replace(there, instead))
    status, lines = said(page, capsys)
    assert status == 1 and len(lines) == 1 and fault in lines[0]


def test_the_tree_is_written_anew(page, capsys):
    page.write_text(page.read_text().replace("| `spark/cache` |", "| `spark/caches` |"))
    assert check_architecture.main(page.parents[1], write=True) == 0
    assert "| `spark/cache` |" in page.read_text()
