# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a node's process that was killed has left, for the next one there to take away: each locks its folder, and says
in it what else it has made. The kernel frees the lock however the process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..store_files.places import entries, homes

_LOCK = ".lock"


def name(job: str, mark: str, node: str) -> str:
    """Of a folder of one cluster on one node."""
    return f"sparkgap-{os.getuid()}-{job}-{mark}-{node}"


def hold(place: Path, others: Sequence[str]) -> None:
    """Lock a folder of this process until its end, and say in it which others go with it."""
    part = place / f"{_LOCK}.part"
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):  # a file system without locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(file, json.dumps(list(others)).encode())
    part.rename(place / _LOCK)  # nobody sees it before it is locked


def sweep(parent: Path, node: str) -> None:
    """Take away folders of this node, and of this user, whose process is gone."""
    own = re.compile(rf"sparkgap-{os.getuid()}-.+-[0-9a-f]{{8}}-{re.escape(node)}")
    for entry in entries(parent):
        if own.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) and entry.stat().st_uid == os.getuid():
            with contextlib.suppress(OSError):
                _take(Path(entry.path))


def _take(place: Path) -> None:
    """Errors: OSError where its process lives, or it is of no use to anybody."""
    file = os.open(place / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        others = json.loads(os.read(file, 1 << 16) or b"[]")
        for other in map(Path, others if isinstance(others, list) else []):
            is_own = other.name.startswith(f"sparkgap-{os.getuid()}-") and not other.is_symlink()
            if is_own and not any(home.is_alive() for home in homes({"memory": other})):
                shutil.rmtree(other, ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)
    except ValueError:
        shutil.rmtree(place, ignore_errors=True)
    finally:
        os.close(file)
