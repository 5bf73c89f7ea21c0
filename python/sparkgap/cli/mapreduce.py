# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap mapreduce`: an unchanged job of Hadoop MapReduce, on Spark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from .. import environment, spec
from ..errors import ArgumentError, LaunchError
from ..profile.command import spark_home
from . import client_classes
from .spark import parse_conf

RUN_JAR = "org.apache.hadoop.util.RunJar"
FORCE = "-Dsparkgap.mapreduce.force=true"
_OPTIONS = "spark.driver.extraJavaOptions"
# A client starts often and does little; its words are Hadoop's, shown as Spark shows them.
_CLIENT = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dlog4j2.configurationFile=org/apache/spark/log4j2-defaults.properties",
]
_CLASS_PATH = "spark.driver.extraClassPath"


def command(jar: Path, words: list[str], master: str | None, settings: dict[str, str]) -> list[str]:
    """The `spark-submit` that runs a job's jar as `hadoop jar` does.

    sparkgap's jar is what is submitted, so that executors have it; its driver has it on the class path of the system
    too, which Hadoop's clients search. Jobs set no framework of their own, so every one is taken.

    Raises
    ------
    ArgumentError
        There is no such jar.
    LaunchError
        There is no Spark.
    """
    _check(jar)
    home = _home()
    own = str(spec.JAR)
    confs = {
        **settings,
        _OPTIONS: " ".join(filter(None, [settings.get(_OPTIONS), FORCE])),
        _CLASS_PATH: os.pathsep.join(filter(None, [own, settings.get(_CLASS_PATH)])),
    }
    where = ["--master", master] if master else []
    options = [word for key, value in confs.items() for word in ("--conf", f"{key}={value}")]
    return [str(home / "bin" / "spark-submit"), *where, *options, "--class", RUN_JAR, own, str(jar), *words]


def shared_command(
    session: str, idle: str | None, jar: Path, words: list[str], master: str | None, settings: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The client that brings a job's jar to the session of that name, and the environment that it needs.

    Spark is the session's matter, so this is a plain JVM with Hadoop's classes.

    Raises
    ------
    ArgumentError
        There is no such jar.
    LaunchError
        There is no Spark, or no Java.
    """
    _check(jar)
    home = _home()
    found = {**settings, **({"spark.master": master} if master else {}), "sparkgap.mapreduce.session": session}
    if idle:
        found["sparkgap.mapreduce.session.idle"] = idle
    java, jars = environment.java(), os.pathsep.join([str(spec.JAR), str(home / "jars" / "*")])
    # Folders last, as Spark has them: Java's archive is of the jars before them.
    path = os.pathsep.join(filter(None, [jars, os.environ.get("HADOOP_CONF_DIR")]))
    options = [*client_classes.options(session, java, jars), *(f"-D{key}={value}" for key, value in found.items())]
    words = [java, *_CLIENT, FORCE, *options, "-cp", path, RUN_JAR, str(jar), *words]
    return words, {**os.environ, "SPARK_HOME": str(home)}


def _check(jar: Path) -> None:
    if not jar.is_file():
        raise ArgumentError.of("mapreduce", "the jar of a job", f"no file {jar}", "Check its name.")


def _home() -> Path:
    home = spark_home(["spark-submit"])
    if home is None:
        raise LaunchError.of("mapreduce", "Spark", "none", environment.INSTALL_PYSPARK)
    return home


def mapreduce(
    jar: Annotated[Path, typer.Argument(metavar="JAR", help="The job's jar, as for `hadoop jar`.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CLASS] [WORD]...", help="Its main class, if it names none; its words."),
    ] = None,
    master: Annotated[str | None, typer.Option(metavar="URL", help="Spark's master; by default this host.")] = None,
    conf: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting of Spark.")] = None,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="Run it in a session that later calls share; started if none is.")
    ] = None,
    idle: Annotated[
        str | None, typer.Option(metavar="TIME", help="When an idle session ends: 30s, 5m. By default 10m.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
) -> int:
    """Run an unchanged Hadoop MapReduce job on Spark, as `hadoop jar` would; ends as it does."""
    settings = parse_conf(conf or [])
    if session is None and idle is not None:
        raise ArgumentError.of("--idle", "--session beside it", "none", "Give the session a name.")
    if session is None:
        submit = command(jar, words or [], master, settings)
        os.execv(submit[0], submit)
    client, variables = shared_command(session, idle, jar, words or [], master, settings)
    os.execve(client[0], client, variables)
