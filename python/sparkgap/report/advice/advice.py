# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One piece of advice, and the settings of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

LEAST_GAIN = 0.03  # of the wall time: less is not worth a change
FIRST_LINE = "# Written by sparkgap report. Try it: the gains are upper bounds, not promises."


class Expected(NamedTuple):
    """Seconds that a change is expected to gain, and between which values, by a model of costs."""

    gain_s: float
    least_s: float
    most_s: float


@dataclass(frozen=True)
class Advice:
    """What to change and why.

    `gain_s` is what the wall time can shrink by at most, None where only money is saved. `unsure` says what the figure
    rests on. `settings` are Spark's, which do it, where a setting can; `stages` are those that it is about; `expected`
    is there where a model says more than what is possible at most.
    """

    rule: str
    title: str
    evidence: str
    gain_s: float | None
    unsure: str
    action: str
    settings: Mapping[str, str] = field(default_factory=dict)
    stages: tuple[int, ...] = ()
    expected: Expected | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "title": self.title,
            "evidence": self.evidence,
            "gain_at_most_s": self.gain_s,
            "unsure": self.unsure,
            "action": self.action,
            "settings": dict(self.settings),
            "stages": list(self.stages),
            "expected": None if self.expected is None else self.expected._asdict(),
        }


def properties(found: list[Advice]) -> str:
    """The settings as a file for `spark-submit --properties-file`, each with its reason. Leave a line out to take it
    back. Where two pieces of advice name one setting, the one with the larger gain counts.
    """
    lines, seen = [FIRST_LINE], set()
    for advice in found:
        own = {key: value for key, value in advice.settings.items() if key not in seen}
        for key, value in own.items():
            reason = " ".join(f"{advice.title}: {advice.evidence}".split())
            lines += ["", f"# {reason}", f"{key} {value}"]
            seen.add(key)
    if not seen:
        lines += ["", "# No setting is advised."]
    return "\n".join([*lines, ""])
