# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The user's own application as a workload: its command, with no more changed than the levels of a run say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import environment
from ..errors import ArgumentError
from ..profile import command as commands
from ..settings import settings_for
from ..submit_options import FLAGS, SETTINGS
from .host import Host
from .start import Start

NAME = "own"
_JAVA, _MASTER, _HEAP = "spark.driver.extraJavaOptions", "spark.master", "spark.driver.memory"
_LOCAL = re.compile(r"local(\[[^\]]*\])?")
# Of settings_for, what an application chooses for itself.
_ITS_OWN = ("spark.app.name", "spark.log.level", "spark.ui.showConsoleProgress", _MASTER)


@dataclass(frozen=True)
class OwnApplication:
    """`settings` are those that its command names, or the defaults of its Spark."""

    words: tuple[str, ...]
    settings: Mapping[str, str]

    @classmethod
    def of(cls, command: str | Sequence[str], where: str) -> OwnApplication:
        """That of a command.

        Raises
        ------
        ArgumentError
            There is no such program, or its Spark is not all on this machine.
        """
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not words:
            raise ArgumentError.of(where, "a command", "none", "Name what to run, such as spark-submit app.py.")
        commands.with_settings(words, {})
        settings = commands.options(words)
        master = settings.get(_MASTER) or "local[*]"
        if _LOCAL.fullmatch(master) is None:
            expected, do = "an application of this machine alone", "Give it --master local[*]."
            raise ArgumentError.of(where, expected, f"--master {master}", do)
        return cls(tuple(words), settings)

    def setting(self, key: str, default: str) -> str:
        """What it has, as far as its command or the defaults of its Spark say."""
        return self.settings.get(key) or environment.spark_default(key) or default

    def started(self, levels: Mapping[str, Any], start: Start, host: Host) -> tuple[list[str], dict[str, str]]:
        """The words and the settings of a run with these levels."""
        words, settings = list(self.words), {**start.settings}
        if len(start.cpus) < len(host.cpus) or start.instances > 1:
            settings[_MASTER] = start.master()
        if "heap" in levels or "heap_share" in levels:
            settings[_HEAP] = f"{start.heap_of_instance() >> 20}m"
        if start.java:
            settings[_JAVA] = " ".join(filter(None, [self.setting(_JAVA, ""), *start.java]))
        if start.has_sparkgap:
            ours = settings_for(start.master(), conf={**self.settings, **settings})
            settings = {**{key: value for key, value in ours.items() if key not in _ITS_OWN}, **settings}
        return without(words, settings), settings


def without(words: list[str], settings: Mapping[str, str]) -> list[str]:
    """A command of Spark's without the options that would win over these settings.

    Examples
    --------
    >>> without(["spark-submit", "--master", "local[4]", "app.py", "--master", "its own"], {"spark.master": "local[2]"})
    ['spark-submit', 'app.py', '--master', 'its own']
    """
    at = commands.submitter(words) or 1
    found, left = words[:at], words[at:]
    while left and left[0].startswith("-"):
        name, equals, _ = left[0].partition("=")
        n = 1 if equals or name in FLAGS else 2
        if SETTINGS.get(name) not in settings:
            found += left[:n]
        left = left[n:]
    return found + left
