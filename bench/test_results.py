# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What is kept of a measurement, and how it compares with the last."""

import json
import statistics

import pytest
import results

from sparkgap.report.advice import kernel_cost

LAST = {
    "date": "2026-11-01",
    "machine": {"processor": "A", "commit": "abc"},
    "runs": {"native": [{"wall_s": 1.0, "rows": 5}, {"wall_s": 3.0}], "spark": [{"wall_s": 8.0}]},
    "median": {"native": {"wall_s": {"median": 2.0, "least": 1.0}}},
    "volumes": [{"cache": "store", "wall_s": 4.0}, {"cache": "default", "wall_s": 5.0}],
}


def test_times_by_the_names_that_lead_to_them():
    assert results.medians(LAST) == {
        ("runs", "native", "wall_s"): 2.0,
        ("runs", "spark", "wall_s"): 8.0,
        ("native", "wall_s"): 2.0,
        ("volumes", "store", "wall_s"): 4.0,
        ("volumes", "default", "wall_s"): 5.0,
    }


def test_the_newest_stays_and_the_change_is_said(tmp_path):
    assert results.keep("ml", LAST, "text", tmp_path) == "ml: nothing to compare with yet"
    now = json.loads(json.dumps(LAST))
    now["runs"]["spark"][0]["wall_s"] = 4.0
    now["volumes"][1]["wall_s"] = 5.2
    now["machine"]["processor"] = "B"
    assert results.keep("ml", now, "newer\n\n", tmp_path).splitlines() == [
        "beside abc of 2026-11-01: 5 medians, 1 of them differ by more than 10 %",
        "on another machine: A",
        "runs spark wall_s: 8 -> 4 (0.50 x)",
    ]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["ml.json", "ml.md"]
    assert json.loads((tmp_path / "ml.json").read_text()) == now
    assert (tmp_path / "ml.md").read_text() == "newer\n"


@pytest.mark.parametrize(
    ("file", "tasks"),
    [
        ("graph", {"pagerank": "PageRank", "components": "ConnectedComponents"}),
        ("graph-scale18", {"labelprop": "LabelPropagation"}),
        (
            "ml",
            {
                "logreg": "LogisticRegression",
                "kmeans8": "KMeans",
                "kmeans200": "KMeans",
                "naivebayes": "NaiveBayes",
                "lda": "LDA",
            },
        ),
    ],
)
def test_advice_has_the_costs_that_were_measured(file, tasks):
    """What `sparkgap report` says that a kernel would take rests on these results."""
    runs = json.loads((results.PLACE / f"{file}.json").read_text())["runs"]
    for task, name in tasks.items():
        by_engine = runs[task] if task in runs else {engine: found[task] for engine, found in runs.items() if found}
        spark, ours = (
            statistics.median(run["wall_s"] for run in by_engine[engine] if run) for engine in ("spark", "native")
        )
        assert min(abs(spark / ours / ratio - 1) for ratio in kernel_cost.RATIOS[name]) < 0.1, task
