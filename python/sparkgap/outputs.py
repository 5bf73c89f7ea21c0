# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""DataFrames as files: one CSV, one Parquet file, or a Parquet folder, by the name that is asked for."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ArgumentError, InternalError, ResourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def check(path: Path, *, overwrite: bool) -> None:
    """Refuse a place that cannot be written, before any work is spent.

    Raises
    ------
    ArgumentError
        It exists and `overwrite` is false, or the folder above it does not exist.
    ResourceError
        The folder above it cannot be written.
    """
    if path.exists() and not overwrite:
        raise ArgumentError.of(
            "--out", "a path that does not exist yet", str(path), "Choose another or add --overwrite."
        )
    above = path.absolute().parent
    if not above.is_dir():
        raise ArgumentError.of("--out", "a path in a folder that exists", str(path), f"Run: mkdir -p {above}")
    if not os.access(above, os.W_OK | os.X_OK):
        raise ResourceError.of("--out", "a folder that you may write", str(above), "Choose another path.")


def save(frame: DataFrame, path: Path, *, overwrite: bool) -> None:
    """Write `frame` to `path`: aside first, then renamed, so that a file of that name is whole.

    Raises
    ------
    ResourceError
        The disk is full.
    """
    one_file = path.suffix.lower() in (".csv", ".parquet")
    with put_aside(path, overwrite=overwrite, one_file=one_file) as aside:
        writer = (frame.coalesce(1) if one_file else frame).write
        if path.suffix.lower() == ".csv":
            writer.csv(f"file://{aside}", header=True)
        else:
            writer.parquet(f"file://{aside}")


@contextlib.contextmanager
def put_aside(path: Path, *, overwrite: bool, one_file: bool = False) -> Iterator[Path]:
    """A folder for the body to write, which becomes `path` when it has ended; of `one_file`, the part file in it.

    Raises
    ------
    ResourceError
        The disk is full.
    """
    path = path.absolute()
    check(path, overwrite=overwrite)
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield aside
        _replace(_part(aside) if one_file else aside, path)
    except Exception as e:
        if "No space left on device" in str(e) or getattr(e, "errno", None) == errno.ENOSPC:
            raise ResourceError.of(
                "--out", "room for the result", f"a full disk at {path.parent}", "Free some or choose another path."
            ) from None
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _part(folder: Path) -> Path:
    parts = [p for p in folder.iterdir() if p.name.startswith("part-")]
    if len(parts) != 1:
        raise InternalError.of("--out", "one part file", str(len(parts)), "Please report this.")
    return parts[0]


def _replace(new: Path, path: Path) -> None:
    """Rename over what is there; a folder has to go aside first."""
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    if path.exists():
        path.rename(old)
    try:
        new.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            old.rename(path)
        raise
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.unlink(missing_ok=True)
