# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Starts the application with its event log on, and the sampler beside it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from ..environment import own_version
from ..errors import ArgumentError, ResourceError
from .sampler import Sampler

PROFILE = "profile.json"
EVENT_LOG = "eventlog"
# Programs of Spark that take --conf behind their name.
_SUBMITTERS = ("spark-submit", "spark-shell", "spark-sql", "pyspark", "sparkR", "sparkgap-submit")
_SHELL = "pyspark-shell"


def run(command: Sequence[str], folder: Path) -> int:
    """Run the command to its end, with everything about it in a new folder.

    Returns
    -------
    int
        Its exit status; 128 and the signal's number where one ended it.

    Raises
    ------
    ArgumentError
        The folder is not empty, or there is no such program.
    ResourceError
        The folder cannot be made.
    """
    program = shutil.which(command[0])
    if program is None:
        raise ArgumentError.of("profile", "a program that can be run", f"no {command[0]!r}", "Check its name or path.")
    log = _made(folder)
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.absolute().as_uri(),
        "spark.eventLog.logStageExecutorMetrics": "true",
    }
    confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    words, environ = [program, *command[1:]], dict(os.environ)
    if Path(command[0]).name in _SUBMITTERS:
        words[1:1] = confs
    else:
        before = environ.get("PYSPARK_SUBMIT_ARGS", "").removesuffix(_SHELL).strip()
        environ["PYSPARK_SUBMIT_ARGS"] = " ".join(filter(None, [shlex.join(confs), before, _SHELL]))
    said = {"version": 1, "sparkgap": own_version(), "command": list(command), "begin_ms": int(time.time() * 1000)}
    _say(folder, said)
    sampler = Sampler(folder)
    sampler.start()
    status = None
    try:
        status = _wait(subprocess.Popen(words, env=environ))
    finally:
        sampler.close()
        _say(folder, said | {"end_ms": int(time.time() * 1000), "status": status})
    return status if status >= 0 else 128 - status


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ArgumentError.of("--out", "a new or empty folder", str(folder), "Choose another name.")
        folder.chmod(0o700)
        log = folder / EVENT_LOG
        log.mkdir(mode=0o700)
    except OSError as e:
        found, do = e.strerror or str(e), "Choose another place."
        raise ResourceError.of(f"--out {folder}", "a folder that can be made", found, do) from None
    return log


def _wait(process: subprocess.Popen[bytes]) -> int:
    """An interrupt reaches the application too, which ends by itself; a request to end is passed on."""
    if threading.current_thread() is not threading.main_thread():
        return process.wait()
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
    }
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(folder: Path, said: dict[str, object]) -> None:
    aside = folder / f"{PROFILE}.part"
    aside.write_text(json.dumps(said, indent=1), encoding="utf-8")
    aside.replace(folder / PROFILE)


def default_folder() -> Path:
    """Of this moment."""
    return Path(f"sparkgap-profile-{time.strftime('%Y%m%d-%H%M%S')}")


def hint(folder: Path) -> str:
    """What to do next."""
    return f"profile: {folder}. Now: {Path(sys.argv[0]).name} report {folder}"
