# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One run of a user's program on this host: its files, its ranks, and what it wrote as tables."""

from __future__ import annotations

import importlib.util
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import spec as specs
from ...errors import DataError, LaunchError, ResourceError, SparkGapError
from ...store_files.details import ddl
from .. import job, ranks, segments, shared_memory
from ..home import Home
from . import arguments, left_files
from .formats import Format
from .output_file import OutputFile
from .request import Output, Request, places

if TYPE_CHECKING:
    import pyarrow as pa

_FULL_BYTES = 1 << 20  # with less left, the lack of space is taken as the cause of a failure
_PRINTED_BYTES = 4096


@dataclass
class Outcome:
    """The tables by name, and the figures of the run."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    copied: int = 0
    printed: str = ""
    logs: dict[int, str] = field(default_factory=dict)
    reports: list[dict[str, Any]] = field(default_factory=list)
    phases: dict[str, float] = field(default_factory=dict)


class ProgramRun:
    """The files of one run lie in the home of this process, and go with it however it ends.

    As a context manager it removes them; mapped rows stay until the last table of them goes.
    """

    def __init__(self, home: Home, request: Request, options: job.Options) -> None:
        self._home, self._request, self._options = home, request, options
        self._number = home.number()
        self._work = home.path / "jobs" / str(self._number)
        self._files = home.path / "jobs" / f"{self._number}-files"
        self._began = time.time()
        self._places = {name: str(self._files) for name in places(request)} | {
            "ranks": str(options.ranks),
            "rank_count": str(options.ranks),
            "threads": str(options.threads),
            "job": str(self._work),
        }
        arguments.fill(request.arguments, self._places)  # refuses names that there are not
        self.outcome = Outcome()

    def __enter__(self) -> ProgramRun:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.rmtree(self._files, ignore_errors=True)
        if self._options.ranks > 1:
            shared_memory.remove_left(self._began)

    def run(self) -> Outcome:
        """To its end. Errors: SparkGapError for what a rank said, how it died, an output, the deadline, no room."""
        try:
            self._prepare()
            begin = time.monotonic()
            try:
                self._start()
            except LaunchError as e:
                self._keep_logs()
                raise self._without_room() or self._with_log(e) from None
            self._keep_logs()
            self._count(time.monotonic() - begin)
            begin = time.monotonic()
            for name, output in self._request.outputs.items():
                self.outcome.tables[name] = self._taken(name, output)
            self.outcome.phases["parse_s"] = time.monotonic() - begin
        except OSError as e:
            raise self._without_room() or self._no_room(str(e.strerror)) from None
        return self.outcome

    def _prepare(self) -> None:
        begin = time.monotonic()
        for folder in (self._work, self._files, self._files / "inputs", self._files / "outputs"):
            folder.mkdir(mode=0o700)
        said: dict[str, Any] = {}
        for name, (table, form) in self._request.inputs.items():
            place = self._files / "inputs" / f"{name}{form.suffix}"
            if form.kind == "arrow":
                said[name] = self._arrow_input(name, table, place)
            else:
                with open(place, "wb") as file:
                    _write(f"inputs.{name}", table, form, file)
                self.outcome.copied += place.stat().st_size
            self._places[f"inputs.{name}"] = str(place)
        self._job(said)
        environment = "".join(f"{name}={value}\0" for name, value in self._request.environment.items())
        (self._work / "environment").write_text(environment, encoding="utf-8", errors="surrogateescape")
        for rank in range(self._options.ranks):
            words = arguments.fill(self._request.arguments, self._places | {"rank": str(rank)})
            given = "".join(f"{word}\0" for word in words)
            (self._work / f"arguments-{rank}").write_text(given, encoding="utf-8", errors="surrogateescape")
        self.outcome.phases["export_s"] = time.monotonic() - begin

    def _arrow_input(self, name: str, table: pa.Table, place: Path) -> dict[str, Any]:
        """Links to its segments in a folder, for programs that read only Arrow; and what job.json says of it."""
        made = segments.mappable(self._request.given[name], table, self._files / f"segments-{name}")
        self.outcome.copied += made.copied
        place.mkdir(mode=0o700)
        for i, file in enumerate(made.files):
            (place / f"part-{i:05d}.arrow").symlink_to(file.path)
        return made.as_json(job.HOST)

    def _job(self, inputs: dict[str, Any]) -> None:
        """job.json, and the places of outputs."""
        folders, said = arguments.folders(self._request.arguments), {}
        for name, output in self._request.outputs.items():
            place = self._files / "outputs" / f"{name}{output.form.suffix}"
            if output.form.kind == "arrow":
                place.mkdir(mode=0o700)
                columns = [{"name": f.name, "type": ddl(f.type), "nullable": f.nullable} for f in output.columns]
                said[name] = {"directory": str(place), "schema": columns}
            elif output.file is not None:
                place = self._work / output.file
            elif f"outputs.{name}" in folders:
                place.mkdir(mode=0o700)
            self._places[f"outputs.{name}"] = str(place)
        whole = job.description(self._number, self._request.name, self._options) | {
            "parameters": {},
            "inputs": inputs,
            "outputs": said,
            "output": {"directory": str(self._files / "outputs"), "segment_bytes": job.SEGMENT_BYTES},
        }
        (self._work / "job.json").write_text(json.dumps(whole), encoding="utf-8")

    def _start(self) -> None:
        guard = specs.NATIVE.resolve() / ranks.GUARD
        job.start(guard, self._request.program, self._work, self._request.name, self._options, is_ours=False)

    def _count(self, seconds: float) -> None:
        """Of programs that know us, what they say of their time; of others all of it is computing."""
        done = [self._work / f"done-{rank}.json" for rank in range(self._options.ranks)]
        if any(file.exists() for file in done):
            self.outcome.reports = [job.report(self._work, self._request.name, rank) for rank in range(len(done))]
        told = {
            f"{name}_s": max(report["seconds"][name] for report in self.outcome.reports)
            for name in ("build", "compute", "write")
            if self.outcome.reports
        }
        told = {"launch_s": max(0.0, seconds - sum(told.values())), **told} if told else {"compute_s": seconds}
        self.outcome.phases |= {name: s for name, s in told.items() if s > 0}

    def _keep_logs(self) -> None:
        for rank in range(self._options.ranks):
            log = self._work / f"rank-{rank}.log"
            if rank == 0 and log.exists():
                with open(log, "rb") as file:
                    file.seek(max(0, log.stat().st_size - _PRINTED_BYTES))
                    self.outcome.printed = file.read().decode(errors="replace").strip()
            if self._request.logs is not None and log.exists():
                kept = self._request.logs / log.name
                shutil.copyfile(log, kept)
                self.outcome.logs[rank] = str(kept)

    def _with_log(self, error: LaunchError) -> LaunchError:
        """The error of a rank names its log, where it is kept."""
        kept = self.outcome.logs.get(-1 if error.rank is None else error.rank)
        if kept is None:
            return error
        return error.adding(f"Its log is in {kept}.")

    def _without_room(self) -> ResourceError | None:
        free = shutil.disk_usage(self._home.store).free
        return self._no_room(f"{free} bytes free") if free < _FULL_BYTES else None

    def _no_room(self, found: str) -> ResourceError:
        where, do = f"files of the program in {self._home.store}", "Free some, or choose a larger store."
        return ResourceError.of(where, "room for its inputs and outputs", found, do)

    def _taken(self, name: str, output: Output) -> pa.Table:
        import pyarrow as pa

        place = Path(self._places[f"outputs.{name}"])
        if output.file is not None:
            (self._files / "left" / name).mkdir(mode=0o700, parents=True)
            place = self._files / "left" / name / Path(output.file).name
            left_files.move(f"outputs.{name}", output.file, self._work, place)
        files = list(_files(place, only_arrow=output.form.kind == "arrow"))
        if not files:
            raise self._missing(name, output)
        tables = [_read(OutputFile(name, file), output) for file in files]
        if output.form.kind not in ("arrow", "raw", "npy"):
            self.outcome.copied += sum(table.nbytes for table in tables)
        return pa.concat_tables(tables)

    def _missing(self, name: str, output: Output) -> SparkGapError:
        expected = f"the file {{outputs.{name}}}, {name}{output.form.suffix}"
        if output.form.kind == "arrow":
            expected = f"a segment in {{outputs.{name}}}"
        elif output.file is not None:
            expected = f"the file {output.file} in the working folder"
        last = self.outcome.printed.splitlines()[-1:]
        said = f"its last line: {last[0][:200]}" if last else "it printed nothing"
        do = "Let the program write it, or leave the output out."
        return DataError.of(f"outputs.{name}", f"{expected}, when all ranks have ended", f"none ({said})", do)


def _write(where: str, table: pa.Table, form: Format, file: Any) -> None:
    from . import text

    if form.is_text:
        text.write(where, table, form, file)
        return
    _need_numpy(form)
    from . import binary, matrix_market

    (matrix_market if form.kind == "mtx" else binary).write(where, table, form, file)


def _need_numpy(form: Format) -> None:
    if importlib.util.find_spec("numpy") is None:
        raise LaunchError.of(
            f"format {form.word}", "numpy, which reads and writes it", "none", "Run: pip install numpy."
        )


def _files(place: Path, *, only_arrow: bool) -> Iterator[Path]:
    """The one file, or all files of a folder by name, without those that begin with a dot."""
    if place.is_file():
        yield place
    elif place.is_dir():
        for file in sorted(place.iterdir()):
            if file.is_file() and not file.name.startswith(".") and (file.suffix == ".arrow" or not only_arrow):
                yield file


def _read(file: OutputFile, output: Output) -> pa.Table:
    from . import text

    if output.form.is_text:
        return text.read(file, output.form, output.columns)
    if output.form.kind == "arrow":
        return segments.adopted(file.path, output.columns, file.refused)
    _need_numpy(output.form)
    from . import binary, matrix_market

    if output.form.kind == "raw":
        return binary.read_raw(file, output.form, output.columns)
    if output.form.kind == "npy":
        return binary.read_npy(file, output.columns)
    return matrix_market.read(file, output.form, output.columns)
