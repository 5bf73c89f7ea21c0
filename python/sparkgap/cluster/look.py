# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""All nodes of an allocation are asked at once what they have (`node look`), and measured where that is wanted."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import processes
from ..errors import LaunchError
from . import launcher, network, node
from .allocation import Allocation, addresses
from .folder import Folder

_LOOK_S, _PROBE_S = 60.0, 180.0


def nodes(
    allocation: Allocation, folder: Folder, scratch: Sequence[Path], *, is_probed: bool, say: Callable[[str], None]
) -> list[dict[str, Any]]:
    """What each node has, measured where that is asked for; `scratch` are more folders for shuffles.

    Raises
    ------
    LaunchError
        A node says nothing, and which.
    """
    how = "measured" if is_probed else "seen"
    if is_probed:
        say(f"measuring {len(allocation.nodes)} nodes, for a minute at most (--no-probe leaves it out)")
        folder.put_addresses(addresses(allocation))
    words = [sys.executable, "-m", "sparkgap.cluster.node", "look", str(folder.path), how]
    commands = launcher.commands(allocation, [*words, *map(str, scratch)])
    logs = [folder.logs / f"look-{n}.log" for n in range(len(commands))]
    with contextlib.ExitStack() as files:
        running = []
        for command, log in zip(commands, logs, strict=True):
            out = files.enter_context(log.open("wb"))
            ends = processes.end_with(os.getpid())
            try:
                running.append(
                    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=ends)
                )
            except OSError as e:
                raise LaunchError.of(
                    "cluster", f"{command[0]} to start", e.strerror or str(e), "Look at PATH."
                ) from None
        deadline = time.monotonic() + (_PROBE_S if is_probed else _LOOK_S)
        for each in running:
            try:
                each.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
    lines = [line for log in logs for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    said = [json.loads(line.removeprefix(node.MARK)) for line in lines if line.startswith(node.MARK)]
    found = {each["node"]: _limited(each, allocation) for each in said}
    missing = [each.name for each in allocation.nodes if each.name not in found]
    if missing:
        rest = [line for line in lines if line.strip() and not line.startswith(node.MARK)]
        raise LaunchError.of(
            "cluster",
            f"an answer of {len(allocation.nodes)} nodes",
            f"none of {', '.join(missing)}: {' / '.join(rest[-3:]) or 'they said nothing'}",
            "Look at these nodes.",
        )
    ordered = [found[each.name] for each in allocation.nodes]
    for line in network.words(ordered):
        say(line)
    return ordered


def _limited(said: dict[str, Any], allocation: Allocation) -> dict[str, Any]:
    """A node has no more for us than the batch system gave."""
    of = next((each for each in allocation.nodes if each.name == said["node"]), None)
    if of is not None and of.cpus is not None:
        said["cpus"] = min(said["cpus"], of.cpus)
    if of is not None and of.memory_bytes is not None:
        said["memory_bytes"] = min(said["memory_bytes"], of.memory_bytes)
    return said
