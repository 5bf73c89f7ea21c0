# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The page's graph of a job's stages."""

import re

from event_log import Log

from sparkgap import report
from sparkgap.report.page import dag


def planted(parents):
    """A job whose stages, one second each, need those that are named."""
    log = Log(cores=4)
    stages = [(1000 * i, [(1000 * i, 1000 * (i + 1), {})], 1000 * (i + 1)) for i in range(len(parents))]
    log.job(0, stages, 1000 * len(parents))
    for event in log.events:
        if "Stage Info" in event:
            event["Stage Info"]["Parent IDs"] = parents[event["Stage Info"]["Stage ID"]]
    return log.end(1000 * len(parents))


def test_a_stage_is_right_of_those_that_it_needs(tmp_path):
    log = planted([[], [], [0, 1], [1], [2, 3, 77]])
    found = report.load(log.write(tmp_path / "log"))
    (graph,) = dag.graphs(found)
    across, down = (sorted({box[axis] for box in graph["boxes"]}) for axis in ("x", "y"))
    assert [(across.index(box["x"]), down.index(box["y"])) for box in graph["boxes"]] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 0),
    ]
    assert len(graph["lines"]) == 5, "of what is not there none"
    width, height = graph["box"]
    assert graph["width"] == across[-1] + width and graph["height"] == down[-1] + height
    for line in graph["lines"]:
        numbers = list(map(float, re.findall(r"[\d.]+", line)))
        assert numbers[0] < numbers[-2], "from left to right"
    assert graph["boxes"][0]["head"] == "stage 0: 1.00 s, 20.0 %"
    found.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "job 0: 5 stages" in page and page.count('class="box"') == 5


def test_a_query_is_one_graph_over_its_jobs(tmp_path):
    """The second job has the first one's stage again by another number, which is skipped: the RDD is the same."""
    log = Log(cores=4)
    for number in range(2):
        begin = 1000 * number
        stages = [(begin, [(begin, begin + 1000, {})], begin + 1000)]
        log.job(begin, stages, begin + 1000, **{"spark.sql.execution.id": "5"})
    for event in log.events:
        if event["Event"] == "SparkListenerJobStart" and event["Job ID"] == 1:
            own = {"Stage ID": 100, "Parent IDs": [99], "RDD Info": [{"RDD ID": 8}]}
            event["Stage Infos"] = [own, {"Stage ID": 99, "RDD Info": [{"RDD ID": 4}, {"RDD ID": 3}]}]
        if "Stage Info" in event:
            first = event["Stage Info"]["Stage ID"] == 0
            event["Stage Info"] |= {"RDD Info": [{"RDD ID": 4 if first else 8}], "Parent IDs": [] if first else [99]}
    found = report.load(log.end(2000).write(tmp_path / "log"))
    assert [stage.needs for stage in found.application.stages] == [[], [0]]
    (graph,) = dag.graphs(found)
    assert (graph["name"], len(graph["boxes"]), len(graph["lines"])) == ("SQL execution 5", 2, 1)


def test_a_job_of_one_stage_needs_no_graph(tmp_path):
    found = report.load(planted([[]]).write(tmp_path / "log"))
    assert dag.graphs(found) == []
    found.write_html(tmp_path / "page.html")
    assert "Stages of a query" not in (tmp_path / "page.html").read_text()


def test_of_many_stages_the_longest_are_shown(tmp_path):
    (graph,) = dag.graphs(
        report.load(planted([[max(0, i - 1)] if i else [] for i in range(70)]).write(tmp_path / "log"))
    )
    assert (len(graph["boxes"]), graph["left_out"]) == (60, 10)
