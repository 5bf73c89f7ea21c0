# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a cluster, which all its nodes see: who is there, how Spark is set, and what everybody said."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ResourceError
from .allocation import Allocation
from .file_lock import locked

_STATE, _PLAN, _ADDRESSES, _LOCK = "cluster.json", "plan.json", "addresses.json", ".lock"


@dataclass(frozen=True)
class Folder:
    """Nobody but its user may enter it: it has the secret of the cluster."""

    path: Path

    @classmethod
    def of(cls, allocation: Allocation, said: Path | None) -> Folder:
        """The one that is said, or one in the current folder, by the number of the job."""
        return cls((said or Path(f"sparkgap-cluster-{allocation.job}")).absolute())

    @property
    def mark(self) -> str:
        """In the names of what a cluster makes on its nodes: a job may have several clusters, each with a folder."""
        return hashlib.sha256(str(self.path).encode()).hexdigest()[:8]

    @property
    def conf(self) -> Path:
        """Spark's configuration."""
        return self.path / "conf"

    @property
    def logs(self) -> Path:
        """Of the master, of workers, and of the steps that start them."""
        return self.path / "logs"

    @property
    def nodes(self) -> Path:
        """A file for each node that has said something."""
        return self.path / "nodes"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """For as long as the block runs, no other process starts a cluster in it.

        Raises
        ------
        ArgumentError
            One does so now.
        ResourceError
            It cannot be made.
        """
        with contextlib.ExitStack() as held:
            try:
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                held.enter_context(locked(self.path / _LOCK))
            except BlockingIOError:
                found = f"{self.path}, where one starts now"
                do = "Choose another --folder."
                raise ArgumentError.of("cluster", "a folder without a cluster", found, do) from None
            except OSError as e:
                raise self._unusable(e) from None
            yield

    def make(self) -> None:
        """Make it anew.

        Raises
        ------
        ArgumentError
            A cluster runs in it.
        ResourceError
            It cannot be made.
        """
        if (state := self.state()).get("state") not in (None, "ended"):
            found = f"{self.path}, where one is {state['state']}"
            raise ArgumentError.of(
                "cluster", "a folder without a cluster", found, "Stop it, or choose another --folder."
            )
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            for place in (self.conf, self.logs, self.nodes):
                place.mkdir(mode=0o700, exist_ok=True)
                for file in place.iterdir():
                    file.unlink()
            _write(self.path / _STATE, {"state": "making", "at": time.time()})
        except OSError as e:
            raise self._unusable(e) from None

    def _unusable(self, e: OSError) -> ResourceError:
        do = "Choose another --folder, which all nodes see."
        return ResourceError.of("cluster", f"a folder {self.path}", e.strerror or str(e), do)

    def state(self) -> dict[str, Any]:
        """What the keeper said last; empty where there is none."""
        return _read(self.path / _STATE) or {}

    def say(self, **more: Any) -> None:
        """The keeper alone does."""
        _write(self.path / _STATE, {**self.state(), **more, "at": time.time()})

    def plan(self) -> dict[str, Any]:
        """What each node is to do."""
        return _read(self.path / _PLAN) or {}

    def put_plan(self, plan: dict[str, Any]) -> None:
        """For the nodes to read."""
        _write(self.path / _PLAN, plan)

    def addresses(self) -> dict[str, str]:
        """Of all nodes, for those that are asked to find each other."""
        return _read(self.path / _ADDRESSES) or {}

    def put_addresses(self, addresses: dict[str, str]) -> None:
        """Before nodes are asked."""
        _write(self.path / _ADDRESSES, addresses)

    def node(self, name: str) -> dict[str, Any]:
        """What a node said last."""
        return _read(self.nodes / f"{name}.json") or {}

    def put_node(self, name: str, **said: Any) -> None:
        """A node says something."""
        _write(self.nodes / f"{name}.json", said)


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(file: Path, said: Any) -> None:
    aside = file.with_name(f"{file.name}.{os.getpid()}.part")
    aside.write_text(json.dumps(said, indent=1), encoding="utf-8")
    aside.replace(file)
