# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap store ls | stat | rm | sweep`."""

from __future__ import annotations

import functools
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from ..call_table import size
from ..errors import ResourceError
from ..store_files.details import Details, details
from ..store_files.places import Stores
from ..store_files.removal import Removed
from ..store_files.removal import remove as remove_table
from ..store_files.removal import sweep as sweep_stores
from ..store_files.tables import everything, find, occupied, scan

StoreDir = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="Store directory; default /dev/shm/sparkgap-<uid>.")
]
DiskDir = Annotated[
    Path | None,
    typer.Option(
        "--disk-store", metavar="DIR", help="That of the disk tier; default <spark.local.dir>/sparkgap-<uid>.disk."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A table's name, published.NAME, HOME/NAME, or the beginning of a cache's."),
]


def make_app(_: Sequence[str] = (), **settings: Any) -> typer.Typer:
    """The verbs below `store`."""
    app = typer.Typer(**settings)
    app.callback(help="Look at the tables of this host's stores, and remove them.")(lambda: None)
    for name, verb in (("ls", ls), ("stat", stat), ("rm", rm), ("sweep", sweep)):
        app.command(name)(_in_our_words(verb))
    return app


def _in_our_words(verb: Callable[..., None]) -> Callable[..., None]:
    """What the system refuses is an error of the store."""

    @functools.wraps(verb)
    def words(**given: Any) -> None:
        try:
            verb(**given)
        except BrokenPipeError:
            raise
        except OSError as e:
            where = f"store {e.filename}" if e.filename else "store"
            raise ResourceError.of(
                where, "files that can be read and written", str(e.strerror), "Check them."
            ) from None

    return words


def ls(store: StoreDir = None, disk_store: DiskDir = None, as_json: Json = False) -> None:
    """List the tables: of applications, cached, and published."""
    stores = Stores.of(store, disk_store)
    present = stores.present()
    tables = scan(present)
    files = everything(present)
    free = {tier: _free(place) for tier, place in (("memory", stores.memory), ("disk", stores.disk))}
    if as_json:
        said: dict[str, Any] = {"store": str(stores.memory), "disk_store": str(stores.disk)}
        said["tables"] = [t.row() for t in tables]
        for tier in ("memory", "disk"):
            said |= {f"{tier}_bytes": occupied(files, tier), f"{tier}_free_bytes": free[tier]}
        print(json.dumps(said))
        return
    if tables:
        names = ("table", "kind", "application", "alive", "rows", "memory", "disk", "segments", "modified")
        grid = _grid(names, right=("rows", "memory", "disk", "segments"))
        for t in tables:
            row = t.row()
            rows = "damaged" if t.damage else "" if row["rows"] is None else f"{row['rows']:,}"
            sizes = (size(row["memory_bytes"]), size(row["disk_bytes"]), str(t.segments))
            _add(grid, t.name, t.kind, t.application, "yes" if t.alive else "no", rows, *sizes, row["modified"])
        _print(grid)
    for t in tables:
        if t.damage:
            _print(t.damage)
    totals = (f"{tier} {size(occupied(files, tier))} ({size(free[tier])} free)" for tier in ("memory", "disk"))
    _print(f"{len(tables)} tables, {', '.join(totals)}")


def stat(
    name: Name,
    verify: Annotated[bool, typer.Option("--verify", help="Read every segment whole and compare its CRC-32C.")] = False,
    store: StoreDir = None,
    disk_store: DiskDir = None,
    as_json: Json = False,
) -> None:
    """Say what a table consists of, and whether all of it is there."""
    present = Stores.of(store, disk_store).present()
    found = details(find(scan(present), name), present, verify=verify)
    if as_json:
        print(json.dumps(found.as_json()))
    else:
        _show(found)
    found.raise_if_damaged()


def rm(name: Name, store: StoreDir = None, disk_store: DiskDir = None, as_json: Json = False) -> None:
    """Remove a published table, or one whose application has ended."""
    present = Stores.of(store, disk_store).present()
    table = find(scan(present), name)
    durable = ((table.manifest and table.manifest.published) or {}).get("durable")
    removed = remove_table(table, present)
    _say(removed, as_json=as_json)
    if durable and not as_json:
        _print(f"its rows stay as Parquet in {durable}")


def sweep(store: StoreDir = None, disk_store: DiskDir = None, as_json: Json = False) -> None:
    """Remove what dead applications left, and old editions of published tables."""
    _say(sweep_stores(Stores.of(store, disk_store).present()), as_json=as_json)


def _say(removed: Removed, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(removed.as_json()))
    else:
        for item in removed.items:
            _print(f"removed {item['what']} {item['path']} ({size(item['freed_bytes'])})")
        _print(f"{size(removed.freed_bytes)} freed")
    removed.raise_if_failed()


def _show(found: Details) -> None:
    table = found.table
    rows = "" if found.rows is None else f", {found.rows:,} rows"
    state = "alive" if table.alive else "ended"
    _print(f"{table.label}: {table.kind} of {table.application or 'no known application'} ({state}){rows}")
    if found.columns:
        grid = _grid(("column", "type", "nulls"))
        for name, kind, nullable in found.columns:
            _add(grid, name, kind, "yes" if nullable else "no")
        _print(grid)
    if found.segments:
        grid = _grid(("segment", "of", "host", "rows", "size", "tier", "checked", "state"), right=("rows", "size"))
        for s in found.segments:
            cells = (
                s.role,
                s.host or "",
                "" if s.rows is None else f"{s.rows:,}",
                size(s.bytes),
                s.tier or "",
                s.checked,
            )
            _add(grid, s.path, *cells, s.problem or "ok")
        _print(grid)
    for e in found.editions:
        current = ", current" if e["current"] else ""
        _print(f"edition {e['edition']}: memory {size(e['memory_bytes'])}, disk {size(e['disk_bytes'])}{current}")
    if found.durable:
        _print(f"durable: {found.durable}")


def _grid(names: tuple[str, ...], right: tuple[str, ...] = ()) -> Grid:
    grid = Grid()
    for name in names:
        grid.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return grid


def _add(grid: Grid, *cells: str) -> None:
    grid.add_row(*(Text(cell) for cell in cells))  # brackets in it are no markup


def _print(what: Grid | str) -> None:
    """A line or a table. Without a terminal it is as wide as it needs to be, so that no line is broken."""
    if isinstance(what, str):
        print(what)
        return
    console = Console(width=None if sys.stdout.isatty() else 240)
    console.print(what)


def _free(place: Path) -> int:
    """Bytes that can be written there, or where it would be made."""
    while not place.exists() and place != place.parent:
        place = place.parent
    return shutil.disk_usage(place).free
