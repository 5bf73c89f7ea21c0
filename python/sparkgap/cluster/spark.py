# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark's own master and workers: their commands, their environment, and what they say."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import environment
from ..errors import LaunchError
from ..profile.command import spark_home
from .folder import Folder

_MASTER = re.compile(r"Starting Spark master at (spark://\S+:\d+)")
_WEB = re.compile(r"Bound MasterWebUI to \S+, and started at http://\S+?:(\d+)")
_DAEMON_MEMORY = "512m"
# A master and a worker do little, and share processors with what does much.
_DAEMON_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
_LOOPBACK = "127.0.0.1"


def environ(folder: Folder) -> dict[str, str]:
    """Of all of Spark's processes. Pages are for this host alone, as nothing asks who comes to them."""
    return {
        **os.environ,
        "SPARK_CONF_DIR": str(folder.conf),
        "SPARK_HOME": str(home()),
        "SPARK_DAEMON_MEMORY": _DAEMON_MEMORY,
        "SPARK_DAEMON_JAVA_OPTS": f"{_DAEMON_OPTIONS} {os.environ.get('SPARK_DAEMON_JAVA_OPTS', '')}".strip(),
        "SPARK_LOCAL_IP": _LOOPBACK,
        "SPARK_SCALA_VERSION": "2.13",
    }


def home() -> Path:
    """That of SPARK_HOME, of the program in PATH, or of this Python's package.

    Raises
    ------
    LaunchError
        There is none.
    """
    found = spark_home(["spark-submit"])
    if found is None:
        raise LaunchError.of("cluster", "Spark", "none", environment.INSTALL_PYSPARK)
    return found


def master(address: str) -> list[str]:
    """The command of a master, which takes a free port."""
    return [*_class("master.Master"), "--host", address, "--port", "0", "--webui-port", "0"]


def worker(url: str, address: str, lends: Mapping[str, Any], work: Path) -> list[str]:
    """The command of a worker that lends so many processors and so much memory."""
    sizes = ["--cores", str(lends["cores"]), "--memory", f"{lends['memory_mib']}m"]
    where = ["--host", address, "--port", "0", "--webui-port", "0", "--work-dir", str(work)]
    return [*_class("worker.Worker"), *where, *sizes, url]


def said_by_master(log: Path) -> tuple[str, int] | None:
    """Its URL and the port of its page, as soon as it has said both."""
    text = _text(log)
    url, web = _MASTER.search(text), _WEB.search(text)
    return (url[1], int(web[1])) if url and web else None


def last_words(log: Path) -> str:
    """The last error of a log, or its last line."""
    lines = [line.strip() for line in _text(log).splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\b(ERROR|Exception|Error)\b", line)]
    return (errors or lines or [""])[-1][:500]


def _class(name: str) -> list[str]:
    return [str(home() / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}"]


def _text(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
