# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a node has, and how fast its folders for shuffles are: written, read again, forced to disk, in small files."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import environment
from ..profile.control_group import ControlGroup

_MIB = 1 << 20
_FILE = 256 * _MIB
_BLOCK = 4 * _MIB
_SMALL, _SMALL_BYTES = 200, 4096
_FOLDER_S = 8.0  # that one folder is written for, at most
_MEMORY_KINDS = ("tmpfs", "ramfs")
_SHARED_KINDS = ("nfs", "nfs4", "lustre", "gpfs", "beegfs", "cifs", "ceph", "fuse.glusterfs", "fuse.sshfs", "orangefs")


def node(name: str, folders: list[Path], *, is_measured: bool) -> dict[str, Any]:
    """All that a plan needs to know of this node.

    Parameters
    ----------
    name : str
        Its name in the allocation.
    folders : list of Path
        Candidates for shuffled and spilled data beside the usual ones.
    is_measured : bool
        Whether folders and memory are measured, for about a minute at most, or no more than looked at.
    """
    group = ControlGroup.find()
    memory = environment.memory_bytes()
    found: dict[str, Any] = {
        "node": name,
        "cpus": environment.cores(),
        "memory_bytes": min(memory, group.limit) if group.memory is not None else memory,
        "numa": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or 1,
        "devices": devices(),
        "folders": [folder(each, is_measured=is_measured) for each in candidates(folders)],
    }
    if is_measured:
        found["memory_bytes_per_s"] = memory_bytes_per_s()
    return found


def candidates(more: list[Path], environ: Mapping[str, str] = os.environ) -> list[Path]:
    """Folders that may take shuffles, each file system once; what is said comes first."""
    usual = ["/dev/shm", environ.get("TMPDIR", ""), environ.get("SLURM_TMPDIR", ""), "/tmp", "/local", "/scratch"]
    found: dict[int, Path] = {}
    for place in [*more, *(Path(each) for each in usual if each)]:
        with contextlib.suppress(OSError):
            if place.is_dir() and os.access(place, os.W_OK):
                found.setdefault(place.stat().st_dev, place)
    return list(found.values())


def folder(place: Path, *, is_measured: bool) -> dict[str, Any]:
    """Its kind (memory, disk or shared), its free bytes, and what it does in a second."""
    type_ = _type(place)
    kind = "memory" if type_ in _MEMORY_KINDS else "shared" if type_ in _SHARED_KINDS else "disk"
    found: dict[str, Any] = {
        "path": str(place),
        "kind": kind,
        "type": type_,
        "free_bytes": shutil.disk_usage(place).free,
    }
    if is_measured:
        try:
            with tempfile.TemporaryDirectory(prefix="sparkgap-probe-", dir=place) as own:
                found |= _measured(Path(own), found["free_bytes"])
        except OSError as e:
            found["why"] = e.strerror or str(e)
    return found


def _measured(own: Path, free: int) -> dict[str, float]:
    size = min(_FILE, free // 4 // _BLOCK * _BLOCK)
    block, file = os.urandom(_BLOCK), own / "large"
    begin, written = time.perf_counter(), 0
    with file.open("wb", buffering=0) as out:
        while written < size and time.perf_counter() - begin < _FOLDER_S:
            written += out.write(block)
        os.fsync(out.fileno())
    write_s = time.perf_counter() - begin
    with file.open("rb", buffering=0) as read:
        os.posix_fadvise(read.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # from the device, where there is one
        begin = time.perf_counter()
        while read.read(_BLOCK):
            pass
        read_s = time.perf_counter() - begin
    begin, made = time.perf_counter(), 0
    for n in range(_SMALL):
        with (own / f"small-{n}").open("wb") as out:
            out.write(block[:_SMALL_BYTES])
        made += 1
        if time.perf_counter() - begin > _FOLDER_S:
            break
    small_s = time.perf_counter() - begin
    begin = time.perf_counter()
    with (own / "forced").open("wb") as out:
        out.write(block[:_SMALL_BYTES])
        out.flush()
        os.fsync(out.fileno())
    forced_s = time.perf_counter() - begin
    return {
        "write_bytes_per_s": written / write_s if write_s else 0.0,
        "read_bytes_per_s": written / read_s if read_s else 0.0,
        "files_per_s": made / small_s if small_s else 0.0,
        "fsync_s": forced_s,
    }


def memory_bytes_per_s() -> float:
    """What copies of arrays that no cache holds move, read and written, by one thread."""
    import numpy as np

    source = np.ones(64 * _MIB // 8)
    target = np.empty_like(source)
    np.copyto(target, source)
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begin)
    return 2 * source.nbytes / best


def devices(root: Path = Path("/sys/class/net")) -> list[dict[str, Any]]:
    """Network devices that are up, with the megabits that they say they have; the loopback is none."""
    found = []
    for place in sorted(root.iterdir()) if root.is_dir() else []:
        if place.name != "lo" and _text(place / "operstate") in ("up", "unknown"):
            speed = _text(place / "speed")
            found.append({"name": place.name, "mbit_per_s": int(speed) if speed.isdigit() else None})
    return found


def _type(place: Path) -> str:
    best, type_ = -1, ""
    for line in _mounts():
        words = line.split(" ")
        mount = Path(words[1].replace("\\040", " "))
        if place.resolve().is_relative_to(mount) and len(mount.parts) >= best:
            best, type_ = len(mount.parts), words[2]
    return type_


def _mounts() -> Iterator[str]:
    yield from Path("/proc/self/mounts").read_text(errors="surrogateescape").splitlines()


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
