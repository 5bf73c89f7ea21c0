# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One table in full, and whether its files are what its manifest says."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError
from . import manifests
from .places import PUBLISHED, entries, is_real, published
from .tables import Table, file_at, files_below, occupied

_CHUNK_BYTES = 4 << 20
_MAGIC = b"ARROW1"
# Spark's names of the types of FORMAT.md that need no parameter.
_DDL = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "date32[day]": "date",
    "timestamp[us, tz=UTC]": "timestamp",
    "timestamp[us]": "timestamp_ntz",
    "string": "string",
    "binary": "binary",
}


@dataclass
class SegmentState:
    """One file as it was found. `checked` says by what: `size`, `footer` (magic and footer) or `crc32c`; empty where it
    is gone.
    """

    role: str
    host: str | None
    path: str
    rows: int | None
    bytes: int
    tier: str | None
    exists: bool
    checked: str = ""
    problem: str | None = None


@dataclass
class Details:
    """What `sparkgap store stat` says."""

    table: Table
    columns: list[tuple[str, str, bool]] = field(default_factory=list)
    segments: list[SegmentState] = field(default_factory=list)
    editions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rows(self) -> int | None:
        """Of a cache as its files say, else of the manifest."""
        if self.table.manifest is not None:
            return self.table.manifest.rows
        return sum(s.rows or 0 for s in self.segments) if self.table.kind == "cache" else None

    @property
    def problems(self) -> list[str]:
        damage = [self.table.damage] if self.table.damage else []
        return damage + [f"{s.path}: {s.problem}" for s in self.segments if s.problem]

    @property
    def durable(self) -> str | None:
        """The folder where a published table stands as Parquet."""
        manifest = self.table.manifest
        return (manifest.published or {}).get("durable") if manifest else None

    def as_json(self) -> dict[str, Any]:
        """The same for machines."""
        said = {
            **self.table.row(),
            "rows": self.rows,
            "ok": not self.problems,
            "columns": [{"name": n, "type": t, "nullable": nullable} for n, t, nullable in self.columns],
        }
        said["segments"] = [asdict(s) for s in self.segments]
        if self.table.kind == PUBLISHED:
            said |= {"editions": self.editions, "durable": self.durable}
        return said

    def raise_if_damaged(self) -> None:
        """Raise for the first file that is missing or damaged.

        Raises
        ------
        DataError
            The manifest or a segment is not what it should be.
        """
        if self.table.damage:
            raise DataError(self.table.damage)
        bad = [s for s in self.segments if s.problem]
        if bad:
            do = f"Do read the rows from {self.durable}." if self.durable else "Do make the table again."
            found = f"{len(bad)} of {len(self.segments)} not: {bad[0].path}: {bad[0].problem}"
            raise DataError.of(f"table '{self.table.label}'", "every segment whole", found, do)


def details(table: Table, present: dict[str, Path], *, verify: bool = False) -> Details:
    """Look at every file of a table; `verify` reads them whole."""
    found = Details(table)
    if table.manifest is not None:
        found.columns = list(table.manifest.columns)
        found.segments = [_listed(s, present, verify=verify) for s in table.manifest.segments]
    elif table.kind == "cache":
        _look_at_cache(found, present)
    else:
        found.segments = [SegmentState("rows", None, str(f.path), None, f.bytes, f.tier, True) for f in table.files]
    if table.kind == PUBLISHED:
        found.editions = _editions(table, present)
    return found


def _listed(segment: manifests.Segment, present: dict[str, Path], *, verify: bool) -> SegmentState:
    file = file_at(segment.path, present)
    state = SegmentState(
        segment.role, segment.host, str(segment.path), segment.rows, segment.bytes, None, file is not None
    )
    if file is None:
        state.problem = "missing"
        return state
    state.tier, state.checked = file.tier, "size"
    if file.bytes != segment.bytes:
        state.problem = f"{file.bytes} bytes instead of {segment.bytes}"
    elif verify and segment.crc32c is not None:
        state.checked = "crc32c"
        checksum = crc32c(segment.path)
        if checksum != segment.crc32c:
            state.problem = f"crc32c {checksum} instead of {segment.crc32c}"
    return state


def _look_at_cache(found: Details, present: dict[str, Path]) -> None:
    """A cached table has no manifest: what its files say themselves."""
    seen = set()
    for home in found.table.homes:
        for entry in entries(home.path / "segments" / found.table.name):
            if not entry.name.endswith(".arrow"):
                continue
            file = file_at(Path(entry.path), present)
            if file is None:
                found.segments.append(SegmentState("rows", None, entry.path, None, 0, None, False, problem="missing"))
            elif file.inode not in seen:
                seen.add(file.inode)
                found.segments.append(_by_footer(file.path, file.bytes, file.tier, found))


def _by_footer(path: Path, n_bytes: int, tier: str, found: Details) -> SegmentState:
    import pyarrow as pa

    state = SegmentState("rows", None, str(path), None, n_bytes, tier, True, "footer")
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise pa.ArrowInvalid(f"no {_MAGIC.decode()} at its start")
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as reader:
            state.rows = sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))
            found.columns = found.columns or [(f.name, ddl(f.type), f.nullable) for f in reader.schema]
    except (OSError, pa.ArrowException) as e:
        state.problem = " ".join(str(e).split()).rstrip(".")
    return state


def _editions(table: Table, present: dict[str, Path]) -> list[dict[str, Any]]:
    current = table.manifest.folder if table.manifest else None
    folders: dict[tuple[int, str], list[Path]] = {}
    for place in (p for p in published(present) if is_real(p / table.name)):
        for entry in entries(place / table.name):
            number = manifests.edition(entry.name)
            if number is not None and entry.is_dir(follow_symlinks=False):
                folders.setdefault((number, entry.name), []).append(Path(entry.path))
    editions = []
    for (number, name), places in sorted(folders.items()):
        files = [f for place in places for f in files_below(place, present)]
        sizes = {f"{tier}_bytes": occupied(files, tier) for tier in ("memory", "disk")}
        editions.append({"edition": number, "current": name == current, **sizes})
    return editions


def crc32c(path: Path) -> str:
    """CRC-32C of a whole file, as manifests write it."""
    import google_crc32c

    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            checksum = google_crc32c.extend(checksum, chunk)
    return f"{checksum:08x}"


def ddl(arrow_type: Any) -> str:
    """Spark's name of an Arrow type; Arrow's own where the store does not keep it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ddl(pa.int64()), ddl(pa.decimal128(10, 2)), ddl(pa.list_(pa.int8())), ddl(pa.struct([("a b", pa.time32("s"))]))
    ('bigint', 'decimal(10,2)', 'array<tinyint>', 'struct<`a b`:time32[s]>')
    """
    import pyarrow as pa

    if pa.types.is_list(arrow_type):
        return f"array<{_of_field(arrow_type.value_field)}>"
    if pa.types.is_struct(arrow_type):
        return f"struct<{','.join(f'{_quoted(field.name)}:{_of_field(field)}' for field in arrow_type)}>"
    if str(arrow_type).startswith("decimal128("):
        return f"decimal({arrow_type.precision},{arrow_type.scale})"
    return _DDL.get(str(arrow_type), str(arrow_type))


def is_kept(arrow_type: Any) -> bool:
    """Whether the store keeps a type that is neither a list nor a struct."""
    return str(arrow_type) in _DDL or str(arrow_type).startswith("decimal128(")


def _of_field(field: Any) -> str:
    return ddl(field.type) + ("" if field.nullable else " not null")


def _quoted(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_]+", name) else "`" + name.replace("`", "``") + "`"
