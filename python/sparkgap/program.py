# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""For Python programs that sparkgap starts: this rank's rows in, its rows out, by docs/program-contract.md. Needs
pyarrow; no Spark, no JVM.

from sparkgap import program

with program.job() as job:
    rows = job.input("points")                # a pyarrow.Table of this rank's rows, mapped, not copied
    job.write("sums", pyarrow.table({...}))   # as often as you like
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, DataError, LaunchError, SparkGapError

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 1 << 20
_SEGMENT_BYTES = 1 << 28


def job(directory: str | Path | None = None, *, rank: int | None = None) -> Job:
    """The job that this process is a rank of.

    Parameters
    ----------
    directory : str or Path, optional
        The job's folder; by default as the environment variable SPARKGAP_JOB says.
    rank : int, optional
        By default what mpiexec said, 0 without one.

    Raises
    ------
    ArgumentError
        There is no job.
    LaunchError
        mpi4py was imported and sees other ranks than there are.
    """
    place = directory or os.environ.get("SPARKGAP_JOB")
    if not place:
        raise ArgumentError.of("SPARKGAP_JOB", "the folder of a job", "nothing", "Run the program by sparkgap.mpi.run.")
    found = Job(Path(place), int(os.environ.get("PMI_RANK", "0")) if rank is None else rank)
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.COMM_WORLD.size != found.ranks:
        raise LaunchError.of(
            "mpi4py",
            f"a world of {found.ranks} ranks",
            f"{mpi.COMM_WORLD.size}: it uses another MPI than mpiexec ({mpi.Get_library_version().splitlines()[0]})",
            "Run: pip install mpich==5.0.2 beside mpi4py.",
        )
    return found


class Job:
    """One rank's part of a job. As a context manager it says at the end how the rank ended, so that the figures of the
    call are complete.

    Attributes
    ----------
    rank, ranks, threads : int
        Ranks are counted from 0.
    directory : Path
        The job's folder; it goes with the job.
    """

    def __init__(self, directory: Path, rank: int) -> None:
        self.directory, self.rank = directory, rank
        self._said = json.loads((directory / "job.json").read_text(encoding="utf-8"))
        self.ranks: int = self._said["ranks"]
        self.threads: int = self._said["threads"]
        self._start = time.monotonic()
        self._rows: dict[str, int] = {}
        self._files: dict[str, int] = {}
        self._write_s = 0.0

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What job.json says of each arrow input: its rows and segments."""
        return {name: said for name, said in self._said["inputs"].items() if said is not None}

    def rows(self, name: str) -> tuple[int, int]:
        """First row and row behind the last that are this rank's: the ranks cut the rows of their host evenly, in rank
        order.
        """
        mine, place, peers = self._segments(name)
        total = sum(s["rows"] for s in mine)
        return total * place // peers, total * (place + 1) // peers

    def input(self, name: str, *, whole: bool = False) -> pa.Table:
        """This rank's rows of an input, or with `whole` all rows of this host, in the order of the DataFrame.

        The columns stand where they are mapped; converting them to NumPy copies nothing where they have no nulls and
        one chunk.

        Raises
        ------
        ArgumentError
            No such input.
        """
        import pyarrow as pa

        mine, _, _ = self._segments(name)
        table = pa.concat_tables(pa.ipc.open_file(pa.memory_map(s["path"])).read_all() for s in mine)
        if whole:
            return table
        first, last = self.rows(name)
        return table.slice(first, last - first)

    def write(self, name: str, table: pa.Table) -> None:
        """Add rows to an output; columns are cast to the declared types where no value changes.

        Raises
        ------
        ArgumentError
            No such output.
        DataError
            The columns are not those that were declared.
        """
        start = time.monotonic()
        if name not in self._said["outputs"]:
            known = ", ".join(self._said["outputs"]) or "none with format arrow"
            raise ArgumentError.of(
                f"outputs.{name}",
                f"one of the outputs of the call ({known})",
                "none of that name",
                "Name it in outputs=.",
            )
        said = self._said["outputs"][name]
        columns = [column["name"] for column in said["schema"]]
        if sorted(table.column_names) != sorted(columns):
            raise DataError.of(
                f"outputs.{name}",
                f"columns {', '.join(columns)}",
                ", ".join(table.column_names),
                "Rename or drop columns.",
            )
        table = _cast(name, table.select(columns), said["schema"])
        per_file = max(1, min(table.num_rows, _SEGMENT_BYTES * table.num_rows // max(1, table.nbytes)))
        for first in range(0, max(1, table.num_rows), per_file):
            self._write(Path(said["directory"]), name, table.slice(first, per_file))
        self._rows[name] = self._rows.get(name, 0) + table.num_rows
        self._write_s += time.monotonic() - start

    def progress(self, iteration: int, of: int = 0, *, residual: float | None = None, phase: str = "compute") -> None:
        """Say how far the job is; rank 0's word is shown."""
        if self.rank == 0:
            line: dict[str, Any] = {"phase": phase, "iteration": iteration, "of": of}
            if residual is not None:
                line["residual"] = residual
            with open(self.directory / "progress.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def __enter__(self) -> Job:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
            own = time.monotonic() - self._start
            said = {
                "rank": self.rank,
                "rows": sum(self._rows.values()),
                "schema": [],
                "segments": [],
                "outputs": self._rows,
                "seconds": {"build": 0.0, "compute": max(0.0, own - self._write_s), "write": self._write_s},
                "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
            self._say(f"done-{self.rank}.json", said)
        elif isinstance(error, SparkGapError):
            self._say(f"error-{self.rank}.json", {"code": error.code, "message": str(error)})
            print(error, file=sys.stderr, flush=True)

    def _segments(self, name: str) -> tuple[list[dict[str, Any]], int, int]:
        """The segments of this rank's host, its place among the host's ranks and how many these are."""
        if name not in self.inputs:
            known = ", ".join(self.inputs) or "none with format arrow"
            raise ArgumentError.of(
                f"inputs.{name}", f"one of the inputs of the call ({known})", "none of that name", "Name it in inputs=."
            )
        hosts: list[str] = self._said["rank_hosts"]
        host = hosts[self.rank]
        mine = [s for s in self.inputs[name]["segments"] if s["host"] == host]
        return mine, hosts[: self.rank].count(host), hosts.count(host)

    def _write(self, folder: Path, name: str, table: pa.Table) -> None:
        import pyarrow as pa

        n = self._files.get(name, 0)
        self._files[name] = n + 1
        path = folder / f"rank-{self.rank:05d}-{n:05d}.arrow"
        aside = path.with_suffix(".arrow.part")
        with pa.OSFile(str(aside), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=_BATCH_ROWS)
            if table.num_rows == 0:  # a segment has at least one batch
                writer.write_batch(
                    pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], schema=table.schema)
                )
        aside.rename(path)

    def _say(self, name: str, said: Mapping[str, Any]) -> None:
        aside = self.directory / f"{name}.part"
        aside.write_text(json.dumps(said), encoding="utf-8")
        aside.rename(self.directory / name)


def _cast(name: str, table: pa.Table, schema: list[dict[str, Any]]) -> pa.Table:
    """The table with the declared types; lists and structs must have theirs already."""
    import pyarrow as pa

    columns = []
    for column, said in zip(table.columns, schema, strict=True):
        wanted = arrow_type(said["type"])
        try:
            columns.append(column if wanted is None else column.cast(wanted))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as e:
            raise DataError.of(
                f"outputs.{name}.{said['name']}",
                said["type"],
                f"{column.type} ({str(e).splitlines()[0]})",
                "Cast it, or declare another type.",
            ) from None
    return pa.table(columns, names=[said["name"] for said in schema])


def arrow_type(ddl: str) -> pa.DataType | None:
    """Arrow's type for a flat one of store/FORMAT.md; None for lists and structs."""
    import pyarrow as pa

    if ddl.startswith("decimal("):
        precision, scale = ddl[len("decimal(") : -1].split(",")
        return pa.decimal128(int(precision), int(scale))
    flat = {
        "boolean": pa.bool_(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", "UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "string": pa.string(),
        "binary": pa.binary(),
    }
    return flat.get(ddl)
