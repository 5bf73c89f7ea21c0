# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Where results go: what the name says of the format, and how a file of that name is whole or as it was.
docs/files.md has the rules.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..errors import ArgumentError, InternalError, ResourceError

FILES = (".parquet", ".csv", ".tsv", ".arrow")
# What stdout is given: a name that is `-`, or that and a format.
_STANDARD = {"-": ".csv", "-.csv": ".csv", "-.tsv": ".tsv", "-.arrow": ".arrow"}


def standard(path: str | Path) -> str | None:
    """The format of what goes to stdout, where the name says that it goes there.

    Examples
    --------
    >>> standard("-"), standard("-.arrow"), standard("ranks.csv")
    ('.csv', '.arrow', None)
    """
    return _STANDARD.get(str(path).lower())


def is_file_name(path: str | Path) -> bool:
    """Whether a name is that of a file, or of stdout, and not of a folder."""
    return standard(path) is not None or (not str(path).endswith("/") and Path(path).suffix.lower() in FILES)


def kind_of(path: str | Path) -> str:
    """What a name asks for: one of `FILES`, or "" for a folder of Parquet, whose name has no suffix or ends with /.

    Raises
    ------
    ArgumentError
        It says neither.

    Examples
    --------
    >>> kind_of("ranks.csv"), kind_of("ranks"), kind_of("ranks.2026/")
    ('.csv', '', '')
    """
    suffix = Path(path).suffix.lower()
    if str(path).endswith("/") or not suffix:
        return ""
    if suffix in FILES:
        return suffix
    raise ArgumentError.of(
        "--out",
        f"a name that ends with {', '.join(FILES)}, or a folder, without a suffix or with / at its end",
        str(path),
        "Choose another name.",
    )


def check(path: str | Path, *, overwrite: bool) -> None:
    """Refuse a place that cannot be written, before any work is spent.

    Raises
    ------
    ArgumentError
        It exists and `overwrite` is false, or the folder above it does not exist.
    ResourceError
        The folder above it cannot be written.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise ArgumentError.of(
            "--out", "a path that does not exist yet", str(path), "Choose another or add --overwrite."
        )
    above = path.absolute().parent
    if not above.is_dir():
        raise ArgumentError.of("--out", "a path in a folder that exists", str(path), f"Run: mkdir -p {above}")
    if not os.access(above, os.W_OK | os.X_OK):
        raise ResourceError.of("--out", "a folder that you may write", str(above), "Choose another path.")


def check_model(path: str | Path, *, overwrite: bool) -> None:
    """The same for a model, which is a folder.

    Raises
    ------
    ArgumentError
        The name is that of a file, too.
    """
    if is_file_name(path):
        raise ArgumentError.of("--out", "the name of a folder, which a model is", str(path), "Leave its suffix out.")
    check(path, overwrite=overwrite)


@contextlib.contextmanager
def put_aside(path: str | Path, *, overwrite: bool, one_file: bool = False) -> Iterator[Path]:
    """A folder for the body to write, which becomes `path` when it has ended; of `one_file`, the part file in it.

    Raises
    ------
    ResourceError
        The disk is full.
    """
    path = Path(path).absolute()
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
