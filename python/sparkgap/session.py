# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A SparkSession that has sparkgap in it."""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import environment
from .door import answers, is_remote, require_plugin
from .errors import ArgumentError, LaunchError, spark_errors, translate
from .settings import PLUGIN, extend, settings_for
from .submit_options import LISTS, SubmitOptions, parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SUBMIT_ARGS, _GATEWAY = "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT"
_CONNECT_VARIABLES = ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
_END_S = 30
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
    if found is not None and answers(found):
        return require_plugin(found)
    if found is not None:
        _bury(found)
    if master is None and remote is None:
        remote = os.environ.get("SPARK_REMOTE")
    if remote is not None and not remote.startswith("local"):
        return _connect(remote, app_name, conf)
    environment.java_version()
    submitted = _submitted()
    given = {key: submitted.settings[key] for key in LISTS if submitted.settings.get(key)}
    settings = settings_for(master or "local[*]", app_name=app_name, conf={**given, **(conf or {})})
    _say_lists(submitted, settings)
    try:
        return _start_connect(remote, settings) if remote is not None else _start_classic(settings)
    except Exception as e:
        raise _start_error(e) from None


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add what sparkgap needs to a builder, for those who make their own session.

    Parameters
    ----------
    builder : pyspark.sql.SparkSession.Builder
        With the master and the settings that the session is to have: they win over ours, and lists such as
        spark.plugins get ours as one more entry. Without a master: that of PYSPARK_SUBMIT_ARGS, or of
        spark-defaults.conf, else `local[*]`.

    Returns
    -------
    pyspark.sql.SparkSession.Builder
        The same builder.

    Raises
    ------
    ArgumentError
        It is a builder of Spark Connect, or a session runs already that was started without the plugin.
    LaunchError
        Java 17 to 25, pyspark 4.x or the jar is missing.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> spark = configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    options = {str(k): str(v) for k, v in getattr(builder, "_options", {}).items()}
    if "spark.remote" in options:
        raise ArgumentError.of(
            "configure",
            "a builder of a session of this process",
            f"one of Spark Connect to {options['spark.remote']}",
            f"Start that server with spark.plugins={PLUGIN}, and take sparkgap.session(remote=...) here.",
        )
    environment.pyspark_version()
    found = running()
    if found is not None and answers(found):
        require_plugin(found)
        return builder
    if found is not None:
        _bury(found)
    settings = beside(options)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def beside(given: Mapping[str, str]) -> dict[str, str]:
    """What a classic session of these settings needs for sparkgap, with the settings themselves.

    Raises
    ------
    ArgumentError
        The session's JVM runs already and does not know sparkgap.
    LaunchError
        Java 17 to 25 or the jar is missing.
    """
    environment.java_version()
    submitted = _submitted()
    given = {**submitted.settings, **given}
    settings = settings_for(given.get("spark.master") or "local[*]", conf=given)
    for name in ("spark.app.name", "spark.log.level", "spark.ui.showConsoleProgress"):
        if name not in given:
            del settings[name]  # what sessions of ours choose for themselves
    _leave_old_jvm()
    if _GATEWAY in os.environ:
        _require_class()
    _say_lists(submitted, settings)
    return settings


def _submitted() -> SubmitOptions:
    """With what this application was submitted: its lists, of which a session's settings would leave nothing."""
    if _GATEWAY in os.environ:
        from pyspark import SparkContext

        SparkContext._ensure_initialized()
        conf = SparkContext._gateway.jvm.org.apache.spark.SparkConf()
        return SubmitOptions(settings={key: conf.get(key, "") for key in LISTS})
    return parse(shlex.split(os.environ.get(_SUBMIT_ARGS, "")), surface=_SUBMIT_ARGS)


def _say_lists(submitted: SubmitOptions, settings: Mapping[str, str]) -> None:
    """Put a session's lists among the options of the JVM to come: these win over settings where it starts."""
    if submitted.job:
        lists = [word for key in LISTS if settings.get(key) for word in ("--conf", f"{key}={settings[key]}")]
        os.environ[_SUBMIT_ARGS] = shlex.join([*submitted.words, *lists, *submitted.job])


def active() -> SparkSession:
    """The active session.

    Raises
    ------
    ArgumentError
        There is none.
    """
    spark = running()
    if spark is None:
        raise ArgumentError.of("spark", "a Spark session", "none", "Do spark = sparkgap.session() first.")
    return spark


def running() -> SparkSession | None:
    """The active session, classic or Connect, with or without the plugin; None where there is none."""
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if not is_remote():
        # Spark keeps the active one by thread of its own, and PySpark gives a thread a new one of those after a Ctrl-C.
        try:
            return SparkSession.getActiveSession() or SparkSession._instantiatedSession
        except Exception:  # its JVM has ended, which who uses it is told of
            return SparkSession._instantiatedSession
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
    _leave_old_jvm()
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _bury(spark: SparkSession) -> None:
    """Make PySpark forget a session whose JVM or server has ended, so that it can start another."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession as Classic

    if is_remote(spark):
        with contextlib.suppress(Exception):
            spark.stop()
    if not is_remote(spark) or os.environ.get("SPARK_LOCAL_REMOTE"):
        SparkContext._active_spark_context = None
        Classic._instantiatedSession = None


def _leave_old_jvm() -> None:
    """Leave a JVM that has ended, or that of a stopped session without our jar: its class path is fixed, and PySpark
    would start the next session in it.
    """
    from py4j.java_gateway import JavaPackage
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway
    if gateway is None or _GATEWAY in os.environ:
        return
    try:
        gateway.jvm.System.nanoTime()
    except Exception:  # it has ended by itself, and PySpark does not know
        SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
    else:
        if SparkContext._active_spark_context is not None or not isinstance(
            gateway.jvm.org.sparkgap.spark.SparkGapPlugin, JavaPackage
        ):
            return
    with contextlib.suppress(Exception):
        gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        with contextlib.suppress(Exception):
            process.stdin.close()  # its end is the JVM's
            process.wait(_END_S)
    for name in ("_gateway", "_jvm"):
        setattr(SparkContext, name, None)


def _require_class() -> None:
    """Refuse a JVM of spark-submit without our jar: its class path is fixed."""
    from py4j.java_gateway import JavaPackage
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    if isinstance(SparkContext._gateway.jvm.org.sparkgap.spark.SparkGapPlugin, JavaPackage):
        raise ArgumentError.of(
            "session", "a JVM that knows sparkgap", "one of spark-submit without it", "Do sparkgap-submit instead."
        )


def _start_connect(remote: str, settings: dict[str, str]) -> SparkSession:
    """A Connect server in this process and a client of it.

    `builder.remote("local[N]")` replaces spark.plugins by Spark's Connect plugin alone, which would leave ours out; so
    the server's session is started here, on a free port, and the client is told where it is. `stop()` ends both, as it
    does there.
    """
    from pyspark import SparkContext

    try:
        from pyspark.sql.connect.session import SparkSession as RemoteSession
    except ImportError as e:
        raise LaunchError.of("pyspark", "the packages of Spark Connect", str(e), environment.INSTALL_CONNECT) from None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _leave_old_jvm()
    os.environ.setdefault("SPARK_CONNECT_AUTHENTICATE_TOKEN", str(uuid.uuid4()))
    server = {
        **settings,
        "spark.master": remote,
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": "localhost",
        "spark.sql.artifact.isolation.enabled": "true",
        "spark.sql.artifact.isolation.alwaysApplyClassloader": "true",
    }
    server.setdefault(
        "spark.sparkgap.launch.programs", "allow"
    )  # nobody else's: it asks for a token, and ends with this process
    if SparkContext._gateway is not None:
        # This JVM was started before there was a token, which it would look for in its environment. A new one gets no
        # such setting: its command line is everybody's to read.
        server["spark.connect.authenticate.token"] = os.environ["SPARK_CONNECT_AUTHENTICATE_TOKEN"]
    extend(server, "spark.plugins", _CONNECT_PLUGIN, ",")
    _start_classic(server)
    os.environ["SPARK_LOCAL_REMOTE"] = "1"
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    return RemoteSession.builder.remote(f"sc://localhost:{port}").getOrCreate()


def _connect(remote: str, app_name: str, conf: Mapping[str, object] | None) -> SparkSession:
    from pyspark.sql import SparkSession

    try:
        builder = SparkSession.builder.remote(remote).appName(app_name)
        for key, value in (conf or {}).items():
            builder = builder.config(key, str(value))
        with spark_errors():
            spark: SparkSession = builder.getOrCreate()
    except ImportError as e:
        raise LaunchError.of("pyspark", "the packages of Spark Connect", str(e), environment.INSTALL_CONNECT) from None
    try:
        return require_plugin(spark)
    except ArgumentError:
        spark.stop()
        raise


def _start_error(error: Exception) -> Exception:
    ours = translate(error)
    if ours is not None:
        return ours
    text = str(error)
    if isinstance(error, (ArgumentError, LaunchError)):
        return error
    if PLUGIN in text and ("ClassNotFound" in text or "NoClassDefFound" in text):
        return ArgumentError.of(
            "session",
            "a Python process whose JVM knows sparkgap",
            "a JVM that was started before without it",
            "Restart Python and call sparkgap.session() first.",
        )
    lines = [
        line.strip(" :")
        for line in text.splitlines()
        if line.strip() and not line.startswith("An error occurred while")
    ]
    first = lines[0] if lines else type(error).__name__
    return LaunchError.of(
        "spark", "Spark to start", first.rstrip("."), "See its messages above, or run 'sparkgap doctor'."
    )
