# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A cluster from the outside: started, asked, stopped, and a program that runs in one of its own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import processes
from ..errors import ArgumentError, LaunchError, ResourceError, SparkGapError
from ..settings import settings_for
from ..store_files.places import Stores
from . import look, spark, tables
from .allocation import Allocation, addresses, own_address
from .folder import Folder
from .plan import Plan, mib, plan

_WORKERS_S, _STOP_S, _POLL_S = 120.0, 60.0, 0.2
_ASK_S = 10.0
_KEEPER = "sparkgap.cluster.keeper"
_SEP = "\n"
_STORE = "spark.sparkgap.store.dir"


@dataclass(frozen=True)
class Wanted:
    """What a user says of a cluster. `scratch` are more folders for shuffles; `conf` replaces what is planned;
    published tables are brought from `tables`, and kept there when it ends.
    """

    allocation: Allocation
    folder: Folder
    conf: Mapping[str, str]
    scratch: Sequence[Path] = ()
    is_probed: bool = True
    wait_s: float = _WORKERS_S
    tables: Path | None = None


def start(wanted: Wanted, say: Callable[[str], None], found: Sequence[Mapping[str, Any]] | None = None) -> Plan:
    """Start a master here and a worker on each node, and wait for all of them. `found` is what nodes said before, where
    they need not be asked again.

    Raises
    ------
    ArgumentError
        A cluster runs in its folder, or tables have two places.
    DataError
        A table that was kept is damaged.
    LaunchError
        A node is missing, and which; nothing is left then.
    ResourceError
        The nodes have too little.
    """
    folder = wanted.folder
    if wanted.tables is not None and _STORE in wanted.conf:
        do = "Leave one out: tables of a store of your own outlive the cluster there."
        raise ArgumentError.of("cluster", f"--tables or --conf {_STORE}", "both", do)
    with folder.alone():
        folder.make()
        try:
            if found is None:
                found = look.nodes(wanted.allocation, folder, wanted.scratch, is_probed=wanted.is_probed, say=say)
            planned = plan(found, driver=wanted.allocation.nodes[0].name, overrides=wanted.conf)
            _write(wanted, planned, found)
            _begin_keeper(folder)
            _await_workers(wanted, say)
            if wanted.tables is not None:  # now that somebody takes away what comes, however this ends
                _bring(wanted.tables, planned, folder, say)
        except (SparkGapError, KeyboardInterrupt):
            stop(folder)
            raise
    return planned


def _write(wanted: Wanted, planned: Plan, found: Sequence[Mapping[str, Any]]) -> None:
    """Spark's configuration, with a secret of this cluster, and what the nodes are to do."""
    folder, allocation = wanted.folder, wanted.allocation
    where = addresses(allocation)
    address = own_address([where[each.name] for each in allocation.nodes])
    own_name = f"sparkgap-{os.getuid()}-{allocation.job}-{folder.mark}"
    stores = [
        planned.value(key) or str(Path(place) / name)
        for key, place, name in (
            (_STORE, "/dev/shm", own_name),
            ("spark.sparkgap.store.diskDir", planned.disk, f"{own_name}.disk"),
        )
    ]
    own = {each.key: each.value for each in planned.settings if each.key != "spark.local.dir"}
    own = {
        _STORE: stores[0],
        "spark.sparkgap.store.diskDir": stores[1],
        "spark.driver.host": address,
        "spark.driver.bindAddress": address,
        **own,
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(16),
        "spark.network.crypto.enabled": "true",
    }
    # The master's URL is known when it has started; the keeper adds it.
    both = settings_for("spark://", conf=own)
    for key in ("spark.master", "spark.app.name", "spark.log.level", "spark.ui.showConsoleProgress"):
        if key not in wanted.conf:
            both.pop(key, None)
    reasons = {each.key: each.reason for each in planned.settings}
    lines = []
    for key, value in both.items():
        lines += [f"# {reasons[key]}"] if key in reasons else []
        lines.append(f"{key} {value}")
    file = folder.conf / "spark-defaults.conf"
    file.touch(mode=0o600)
    file.write_text(_SEP.join(lines) + _SEP, encoding="utf-8")
    folder.put_plan(
        {
            "scheduler": allocation.scheduler,
            "job": allocation.job,
            "ends": allocation.ends,
            "address": address,
            "workers": {name: dict(each) for name, each in planned.workers.items()},
            "stores": stores,
            "leftovers": [each for each in stores if own_name in each],
            "tables": None if wanted.tables is None else str(wanted.tables.absolute()),
            "settings": [[each.key, each.value, each.reason] for each in planned.settings],
            "nodes": list(found),
        }
    )


def _bring(source: Path, planned: Plan, folder: Folder, say: Callable[[str], None]) -> None:
    plan = folder.plan()
    room = mib(planned.value("spark.sparkgap.store.memoryBytes")) << 20
    done = tables.bring(source, Stores.of(*map(Path, plan["stores"])), room)
    folder.put_plan({**plan, "brought": {each.name: each.folder for each in done}})
    say(f"brought {tables.words(done)} from {source}")


def _begin_keeper(folder: Folder) -> None:
    with (folder.logs / "keeper.log").open("wb") as log:
        words = [sys.executable, "-m", _KEEPER, str(folder.path)]
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def _await_workers(wanted: Wanted, say: Callable[[str], None]) -> None:
    folder, deadline = wanted.folder, time.monotonic() + wanted.wait_s
    names = [each.name for each in wanted.allocation.nodes]
    come = 0
    while True:
        state = folder.state()
        said = {name: folder.node(name) for name in names}
        failed = [f"{name}: {each['why']}" for name, each in said.items() if each.get("state") == "failed"]
        if state.get("state") == "ended" and not failed:
            why = state.get("why") or spark.last_words(folder.logs / "keeper.log")
            raise LaunchError.of("cluster", "a master", why or "none", f"Read {folder.logs}.")
        missing = [name for name, each in said.items() if each.get("state") != "registered"]
        if len(names) - len(missing) > come:
            come = len(names) - len(missing)
            say(f"{come} of {len(names)} workers are there")
        if not missing and state.get("state") == "up":
            file = folder.conf / "spark-defaults.conf"
            with file.open("a", encoding="utf-8") as out:
                out.write(f"spark.master {state['master']}{_SEP}")
            return
        if failed or time.monotonic() > deadline:
            nothing = ", ".join(missing)
            step = spark.last_words(folder.logs / "step-0.log")
            found = "; ".join(failed) or f"nothing of {nothing} in {wanted.wait_s:.0f} s: {step or 'no word'}"
            raise LaunchError.of("cluster", f"{len(names)} workers", found, f"Read {folder.logs}.")
        time.sleep(_POLL_S)


def status(folder: Folder) -> dict[str, Any]:
    """The state, and the workers as the master has them."""
    state = folder.state()
    if not state:
        raise ArgumentError.of("cluster", f"a cluster in {folder.path}", "none", "Start one, or say --folder.")
    found: dict[str, Any] = {"state": state["state"], "why": state.get("why", ""), "master": state.get("master")}
    if state["state"] == "up" and _is_here(state) and not _keeper(folder):
        found |= {"state": "ended", "why": "its keeper was killed"}
    plan = folder.plan()
    found["ends"] = plan.get("ends")
    found["workers"] = {
        name: {**each, **{"state": folder.node(name).get("state", "missing")}}
        for name, each in plan.get("workers", {}).items()
    }
    if found["state"] == "up":
        with contextlib.suppress(OSError, ValueError, urllib.error.URLError):
            with urllib.request.urlopen(f"http://127.0.0.1:{state['web']}/json/", timeout=_ASK_S) as page:
                said = json.loads(page.read())
            found["alive"] = said["aliveworkers"]
            found["applications"] = [each["name"] for each in said["activeapps"]]
    return found


def stop(folder: Folder) -> None:
    """End a cluster, and wait until nothing of it runs. Nothing happens where none does. While tables are kept it
    waits, as long as bytes go on.

    Raises
    ------
    ArgumentError
        It was started on another host.
    LaunchError
        It does not end.
    ResourceError
        Tables that were to be kept are not.
    """
    state = folder.state()
    if state.get("state") not in (None, "ended") and not _is_here(state):
        found, do = f"host {socket.gethostname()}", "Run it there."
        raise ArgumentError.of("cluster stop", f"host {state['host']}, where it was started", found, do)
    deadline = time.monotonic() + _STOP_S
    pid = _keeper(folder)
    if pid:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    kept = 0
    while _keeper(folder):
        if (now := folder.state().get("kept", 0)) != kept:
            kept, deadline = now, time.monotonic() + _STOP_S
        if time.monotonic() > deadline:
            found, do = f"process {pid} after {_STOP_S:.0f} s", f"Read {folder.logs}."
            raise LaunchError.of("cluster", "its end", found, do)
        time.sleep(_POLL_S)
    if folder.state().get("state") not in (None, "ended"):
        folder.say(state="ended", why="its keeper was killed")
    for file in folder.conf.glob("*"):
        file.unlink(missing_ok=True)
    for place in folder.plan().get("leftovers", []):  # of this host, where no worker came
        shutil.rmtree(place, ignore_errors=True)
    if lost := folder.state().get("not_kept"):
        expected, do = f"published tables in {folder.plan()['tables']}", f"Read {folder.logs / 'keeper.log'}."
        raise ResourceError.of("cluster", expected, f"not {', '.join(lost)}", do)


def _is_here(state: Mapping[str, Any]) -> bool:
    """Whether its keeper, if there is one yet, runs on this host."""
    return bool(state.get("host", socket.gethostname()) == socket.gethostname())


def _keeper(folder: Folder) -> int:
    """Its process; 0 where it does not run. A number that another process has by now is none."""
    words = [_KEEPER, str(folder.path)]
    for each in processes.everyone():
        command = each.command().split(" ")
        if each.state != "Z" and command[-2:] == words:
            return each.pid
    return 0
