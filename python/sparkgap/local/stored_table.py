# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Tables that lie in this host's store, of Spark applications or published, read where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from ..store_files.manifests import Manifest
from ..store_files.places import Stores
from ..store_files.tables import Table, find, scan

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class StoredTable:
    """Rows for the functions of this package, which map its files; `rows` is the same for other libraries."""

    name: str
    paths: tuple[Path, ...]
    rows: pa.Table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.rows.__arrow_c_stream__(requested_schema)


def table(name: str, *, store: str | Path | None = None) -> StoredTable:
    """A table that a Spark application keeps in this host's store, or has published.

    Parameters
    ----------
    name : str
        As `sparkgap store ls` has it: a plain name, or `published.<name>`.
    store : path, optional
        The store's folder; by default that of Spark's setting.

    Returns
    -------
    StoredTable
        What has been mapped stays, also when the table is removed or published anew.

    Raises
    ------
    ArgumentError
        There is no such table, or more than one.
    DataError
        A file of it is on another host, or damaged.

    Notes
    -----
    Cost: none per row.
    """
    found, manifest = manifest_of(name, store)
    return StoredTable(found.label, tuple(_paths(manifest)), mapped(found.label, manifest))


def present(store: str | Path | None) -> dict[str, Path]:
    """The stores by tier; of one that is named, no disk tier is known."""
    found = Stores.of(None if store is None else Path(store)).present()
    return found if store is None else {tier: place for tier, place in found.items() if tier == "memory"}


def manifest_of(name: str, store: str | Path | None) -> tuple[Table, Manifest]:
    """The table of that name, and its manifest. Errors: as `table`."""
    found = find(scan(present(store)), name)
    if found.damage or found.manifest is None:
        what = found.damage or f"a {found.kind} without one"
        raise DataError.of(f"table '{name}'", "a table with a sound manifest", what, "Do publish it.")
    return found, found.manifest


def mapped(name: str, manifest: Manifest) -> pa.Table:
    """The rows of a table. Errors: DataError."""
    import pyarrow as pa

    return pa.concat_tables(_mapped(name, path) for path in _paths(manifest))


def _paths(manifest: Manifest) -> list[Path]:
    return [s.path for s in manifest.segments if s.role == "rows"]


def _mapped(name: str, path: Path) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowException) as e:
        said = str(e).splitlines()[0].rstrip(".")
        do = "Do run where it is, or make it again."
        raise DataError.of(f"table '{name}'", "its files on this host", f"{path}: {said}", do) from None
