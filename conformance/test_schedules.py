# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two applications under the same names: twenty of the schedules of `make schedules`, and the oracle that judges
them.
"""

import copy
import os
import tempfile
from pathlib import Path

import pytest
from schedules import Pair, judge, schedule
from schedules.oracle import ABSENT, Event, explained
from schedules.steps import Step, content

SCHEDULES = 20
SEED = int(os.environ.get("SPARKGAP_SCHEDULES_SEED", "16"))


def test_no_schedule_shows_what_it_may_not():
    with (
        tempfile.TemporaryDirectory(
            prefix="sparkgap-schedules-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None
        ) as folder,
        Pair(folder) as pair,
    ):
        for number in range(SCHEDULES):
            wrong = pair.run(schedule(number, SEED))
            assert not wrong, "\n".join([f"schedule {number} of seed {SEED}:", *wrong])


def test_schedules_follow_their_seed():
    assert schedule(3, 7) == schedule(3, 7) != schedule(4, 7)
    verbs = {s.verb for number in range(50) for s in schedule(number, SEED)}
    assert {"build", "call", "drop", "publish", "unpublish", "read", "again", "cancel"} <= verbs


STEPS = [
    Step(0, 0, 0, "create", "a", "table", 101, 3),
    Step(1, 0, 1, "call", "a", "degree", 102, 4),
    Step(2, 0, 0, "open", "a"),
    Step(3, 0, 1, "drop", "a"),
    Step(4, 0, 0, "again", opened=2),
]


def said(step, begin, end, of=None, **more):
    columns, rows = content(*of) if of else (None, None)
    return {
        "id": step,
        "begin": begin,
        "end": end,
        "outcome": "ok",
        **({"columns": columns, "rows": rows} if of else {}),
        **more,
    }


RIGHT = [
    said(0, 0, 1),
    {
        "id": 1,
        "begin": 2,
        "end": 3,
        "outcome": "error",
        "ours": True,
        "kind": "ArgumentError",
        "text": "result: expected a name that is free, found a table 'a'. Do drop it.",
        "whole": "",
    },
    said(2, 4, 5, ("table", 101, 3)),
    said(3, 6, 7),
    said(4, 8, 9, ("table", 101, 3)),
]


def test_the_oracle_passes_what_is_right():
    assert judge(STEPS, RIGHT) == []


@pytest.mark.parametrize(
    ("number", "instead", "why"),
    [
        (1, said(1, 2, 3, figures=4), "no order"),
        (2, said(2, 4, 5, ("degree", 102, 4)), "no order"),
        (2, said(2, 4, 5, ("table", 999, 3)), "no version"),
        (2, said(2, 4, 5, ("table", 101, 2)), "not all of stamp 101"),
        (4, said(4, 8, 9, ("degree", 102, 4)), "made of stamp 101"),
        (
            4,
            {
                "id": 4,
                "begin": 8,
                "end": 9,
                "outcome": "error",
                "ours": False,
                "kind": "Py4JJavaError",
                "text": "java.lang.NullPointerException",
                "whole": "",
            },
            "none of ours",
        ),
        (
            3,
            {
                "id": 3,
                "begin": 6,
                "end": 7,
                "outcome": "error",
                "ours": True,
                "kind": "DataError",
                "text": "a: expected b, found c. Do d.",
                "whole": "",
            },
            "without a reason",
        ),
    ],
)
def test_the_oracle_sees_what_is_wrong(number, instead, why):
    results = copy.deepcopy(RIGHT)
    results[number] = instead
    assert any(why in line for line in judge(STEPS, results)), judge(STEPS, results)


@pytest.mark.parametrize(("begin", "is_right"), [(6.5, True), (7.5, False)])
def test_two_drops_at_once_may_both_have_done_it(begin, is_right):
    steps = [*STEPS, Step(5, 0, 2, "drop", "a")]
    assert (judge(steps, [*RIGHT, said(5, begin, 8)]) == []) == is_right


def test_an_order_is_found_where_there_is_one():
    one, other = Event(0, 0, 4, ABSENT, 1), Event(1, 1, 3, None, 2)
    assert explained([one, other, Event(2, 5, 6, 2, None)]) and not explained([one, other, Event(2, 5, 6, 1, None)]), (
        "the first needs the name to be free"
    )
    assert explained([Event(0, 0, 9, None, 1), Event(1, 1, 2, ABSENT, None), Event(2, 3, 4, 1, None)]), (
        "a reader within a writer's time may see either"
    )
    assert not explained([Event(0, 0, 9, None, 1), Event(1, 1, 2, 1, None), Event(2, 3, 4, ABSENT, None)]), (
        "but no later one what was before"
    )
