# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The words of spark-submit: which of them are settings that sparkgap adds to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import environment
from .errors import ArgumentError

# Settings that are lists, which get one more entry.
LISTS = ("spark.jars", "spark.driver.extraClassPath", "spark.plugins")
# Options that are settings, and those without a value.
SETTINGS = {
    "--master": "spark.master",
    "--deploy-mode": "spark.submit.deployMode",
    "--jars": "spark.jars",
    "--driver-class-path": "spark.driver.extraClassPath",
    "--driver-memory": "spark.driver.memory",
    "--driver-java-options": "spark.driver.extraJavaOptions",
}
FLAGS = {"--debug", "-h", "--help", "-v", "--verbose", "--version", "--supervise", "--usage-error"}


@dataclass
class SubmitOptions:
    """What stands before the job, without the lists; all settings that matter here, the lists too; and the job with
    what stands behind it.
    """

    words: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    job: list[str] = field(default_factory=list)


def parse(words: Sequence[str], *, surface: str) -> SubmitOptions:
    """The options of spark-submit; those of a file of settings, or of spark-defaults.conf, are among the settings.

    Raises
    ------
    ArgumentError
        An option has no value.

    Examples
    --------
    >>> found = parse(["--jars", "a.jar", "-v", "--conf", "k=v", "app.py", "x"], surface="spark-submit")
    >>> found.words, found.settings, found.job
    (['-v', '--conf', 'k=v'], {'spark.jars': 'a.jar', 'k': 'v'}, ['app.py', 'x'])
    """
    found, file = SubmitOptions(job=list(words)), None
    while found.job and found.job[0].startswith("-"):
        name, equals, value = found.job.pop(0).partition("=")
        if name in FLAGS and not equals:
            found.words.append(name)
            continue
        if not equals:
            if not found.job:
                raise ArgumentError.of(surface, f"a value behind {name}", "none", "Add it.")
            value = found.job.pop(0)
        key, said = SETTINGS.get(name), value
        if name in ("--conf", "-c"):
            key, _, said = value.partition("=")
        if key is not None:
            found.settings[key] = said
        if key not in LISTS:
            found.words += [name, value]
        if name == "--properties-file":
            file = value
    for key in ("spark.master", "spark.submit.deployMode", *LISTS):
        if key not in found.settings and (said := environment.spark_default(key, file)):
            found.settings[key] = said
    return found
