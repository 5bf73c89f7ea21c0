# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What everybody may have seen: rows of one version and of nothing else, and of each name a history that some order of
its steps explains.

For each name there must be an order of all steps upon it that keeps those apart that did not overlap in time, and in
which every reader finds what the last writer left, a creator and a remover what they need, and who was told that there
is no table, none. A call that failed has no part in it: it leaves nothing.
"""

import math
import re
from typing import NamedTuple

from .steps import MAKES, PUBLISHED, content

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
NONE = re.compile(r"TABLE_OR_VIEW_NOT_FOUND|expected a (table of the store|table or view|graph|stored graph)\b")
DROPPED = re.compile(r"found that it was dropped")
TAKEN = re.compile(r"expected a name that is free")
CANCELLED = re.compile(r"cancel|[Ii]nterrupt")
READS = ("read", "read_published", "open", "open_published", "feed", "walk")
ABSENT = 0


class Event(NamedTuple):
    """A step as one name sees it: between `begin` and `end` it found `needs`, and left `leaves`; None is anything, and
    nothing new. Any table is -1.
    """

    step: int
    begin: float
    end: float
    needs: int | None
    leaves: int | None


def judge(steps, results):
    """What is wrong, as lines of text; none where nothing is."""
    by_id = {step.id: step for step in steps}
    wrong, events = [], {}

    def event(register, result, needs, leaves):
        events.setdefault(register, []).append(Event(result["id"], result["begin"], result["end"], needs, leaves))

    for result in results:
        step = by_id[result["id"]]
        if result.get("skipped"):
            continue
        if result["outcome"] == "error":
            wrong += _error(step, result, by_id, results, event)
            continue
        if "rows" in result:
            stamp, why = _version(step, result, steps)
            if why:
                wrong.append(f"step {step.id}: {why}")
            elif step.verb != "again":
                event(step.register, result, stamp, None)
            elif (
                own := next((r for r in results if r["id"] == step.opened and "rows" in r), None)
            ) is not None and _version(by_id[step.opened], own, steps)[0] != stamp:
                wrong.append(
                    f"step {step.id}: read stamp {stamp} with a DataFrame that was made of stamp"
                    f" {_version(by_id[step.opened], own, steps)[0]}"
                )
        elif step.verb in ("create", "call", "build"):
            event(step.register, result, ABSENT, step.stamp)
            if result.get("figures", step.rows) != step.rows:
                wrong.append(f"step {step.id}: its own result has {result['figures']} rows")
        elif step.verb in ("overwrite", "publish_new"):
            event(step.register, result, None, step.stamp)
        elif step.verb in ("drop", "unpublish"):
            also = step.verb == "drop" and _drops_already(step, result, results, by_id)
            event(step.register, result, None if also else -1, ABSENT)
        elif step.verb == "publish":
            source = next((s for s in steps if s.verb in MAKES and s.rows == result["rows_published"]), None)
            if source is None:
                wrong.append(f"step {step.id}: published {result['rows_published']} rows, which no version has")
            else:
                event(step.register, result, source.stamp, None)
                event(step.target, result, None, source.stamp)
    for register, of_it in events.items():
        if not explained(of_it):
            wrong.append(
                f"{register}: no order of its steps explains"
                f" {[(e.step, e.needs, e.leaves) for e in sorted(of_it, key=lambda e: e.begin)]}"
            )
    return wrong


def _drops_already(step, result, results, by_id):
    """Whether another drop of the name had begun and not ended. Spark looks whether the table is there and then drops
    it, deaf to the catalog's word that there is none any more: both say that they did it.
    """
    return any(
        r["outcome"] == "ok"
        and by_id[r["id"]].verb == "drop"
        and by_id[r["id"]].register == step.register
        and (r["begin"], r["id"]) < (result["begin"], step.id)
        and r["end"] >= result["begin"]
        for r in results
        if not r.get("skipped")
    )


def _version(step, result, steps):
    """The stamp of the version whose rows these are, all of them and nothing else, or why they are none."""
    rows, columns = sorted(result["rows"]), result["columns"]
    if not rows or not isinstance(rows[0][0], int):
        return None, f"read {columns} {rows[:3]}, which is no version of any table"
    made = next((s for s in steps if s.verb in MAKES and s.stamp == rows[0][0] // 1000), None)
    if made is None:
        return None, f"read {columns} {rows[:3]}, which is no version of any table of the schedule"
    kind = "degree" if step.verb in ("feed", "walk") else made.kind
    right_columns, right = content(kind, made.stamp, made.rows)
    if (
        columns != right_columns
        or len(rows) != len(right)
        or not all(_same(a, b) for a, b in zip(rows, right, strict=True))
    ):
        return (
            None,
            (
                f"read {columns} {rows[:4]} ({len(rows)} rows), which is not all of stamp {made.stamp} ({kind},"
                f" {len(right)} rows), or something else too"
            ),
        )
    return made.stamp, ""


def _same(found, right):
    return len(found) == len(right) and all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-6))
        for a, b in zip(found, right, strict=True)
    )


def _error(step, result, by_id, results, event):
    """What is wrong with an error: it must be one of ours and clear, or Spark's own for a table that is not there or a
    job that was cancelled, and have a reason.
    """
    text, said = result["text"], f"step {step.id}: {result['kind']}: {result['text'][:600]}"
    ends = {r["id"]: r for r in results}

    def overlapping(verbs, register):
        """Steps of these verbs upon the name during this one, or since its DataFrame was made."""
        begin = ends[step.opened]["begin"] if step.verb == "again" else result["begin"]
        found = (
            by_id[r["id"]] for r in results if r["begin"] <= result["end"] and r["end"] >= begin and r["id"] != step.id
        )
        return [s for s in found if s.verb in verbs and register in (s.register, s.target)]

    cancels = [
        r
        for r in results
        if by_id[r["id"]].verb == "cancel"
        and by_id[r["id"]].victim == step.thread
        and by_id[r["id"]].application == step.application
    ]
    if CANCELLED.search(result["whole"]) and any(
        r["begin"] <= result["end"] and r["end"] >= result["begin"] for r in cancels
    ):
        return []
    of = by_id[step.opened].register if step.verb == "again" else step.register
    # An edition outlives the next one by a minute.
    changed = overlapping(("unpublish",) if of in PUBLISHED else ("drop", "overwrite"), of)
    if "INCOMPATIBLE_COLUMN_CHANGES" in text and changed:
        return []  # Spark's own word for a table that was written over behind a view
    if NONE.search(text):
        if step.verb not in ("again", "walk"):  # a table of another kind is no graph either
            event(step.register, result, ABSENT, None)
        return (
            [f"no table any more for a DataFrame that was made before, {said}"]
            if step.verb == "again" and not changed
            else []
        )
    if not result["ours"] or not FORM.fullmatch(text):
        return [f"an error that is none of ours, {said}\n{result['whole']}"]
    makers = ("create", "call", "build", "overwrite")
    if TAKEN.search(text) and step.verb in ("create", "call", "build"):
        if not overlapping(makers, step.register):
            event(step.register, result, -1, None)
        return []
    if step.verb in ("call", "build") and DROPPED.search(text) and overlapping(("drop",), step.register):
        event(step.register, result, ABSENT, step.stamp)  # it was there before its caller could look at it
        return []
    if step.verb in makers and overlapping(makers, step.register):
        return []
    if step.verb in ("feed", "walk") and re.search(r"expected (a column|columns)|column", text):
        return []
    if step.verb in (*READS, "again", "publish", "drop", "unpublish") and changed:
        return []
    return [f"an error without a reason, {said}"]


def explained(events):
    """Whether some order of the events explains them all."""
    events = sorted(events, key=lambda e: e.begin)
    seen = set()

    def go(left, state):
        if not left:
            return True
        if (left, state) in seen:
            return False
        seen.add((left, state))
        first_end = min(events[i].end for i in left)
        for i in left:
            e = events[i]
            # Nothing that had ended before this began may come after it.
            if e.begin > first_end:
                continue
            fits = e.needs is None or e.needs == state or (e.needs == -1 and state != ABSENT)
            if fits and go(left - {i}, state if e.leaves is None else e.leaves):
                return True
        return False

    return go(frozenset(range(len(events))), ABSENT)
