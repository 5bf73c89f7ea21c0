# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Figures as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from .call import Call

_MEANING = {
    "read_s": "read the input",
    "export_s": "copy the rows into mapped Arrow segments",
    "fetch_s": "bring segments of other hosts to where ranks are",
    "render_s": "write the rows into files for the program",
    "memory_s": "ask Spark or the host for memory",
    "launch_s": "start the ranks and collect them",
    "build_s": "map the segments, build the structure",
    "compute_s": "compute",
    "write_s": "write the result segments",
    "parse_s": "take the program's files as tables",
    "readback_s": "read the result and save it",
}

_GIVERS = {"spark": "Spark's off-heap pool", "host": "the host", "spark and host": "Spark's off-heap pool and the host"}


def phase_table(call: Call) -> Table:
    """Seconds by phase, with the sum and what moved, of one call."""
    from rich.table import Table

    table = Table(title=f"{call.kernel}, engine {call.engine}, {call.ranks} x {call.threads}", title_justify="left")
    table.add_column("phase")
    table.add_column("seconds", justify="right")
    table.add_column("what", style="dim")
    for name, seconds in call.phases.items():
        table.add_row(name.removesuffix("_s"), f"{seconds:.3f}", _MEANING.get(name, ""))
    table.add_section()
    rows_in = "" if call.rows_in is None else f"{call.rows_in:,} rows in, "
    table.add_row("total", f"{call.total_s:.3f}", f"{rows_in}{call.rows_out:,} rows out, {iterations(call)}")
    table.add_row("", "", f"{size(call.bytes_copied)} copied, peak memory of the ranks {size(call.peak_rss_bytes)}")
    if call.memory_from:
        table.add_row(
            "",
            "",
            f"memory asked for {size(call.memory_bytes)}, given by {_GIVERS.get(call.memory_from, call.memory_from)}",
        )
    if call.rank_cpus:
        table.add_row("", "", f"ranks bound to {bound(call.rank_cpus)}")
    return table


def phase_html(call: Call) -> str:
    """The same as HTML, for notebooks.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(kernel="a<b", engine="native", ranks=1, threads=2, phases={"run_s": 0.2}, total_s=0.5)
    >>> phase_html(call)[:69]
    '<table><caption>a&lt;b, engine native, 1 x 2</caption><tr><th>phase</'
    """
    rows = [
        (name.removesuffix("_s"), f"{seconds:.3f}", _MEANING.get(name, "")) for name, seconds in call.phases.items()
    ]
    cells = [("phase", "seconds", "what"), *rows, ("total", f"{call.total_s:.3f}", "")]
    kinds = ["th", *["td"] * (len(cells) - 1)]
    body = "".join(
        f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in row)}</tr>"
        for kind, row in zip(kinds, cells, strict=True)
    )
    title = f"{call.kernel}, engine {call.engine}, {call.ranks} x {call.threads}"
    return f"<table><caption>{escape(title)}</caption>{body}</table>"


def bound(rank_cpus: Sequence[Mapping[str, str | None]]) -> str:
    """The processors of ranks in words, host by host.

    Examples
    --------
    >>> bound([{"host": "a", "cpus": "0-3"}, {"host": "a", "cpus": "4-7"}, {"host": "b", "cpus": None}])
    'a: 0-3 4-7; b: all'
    """
    by_host: dict[str | None, list[str]] = {}
    for rank in rank_cpus:
        by_host.setdefault(rank["host"], []).append(rank["cpus"] or "all")
    return "; ".join(f"{host}: {' '.join(cpus)}" for host, cpus in by_host.items())


def iterations(call: Call) -> str:
    """How the iteration ended, in words.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> iterations(SimpleNamespace(iterations=20, converged=False, residual=0.5))
    '20 iterations, not converged (residual 5.00e-01)'
    >>> iterations(SimpleNamespace(iterations=20, converged=None, residual=0.5))
    '20 iterations, residual 5.00e-01'
    """
    if not call.iterations:
        return "no iterations"
    words = f"{call.iterations} iterations"
    if call.residual is None or call.residual < 0:
        return words
    return (
        f"{words}, {'not converged (' if call.converged is False else ''}residual"
        f" {call.residual:.2e}{')' if call.converged is False else ''}"
    )


def size(n_bytes: float) -> str:
    """Bytes in the largest unit that leaves a digit before the point.

    Examples
    --------
    >>> size(1536), size(12)
    ('1.5 KiB', '12 B')
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n_bytes < 1024 or unit == "TiB":
            break
        n_bytes /= 1024
    return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"


def row_table(names: Sequence[str], rows: Sequence[Sequence[Any]], *, title: str) -> Table:
    """Rows of a result; numbers right, floats with nine digits."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, name in enumerate(names):
        number = bool(rows) and isinstance(rows[0][i], (int, float))
        table.add_column(name, justify="right" if number else "left")
    for row in rows:
        table.add_row(*(f"{v:.9g}" if isinstance(v, float) else str(v) for v in row))
    return table
