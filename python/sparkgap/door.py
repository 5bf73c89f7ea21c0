# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Whether a Spark session is one that calls can go to; where it is not, what its user can do about it."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

from . import environment
from .errors import ArgumentError, LaunchError, spark_errors
from .settings import PLUGIN, settings_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Set by the plugin when it starts.
_VERSION = "spark.sparkgap.version"
_entered: weakref.WeakSet[Any] = weakref.WeakSet()


def require_plugin(spark: SparkSession) -> SparkSession:
    """The session itself, if it runs and was started with sparkgap's plugin of this version. Every call of ours passes
    here.

    Raises
    ------
    ArgumentError
        It was not, it has been stopped, or it is no session at all.
    LaunchError
        Its JVM or its server does not answer.
    """
    if not all(hasattr(type(spark), name) for name in ("sql", "table", "conf", "stop")):
        raise ArgumentError.of(
            "spark",
            "a SparkSession",
            type(spark).__name__,
            "Give the one that sparkgap.session() gave, or leave spark out.",
        )
    if _stopped(spark):
        raise ArgumentError.of(
            "session",
            "a Spark session that runs",
            "one that was stopped",
            "Call sparkgap.session() and make the DataFrames again.",
        )
    if spark in _entered:
        return spark
    with spark_errors():
        found, plugins = spark.conf.get(_VERSION, None), spark.conf.get("spark.plugins", None) or ""
    if found is None and PLUGIN not in [name.strip() for name in plugins.split(",")]:
        raise ArgumentError.of(
            "session", f"a Spark session with spark.plugins={PLUGIN}", "one that was started without it", _advice(spark)
        )
    if found != environment.own_version():
        raise ArgumentError.of(
            "session",
            f"sparkgap {environment.own_version()} in Spark, as in this Python",
            found or "an older one",
            "Install the same version in both: the jar belongs to the Python package.",
        )
    _entered.add(spark)
    return spark


def answers(spark: SparkSession) -> bool:
    """Whether its JVM still answers. A server elsewhere is not asked, because Connect tries for ten minutes."""
    from pyspark import SparkContext

    if is_remote(spark) and not os.environ.get("SPARK_LOCAL_REMOTE"):
        return True
    try:
        return bool(SparkContext._gateway.jvm.System.nanoTime())
    except Exception:
        return False


def is_remote(spark: Any) -> bool:
    """Whether a session is one of Spark Connect."""
    return ".connect." in type(spark).__module__


def _stopped(spark: Any) -> bool:
    if is_remote(spark):
        return bool(spark.is_stopped)
    from pyspark import SparkContext

    return spark._sc is not SparkContext._active_spark_context


def _advice(spark: Any) -> str:
    if is_remote(spark):
        if os.environ.get("SPARK_LOCAL_REMOTE"):  # in this process
            return "Do spark.stop(), then spark = sparkgap.session(remote='local[*]')."
        return f"A client cannot add it: let the server be started by start-connect-server.sh {_options()}."
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return f"Do spark-submit {_options()} and the rest as before."
    return (
        "Do spark.stop(), then spark = sparkgap.session(); or add what sparkgap.settings_for(master) gives to the"
        " settings before Spark starts."
    )


def _options() -> str:
    """What spark-submit and its likes need."""
    try:
        settings = settings_for("")
    except LaunchError:  # a client without the jar
        return f"--jars sparkgap.jar --driver-class-path sparkgap.jar --conf spark.plugins={PLUGIN}"
    words = [f"--driver-class-path {settings['spark.driver.extraClassPath']}", f"--jars {settings['spark.jars']}"]
    return " ".join(
        [
            *words,
            *(
                f"--conf {key}={value}"
                for key, value in settings.items()
                if key == "spark.plugins" or key.startswith("spark.sparkgap.")
            ),
        ]
    )
