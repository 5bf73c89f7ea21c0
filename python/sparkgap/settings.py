# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The settings that a Spark application needs for sparkgap."""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import environment, spec
from .errors import LaunchError

PLUGIN = "org.sparkgap.spark.SparkGapPlugin"


def settings_for(
    master: str, *, app_name: str = "sparkgap", conf: Mapping[str, object] | None = None
) -> dict[str, str]:
    """The settings that a Spark application needs for sparkgap, also for a spark-submit of one's own.

    Examples
    --------
    >>> settings_for("local[2]")["spark.plugins"]
    'org.sparkgap.spark.SparkGapPlugin'
    """
    if not spec.JAR.is_file():
        raise LaunchError.of(
            "sparkgap", f"its jar at {spec.JAR}", "none", "Run 'make' in the source tree or install the wheel again."
        )
    given = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in (conf or {}).items()}
    settings = {
        "spark.master": master,
        "spark.app.name": app_name,
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
        "spark.sparkgap.launch.kernelDir": str(spec.NATIVE.resolve()),
    }
    mpiexec = environment.mpiexec()
    if mpiexec is not None:
        settings["spark.sparkgap.launch.mpiexec"] = mpiexec
    settings.update(given)
    for key in ("spark.driver.extraClassPath", "spark.jars", "spark.plugins"):
        if key not in settings and (said := environment.spark_default(key)):
            settings[key] = said  # which a setting of the session would replace
    # The driver's class path is fixed when its JVM starts; executors on other hosts fetch the jars. A source tree has
    # that of the peers too (bench/peers).
    for jar in sorted(spec.JAR.resolve().parent.glob("*.jar"), reverse=True):
        extend(settings, "spark.driver.extraClassPath", str(jar), os.pathsep)
        if not (master == "local" or master.startswith("local[")):  # local-cluster has executors of its own
            extend(settings, "spark.jars", str(jar), ",")
    extend(settings, "spark.plugins", PLUGIN, ",")
    return settings


def extend(settings: dict[str, str], key: str, value: str, separator: str) -> None:
    """Add a value to a setting that is a list, where it is not there yet."""
    parts = [p for p in settings.get(key, "").split(separator) if p]
    settings[key] = separator.join(parts if value in parts else [*parts, value])
