# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkgap import errors

MESSAGE = "edges.src: expected no nulls, found 2. Do drop them."


def mark(code, text=MESSAGE, **keys):
    return f"[SPARKGAP {json.dumps({'code': code, **keys})}] {text}"


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        (2, errors.ArgumentError),
        (3, errors.DataError),
        (4, errors.ResourceError),
        (5, errors.LaunchError),
        (70, errors.InternalError),
        (71, errors.InternalError),
    ],
)
def test_code_becomes_class(code, cls):
    found = errors.parse(f"o1.sql: org.x.Exception: {mark(code)}\n\tat org.apache.Foo")
    assert type(found) is cls
    assert str(found) == MESSAGE
    assert isinstance(found, errors.SparkGapError)


def test_launch_error_carries_rank_host_signal_and_log():
    text = (
        mark(5, rank=1, host="n1", signal=9, logs="/x/7-logs")
        + "\nline one\n  line two\n\tat org.apache.Foo\nCaused by: x"
    )
    found = errors.parse(text)
    assert (found.rank, found.host, found.signal, found.logs) == (1, "n1", 9, "/x/7-logs")
    assert found.log == "line one\n  line two"
    assert str(found) == f"{MESSAGE}\nline one\n  line two"


@pytest.mark.parametrize(
    "end", ["\n\nJVM stacktrace:\norg.x", "\n\tat a.b(C.java:1)", "\nCaused by: java.io", "\n\t... 12 more"]
)
def test_what_spark_adds_is_cut(end):
    assert errors.parse(mark(5) + "\nlast words" + end).log == "last words"


def test_text_without_the_mark_is_not_ours():
    assert errors.parse("[TABLE_OR_VIEW_NOT_FOUND] no") is None
    assert errors.translate(ValueError("no")) is None


def test_cause_is_searched():
    try:
        try:
            raise ValueError(mark(3))
        except ValueError as inner:
            raise RuntimeError("outer") from inner
    except RuntimeError as outer:
        assert isinstance(errors.translate(outer), errors.DataError)


def test_broken_json_is_a_bug_not_a_crash():
    assert errors.parse("[SPARKGAP {nope}] x").code == 70


@given(st.text(alphabet=st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp"))))
def test_any_message_on_one_line_survives(text):
    found = errors.parse(mark(3, "edges: " + text))
    assert str(found) == ("edges: " + text).strip()


@given(st.text(), st.text())
def test_errors_of_ours_are_always_one_line(where, found):
    assert "\n" not in str(errors.ArgumentError.of(where, "x", found, "Do y."))


@pytest.mark.parametrize(
    ("advice", "python", "cli"),
    [
        ("Do pass src => 'name'.", "Do pass src='name'.", "Do pass --src name."),
        (
            "Pass header => true if they are names, header => false if not.",
            "Pass header=True if they are names, header=False if not.",
            "Pass --header if they are names, --no-header if not.",
        ),
        (
            "Pass types => zip=string to keep it.",
            "Pass types=['zip=string'] to keep it.",
            "Pass --types zip=string to keep it.",
        ),
        ("Pass delimiter => ';' or another.", "Pass delimiter=';' or another.", "Pass --delimiter ';' or another."),
        ("Pass delimiter => 'tab'.", "Pass delimiter='tab'.", "Pass --delimiter tab."),
        (
            "Do raise timeout_s or spark.sparkgap.launch.timeout.",
            None,
            "Do raise --timeout or --conf spark.sparkgap.launch.timeout.",
        ),
        (
            "Do free some space or choose another spark.sparkgap.store.dir.",
            None,
            "Do free some space or choose another --store.",
        ),
        ("Add --conf spark.driver.memory=4g.", None, "Add --conf spark.driver.memory=4g."),
    ],
)
def test_advice_is_in_the_words_of_the_surface(advice, python, cli):
    text = f'x: [SPARKGAP {{"code":3}}] where => 1: expected a => 2, found b => 3. {advice}'
    error = errors.translate(RuntimeError(text))
    said = "where => 1: expected a => 2, found b => 3. "
    assert str(error) == said + (python or advice)
    before = errors.surface.set("cli")
    try:
        assert str(error) == said + cli
    finally:
        errors.surface.reset(before)
    log = errors.LaunchError("rank 0: expected exit 0, found exit 1. Do look.", log="x => 1 spark.a.b timeout_s")
    assert str(log).endswith("\nx => 1 spark.a.b timeout_s")
