# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark, started and ended by a command: its settings, where its words go, and how Ctrl-C ends it."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from .. import environment
from ..errors import ArgumentError
from ..scratch import scratch

_HEAP_SHARE = 0.5
_HEAP_MOST = 31 << 30  # above it the JVM's pointers double in size


def command_settings(
    store: Path | None, conf: Mapping[str, str], *, short: bool = True, local: bool = True
) -> dict[str, str]:
    """Spark's settings for a command that starts it and ends it; `short` where Spark itself has little to do, `local`
    where all of it is on this host.
    """
    heap = min(int(environment.memory_bytes() * _HEAP_SHARE), _HEAP_MOST) >> 20
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": f"{heap}m"}
    if local:
        settings |= {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
    if short:
        # The JVM does little and ends soon: code that the second compiler would make never pays for itself.
        settings["spark.driver.extraJavaOptions"] = "-XX:TieredStopAtLevel=1"
    if store is not None:
        settings["spark.sparkgap.store.dir"] = str(store.absolute())
    return {**settings, **conf}


def parse_conf(pairs: list[str]) -> dict[str, str]:
    """The settings in `--conf KEY=VALUE`.

    Raises
    ------
    ArgumentError
        There is no `=`.

    Examples
    --------
    >>> parse_conf(["spark.x=1=2"])
    {'spark.x': '1=2'}
    """
    for pair in pairs:
        if not pair.partition("=")[0].strip() or "=" not in pair:
            raise ArgumentError.of("--conf", "KEY=VALUE", repr(pair), "Give for example --conf spark.driver.memory=4g.")
    return {key.strip(): value for key, _, value in (pair.partition("=") for pair in pairs)}


def interrupt_plainly() -> None:
    """Ctrl-C ends the command, without a word from the libraries below.

    PySpark's own handler asks the JVM to cancel from within the signal, which fails where a reply is just being read.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    logging.disable(logging.CRITICAL)


@contextlib.contextmanager
def status(console: IO[str], text: str) -> Iterator[None]:
    """A line that turns while something runs, on a terminal only."""
    if not console.isatty():
        yield
        return
    from rich.console import Console

    with Console(file=console).status(text):
        yield


@contextlib.contextmanager
def spark_output_aside() -> Iterator[tuple[IO[str], Path]]:
    """Let the JVM that starts inside write its stdout and stderr to a file, so that ours stay clean.

    Gives a stream to the real stderr, and that file; the file is removed at the end.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with scratch() as folder:
        log = folder / "spark.log"
        handle = os.open(log, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        kept = os.dup(1), os.dup(2)
        stdout, stderr = sys.stdout, sys.stderr
        console = os.fdopen(os.dup(2), "w", encoding="utf-8", buffering=1)
        try:
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout, sys.stderr = os.fdopen(os.dup(kept[0]), "w", encoding="utf-8"), console
            yield console, log
        finally:
            sys.stdout.flush()
            sys.stdout, sys.stderr = stdout, stderr
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
            for fd in (*kept, handle):
                os.close(fd)
