# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Published tables and graphs that outlive the nodes: copied to a folder before a cluster ends, and brought back by
the next one. `<folder>/<name>.json` is the manifest, `<folder>/<name>/<edition>/` its files: all of a table, or none.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError, ResourceError
from ..local.home import passing
from ..store_files import manifests, publication
from ..store_files.places import NAME, Stores, entries, published, sync
from .file_lock import locked

_CHUNK = 4 << 20
_PART, _LOCK = ".part", ".lock"
_LOCK_S = 30.0  # another cluster puts a table in place: a few renames
_ABANDONED_S = 24 * 3600  # a copy that was cut off so long ago is not going on


@dataclass(frozen=True)
class Copied:
    """One table that is at its place now, as the edition in `folder`; `why` where it is not."""

    name: str
    bytes: int = 0
    why: str = ""
    folder: str = ""


def keep(
    stores: Stores, target: Path, brought: Mapping[str, str], on_bytes: Callable[[int], None] = lambda n: None
) -> list[Copied]:
    """Copy what is published to a folder. Editions that it has, and those that were `brought` from it, are not copied
    again: another cluster may have kept a newer one since. A table that fails is named, and the others are copied.

    Parameters
    ----------
    brought : mapping
        The folder of the edition that `bring` has made, by the name of the table.

    Raises
    ------
    ResourceError
        The folder cannot be made, or the store is not the user's own.
    """
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as e:
        raise _unusable(target, e) from None
    found: dict[str, manifests.Manifest] = {}
    done = []
    for place in published(stores.present()):
        for entry in entries(place):
            name = entry.name.removesuffix(manifests.SUFFIX)
            if name != entry.name and name not in found:
                try:
                    found[name] = manifests.read_published(Path(entry.path))
                except (DataError, FileNotFoundError) as e:
                    done.append(Copied(name, why=str(e)))
    for name, manifest in found.items():
        if brought.get(name) == manifest.folder:
            done.append(Copied(name))
            continue
        try:
            done.append(Copied(name, _keep(manifest, target, on_bytes)))
        except (DataError, OSError) as e:
            done.append(Copied(name, why=str(e)))
    return done


def _keep(manifest: manifests.Manifest, target: Path, on_bytes: Callable[[int], None]) -> int:
    folder = str(manifest.folder)
    own, said = target / manifest.name, target / f"{manifest.name}{manifests.SUFFIX}"
    if said.exists() and manifests.read_published(said).folder == folder:
        return 0
    own.mkdir(mode=0o700, exist_ok=True)
    part = own / f"{folder}.{os.getpid()}{_PART}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    try:
        files: dict[str, list[dict[str, object]]] = {"rows": [], "in": [], "out": []}
        for segment in manifest.segments:
            crc32c = _copy(segment, segment.path, part / segment.path.name, on_bytes)
            path = str(own.absolute() / folder / segment.path.name)
            files[segment.role].append({"path": path, "rows": segment.rows, "bytes": segment.bytes, "crc32c": crc32c})
        graph = manifest.graph
        whole = {
            "version": manifests.VERSION,
            "name": manifest.name,
            "schema": [{"name": n, "type": kind, "nullable": nullable} for n, kind, nullable in manifest.columns],
            "segments": files["rows"],
            "published": {**(manifest.published or {}), "durable": None},
            **({} if graph is None else {"graph": {**graph, "in": files["in"], "out": files["out"]}}),
        }
        with locked(target / _LOCK, _LOCK_S):
            shutil.rmtree(own / folder, ignore_errors=True)
            part.rename(own / folder)
            aside = said.with_suffix(f"{manifests.SUFFIX}{_PART}")
            aside.write_text(json.dumps(whole), encoding="utf-8")
            sync(aside)
            aside.rename(said)
            for each in (own, target):
                sync(each)
            _clean(own, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return sum(segment.bytes for segment in manifest.segments)


def _clean(own: Path, folder: str) -> None:
    """Older editions, and copies that were cut off."""
    for entry in entries(own):
        is_old = entry.name.endswith(_PART) and time.time() - entry.stat().st_mtime > _ABANDONED_S
        if is_old or (manifests.edition(entry.name) is not None and entry.name != folder):
            shutil.rmtree(entry.path, ignore_errors=True)


def bring(source: Path, stores: Stores, room: int, on_bytes: Callable[[int], None] = lambda n: None) -> list[Copied]:
    """Publish what the folder has in the stores of this host, each file checked against its checksum.

    Parameters
    ----------
    room : int
        Bytes for the store in memory; a table for which that is too little goes to the disk.

    Raises
    ------
    DataError
        A table in it is damaged, and which.
    ResourceError
        There is no room, or a store is not the user's own.
    """
    done = []
    for entry in entries(source):
        name = entry.name.removesuffix(manifests.SUFFIX)
        if name == entry.name or not NAME.fullmatch(name):
            continue
        manifest = manifests.read_published(Path(entry.path))
        size = sum(segment.bytes for segment in manifest.segments)
        tier = "memory" if size <= min(room, _free(stores.memory)) else "disk"
        room -= size if tier == "memory" else 0
        try:
            made = _bring(name, manifest, source / name / str(manifest.folder), stores, tier, on_bytes)
        except OSError as e:
            raise _unusable(source / name, e) from None
        done.append(Copied(name, size, folder=str(made.folder)))
    return done


def _bring(
    name: str, manifest: manifests.Manifest, files: Path, stores: Stores, tier: str, on_bytes: Callable[[int], None]
) -> manifests.Manifest:
    with passing(stores.memory) as memory, passing(stores.disk) as disk:
        home = memory if tier == "memory" else disk
        folder = home.path / "segments" / f"{name}.{home.number()}"
        folder.mkdir(mode=0o700)
        parts = []
        for segment in manifest.segments:
            file = folder / segment.path.name
            crc32c = _copy(segment, files / segment.path.name, file, on_bytes)
            parts.append(publication.Part(file, segment.rows, segment.bytes, crc32c, segment.role))
        application = str((manifest.published or {}).get("application", "cluster"))
        return publication.publish(name, manifest.columns, parts, stores.present(), application, graph=manifest.graph)


def _copy(segment: manifests.Segment, source: Path, target: Path, on_bytes: Callable[[int], None]) -> str:
    """Its checksum. Errors: DataError where the file is not what the manifest says."""
    import google_crc32c

    checksum = length = 0
    with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file, target.open("xb") as out:
        while chunk := file.read(_CHUNK):
            checksum = google_crc32c.extend(checksum, chunk)
            length += out.write(chunk)
            on_bytes(len(chunk))
        out.flush()
        os.fsync(out.fileno())
    found = f"{checksum:08x}"
    if length != segment.bytes or segment.crc32c not in (None, found):
        expected = f"{segment.bytes} bytes with checksum {segment.crc32c or 'of any value'}"
        raise DataError.of(
            f"table {source}", expected, f"{length} bytes with {found}", "Do remove it, and publish again."
        )
    return found


def _free(place: Path) -> int:
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def _unusable(place: Path, e: OSError) -> ResourceError:
    found = f"{e.strerror or e} ({e.filename})" if e.filename else str(e)
    return ResourceError.of(f"--tables {place}", "a folder that can be used", found, "Do choose another one.")


def words(done: Sequence[Copied]) -> str:
    """One line for people."""
    whole = [each for each in done if not each.why]
    said = f"{len(whole)} tables, {sum(each.bytes for each in whole) / 1e6:,.0f} MB"
    return "; ".join([said, *(f"not {each.name}: {each.why}" for each in done if each.why)])
