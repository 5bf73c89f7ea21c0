# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A SparkSession that has sparkgap in it."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import environment, spec
from .errors import ArgumentError, LaunchError, translate

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLUGIN = "org.sparkgap.spark.SparkGapPlugin"
_CONNECT_VARIABLES = ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_CONNECT_PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"


def session(
    master: str | None = None,
    *,
    remote: str | None = None,
    app_name: str = "sparkgap",
    conf: Mapping[str, object] | None = None,
) -> SparkSession:
    """A SparkSession with sparkgap's jar, plugin, kernels and MPI set up.

    Parameters
    ----------
    master : str, optional
        Spark's master URL, default `local[*]`. Not together with `remote`, which SPARK_REMOTE may give.
    remote : str, optional
        Spark Connect: `local[N]` starts a server in this process, `sc://host:port` uses one that runs with the plugin.
    app_name : str
        The application's name.
    conf : mapping, optional
        More settings; they win over ours.

    Returns
    -------
    pyspark.sql.SparkSession
        A new session, or the active one where that has the plugin already.

    Raises
    ------
    ArgumentError
        `master` and `remote` exclude each other, or the active session was started without the plugin.
    LaunchError
        Java 17 to 25, pyspark 4.x or the jar is missing, or Spark does not start.

    Notes
    -----
    Only Spark's messages of level ERROR are printed; set `spark.log.level` in `conf` for more.

    Examples
    --------
    >>> spark = session("local[2]")
    >>> spark.range(3).count()
    3
    """
    if master is not None and remote is not None:
        raise ArgumentError.of("session", "either master or remote", "both", "Leave one of them out.")
    environment.pyspark_version()
    found = running()
    if found is not None:
        return require_plugin(found)
    if master is None and remote is None:
        remote = os.environ.get("SPARK_REMOTE")
    if remote is not None and not remote.startswith("local"):
        return _connect(remote, app_name, conf)
    environment.java_version()
    settings = settings_for(master or "local[*]", app_name=app_name, conf=conf)
    try:
        return _start_connect(remote, settings) if remote is not None else _start_classic(settings)
    except Exception as e:
        raise _start_error(e) from None


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
    # The driver's class path is fixed when its JVM starts; executors on other hosts fetch the jar.
    _extend(settings, "spark.driver.extraClassPath", str(spec.JAR.resolve()), os.pathsep)
    if not (master == "local" or master.startswith("local[")):  # local-cluster has executors of its own
        _extend(settings, "spark.jars", str(spec.JAR.resolve()), ",")
    _extend(settings, "spark.plugins", PLUGIN, ",")
    return settings


def require_plugin(spark: SparkSession) -> SparkSession:
    """The session itself, if it was started with sparkgap's plugin.

    Raises
    ------
    ArgumentError
        It was not.
    """
    try:
        plugins = spark.conf.get("spark.plugins", "") or ""
    except Exception:
        plugins = ""
    if PLUGIN in plugins.split(","):
        return spark
    raise ArgumentError.of(
        "session", f"a Spark session with spark.plugins={PLUGIN}", "one that was started without it",
        "Stop it first, or start it by sparkgap.session().",
    )  # fmt: skip


def active() -> SparkSession:
    """The active session.

    Raises
    ------
    ArgumentError
        There is none.
    """
    spark = running()
    if spark is None:
        raise ArgumentError.of("spark", "a Spark session", "none", "Call sparkgap.session() first or give spark=.")
    return spark


def running() -> SparkSession | None:
    """The active session, classic or Connect, with or without the plugin; None where there is none."""
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if not is_remote():
        # Spark keeps the active one by thread of its own, and PySpark gives a thread a new one of those after a Ctrl-C.
        return SparkSession.getActiveSession() or SparkSession._instantiatedSession
    try:
        from pyspark.sql.connect.session import SparkSession as RemoteSession
    except ImportError:
        return None
    return RemoteSession.getActiveSession()


def _start_classic(settings: Mapping[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    # Left by a parent process that uses Connect; with them the builder would refuse to start anything here.
    for name in _CONNECT_VARIABLES:
        os.environ.pop(name, None)
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _start_connect(remote: str, settings: dict[str, str]) -> SparkSession:
    """A Connect server in this process and a client of it.

    `builder.remote("local[N]")` replaces spark.plugins by Spark's Connect plugin alone, which would leave ours out; so the
    server's session is started here, on a free port, and the client is told where it is. `stop()` ends both, as it does there.
    """
    try:
        from pyspark.sql.connect.session import SparkSession as RemoteSession
    except ImportError as e:
        raise LaunchError.of(
            "pyspark", "the packages of Spark Connect", str(e), "Run: pip install 'pyspark[connect]'."
        ) from None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.environ.setdefault("SPARK_CONNECT_AUTHENTICATE_TOKEN", str(uuid.uuid4()))
    server = {
        **settings,
        "spark.master": remote,
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": "localhost",
        "spark.sql.artifact.isolation.enabled": "true",
        "spark.sql.artifact.isolation.alwaysApplyClassloader": "true",
    }
    _extend(server, "spark.plugins", _CONNECT_PLUGIN, ",")
    _start_classic(server)
    os.environ["SPARK_LOCAL_REMOTE"] = "1"
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    return RemoteSession.builder.remote(f"sc://localhost:{port}").getOrCreate()


def _connect(remote: str, app_name: str, conf: Mapping[str, object] | None) -> SparkSession:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote).appName(app_name)
    for key, value in (conf or {}).items():
        builder = builder.config(key, str(value))
    spark: SparkSession = builder.getOrCreate()
    try:
        return require_plugin(spark)
    except ArgumentError:
        spark.stop()
        raise


def _extend(settings: dict[str, str], key: str, value: str, separator: str) -> None:
    parts = [p for p in settings.get(key, "").split(separator) if p]
    settings[key] = separator.join(parts if value in parts else [*parts, value])


def _start_error(error: Exception) -> Exception:
    ours = translate(error)
    if ours is not None:
        return ours
    text = str(error)
    if isinstance(error, (ArgumentError, LaunchError)):
        return error
    if PLUGIN in text and ("ClassNotFound" in text or "NoClassDefFound" in text):
        return ArgumentError.of(
            "session", "a Python process whose JVM knows sparkgap", "a JVM that was started before without it",
            "Restart Python and call sparkgap.session() first.",
        )  # fmt: skip
    lines = [line.strip(" :") for line in text.splitlines() if line.strip() and not line.startswith("An error occurred while")]
    first = lines[0] if lines else type(error).__name__
    return LaunchError.of(
        "spark", "Spark to start", first.rstrip("."), "See its messages above, or run 'sparkgap doctor'."
    )
