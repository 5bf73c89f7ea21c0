# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One call of a kernel: SQL out, a DataFrame and the call's figures back, errors translated."""

from __future__ import annotations

import contextlib
import logging
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import spec as specs
from .door import is_remote, require_plugin
from .errors import ArgumentError, spark_errors
from .progress import Progress, newest_job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from rich.table import Table

_log = logging.getLogger("sparkgap")
_last: list[Call] = []
_in_thread = threading.local()

_COUNT = "a whole number in [1, 65536]"
# The arguments that every kernel takes beside its own.
COMMON = (
    specs.Parameter(
        "engine",
        "choice",
        "native",
        "native ranks, or Spark's own library",
        choices=("native", "spark"),
        expected="one of native, spark",
    ),
    specs.Parameter(
        "ranks",
        "int",
        None,
        "MPI ranks; the setting spark.sparkgap.launch.ranks by default",
        min=1,
        max=65536,
        expected=_COUNT,
    ),
    specs.Parameter(
        "threads",
        "int",
        None,
        "threads of each rank; Spark's cores / ranks by default",
        min=1,
        max=65536,
        expected=_COUNT,
    ),
    specs.Parameter(
        "timeout_s",
        "double",
        None,
        "deadline of the whole call",
        unit="s",
        min=0,
        max=1e9,
        min_exclusive=True,
        max_exclusive=True,
        expected="a number in (0, 1e9)",
    ),
    specs.Parameter("result", "choice", None, "name of the result table", choices=()),
)


@dataclass
class Call:
    """The figures of one call; `phases` holds seconds by phase in the order in which they ran.

    `memory_bytes` is what the call asked for before its ranks started: what they take at most beyond their mapped
    inputs. `memory_from` says who gave it: "spark" (its off-heap pool), "host" (which had it free), "spark and host",
    or None where nothing was asked for. `figures` is what else the kernel says of the run, by name, as its page tells:
    for example `objective`. `rank_cpus` says of each rank its `host` and `cpus`, such as "0-3,8", where
    `spark.sparkgap.launch.affinity` has bound it, None where not; empty where no rank was bound.

    Of an estimator's fit `table` is "" and `rows_out` what the kernel wrote; where Spark's own has fitted, `engine` is
    "spark", and `rows_in` None, for it counts none.
    """

    kernel: str
    engine: str
    table: str
    rows_in: int | None
    rows_out: int
    iterations: int
    converged: bool | None
    residual: float | None
    ranks: int
    threads: int
    total_s: float
    bytes_copied: int
    peak_rss_bytes: int
    phases: dict[str, float] = field(default_factory=dict)
    memory_bytes: int = 0
    memory_from: str | None = None
    figures: dict[str, list[float]] = field(default_factory=dict)
    rank_cpus: list[dict[str, str | None]] = field(default_factory=list)

    def as_table(self) -> Table:
        """The phases as a table for people."""
        from .call_table import phase_table

        return phase_table(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .call_table import phase_html

        return phase_html(self)

    def show(self) -> None:
        """Print the phases.

        Examples
        --------
        >>> Call("degree", "native", "t", 4, 3, 0, True, None, 1, 2, 0.5, 64, 1 << 20, {"export_s": 0.25}).show()
        ... # doctest: +SKIP
        """
        from rich.console import Console

        Console().print(self.as_table())


def last_call() -> Call | None:
    """The figures of the last call that finished in this thread, else in this process, else None."""
    return getattr(_in_thread, "call", None) or (_last[-1] if _last else None)


def remember(done: Call) -> None:
    """Make a call this thread's, and the process's, last one; the logger `sparkgap` hears of it at level INFO."""
    _last[:] = [done]
    _in_thread.call = done
    _log.info(
        "%s by %s in %.2f s, %d x %d: %s rows in, %d out",
        done.kernel,
        done.engine,
        done.total_s,
        done.ranks,
        done.threads,
        "unknown" if done.rows_in is None else done.rows_in,
        done.rows_out,
    )


def reported(row: Mapping[str, Any]) -> Call:
    """The call that the plug-in has reported in a row; it becomes the last one."""
    phases = {k: float(v) for k, v in sorted((row["phases"] or {}).items(), key=lambda kv: phase_order(kv[0]))}
    done = Call(**{name: row[name] for name in Call.__dataclass_fields__ if name != "phases"}, phases=phases)
    remember(done)
    return done


@spark_errors()
def call(
    kernel: str,
    family: str,
    inputs: Mapping[str, DataFrame | str | None],
    parameters: Mapping[str, Any],
    *,
    spark: SparkSession,
    engine: str = "native",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    result: str | None = None,
    progress: bool | None = None,
    word: str | None = None,
) -> DataFrame:
    """Run `CALL sparkgap.<family>.<kernel>(...)` and give its result table.

    Parameters
    ----------
    kernel, family : str
        As in the kernel's Spec.
    inputs : mapping of str to DataFrame, str or None
        A DataFrame becomes a temporary view for the time of the call; a str is the name of a stored graph.
    parameters : mapping
        The kernel's own parameters; None means not given.
    spark : SparkSession
        A session with the plugin, classic or Connect.
    engine, ranks, threads, timeout_s, result
        The arguments that every kernel takes.
    progress : bool, optional
        Show a progress bar on stderr; by default where stderr is a terminal.
    word : str, optional
        A word from `new_word`, by which the caller can find the table afterwards.

    Returns
    -------
    DataFrame
        The result, read from the store; its attribute `sparkgap` is the `Call`.

    Raises
    ------
    SparkGapError
        Whatever went wrong in the plugin, the launch or the kernel.
    """
    require_plugin(spark)
    common = {"engine": engine, "ranks": ranks, "threads": threads, "timeout_s": timeout_s, "result": result}
    if engine == "native":  # what the server does anyway
        common["engine"] = None
    arguments = {k: v for k, v in {**_checked(kernel, parameters), **_checked_common(common)}.items() if v is not None}
    word, naming = word or new_word(), "name" if arguments.get("name") is not None else "result"
    if naming in arguments:
        arguments[naming] = f"{arguments[naming]}#{word}"
    with contextlib.ExitStack() as views:
        named = {
            name: given if isinstance(given, str) else views.enter_context(view(spark, frame(name, given)))
            for name, given in inputs.items()
            if given is not None
        }
        query = sql(kernel, family, [*named, *arguments])
        with Progress(kernel, newest_job(spark, kernel), shown=progress):
            row = run_sql(spark, query, {**named, **arguments})[0].asDict(recursive=True)
    done = reported(row)
    answer = result_table(spark, done.table, word if naming in arguments else None)
    answer.sparkgap = done
    return answer


def new_word() -> str:
    """What a call adds to the name that its user chose for its result, as `name#word`: by both it finds its own table,
    and none that has the name later.
    """
    return uuid.uuid4().hex


def with_word(name: str, word: str) -> str:
    """The name of a call's table by which no other is found."""
    place, _, plain = name.rpartition(".")
    return f"{place}.`{plain.strip('`')}#{word}`"


@spark_errors()
def result_table(spark: SparkSession, name: str, word: str | None) -> DataFrame:
    """The table that a call has made, whoever has its name by now. A name that nobody chose, for which there is no
    word, does not come again.

    Spark looks names up again: through Connect whenever a DataFrame is read, in classic sessions where it stands behind
    a view.
    """
    return spark.table(with_word(name, word) if word else exact_name(spark, name) if is_remote(spark) else name)


def exact_name(spark: SparkSession, name: str) -> str:
    """`sparkgap.store.web` with what its folder has and no other had: sparkgap.store.`web#5f0c`."""
    place, _, plain = name.rpartition(".")
    plain = plain.strip("`")
    path = run_sql(spark, "CALL sparkgap.store.stat(name => :name)", {"name": plain})[0]["path"]
    return f"{place}.`{plain}#{Path(path).parent.name.rpartition('.')[2]}`"


def sql(kernel: str, family: str, names: list[str]) -> str:
    """The statement; every value travels beside it as a named parameter, so that no text can end a literal.

    Examples
    --------
    >>> sql("degree", "graph", ["edges", "directed"])
    'CALL sparkgap.graph.degree(edges => :edges, directed => :directed)'
    """
    words = [kernel, family, *names]
    if not all(word.isidentifier() and word.isascii() for word in words):
        raise ArgumentError.of(
            "call", "names of letters, digits and _", ", ".join(map(repr, words)), "Take them from the Spec."
        )
    return f"CALL sparkgap.{family}.{kernel}({', '.join(f'{n} => :{n}' for n in names)})"


@spark_errors()
def run_sql(spark: SparkSession, query: str, args: Mapping[str, Any] | None = None) -> list[Any]:
    """The rows of a statement, in a session that has the plug-in; exceptions as `spark_errors` says."""
    require_plugin(spark)
    try:
        values = {name: _literal(value) for name, value in (args or {}).items()}
        return cast("list[Any]", (spark.sql(query, args=values) if values else spark.sql(query)).collect())
    except KeyboardInterrupt:
        # PySpark's own handler asks the JVM over the connection that this thread is just reading from, which fails: it
        # would go on.
        if not is_remote(spark):
            with contextlib.suppress(Exception):
                spark.interruptAll()
        raise


def _literal(value: Any) -> Any:
    """What spark.sql takes as the value of a named parameter: all but a dict goes as it is."""
    if not isinstance(value, dict):
        return value
    from pyspark.sql.functions import create_map, lit

    return create_map(*(lit(part) for pair in value.items() for part in pair))


PHASES = (
    "read_s",
    "export_s",
    "fetch_s",
    "render_s",
    "memory_s",
    "launch_s",
    "build_s",
    "compute_s",
    "write_s",
    "parse_s",
    "readback_s",
)


def phase_order(name: str) -> tuple[int, str]:
    """Sorts phases by when they run, unknown ones last."""
    return (PHASES.index(name) if name in PHASES else len(PHASES), name)


def _checked(kernel: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters checked by the Spec of this installation; without one (a thin client) the server checks them."""
    if kernel not in specs.names():
        return dict(parameters)
    known = {p.name: p for p in specs.load(kernel).parameters}
    return {name: known[name].check(value) if name in known else value for name, value in parameters.items()}


def _checked_common(common: Mapping[str, Any]) -> dict[str, Any]:
    checked = {p.name: p.check(common[p.name]) for p in COMMON if p.name != "result"}
    result = common["result"]
    if result is not None and not isinstance(result, str):
        raise ArgumentError.of(
            "result", "a name for the result table", repr(result), "Give a string, or leave result out."
        )
    return {**checked, "result": result}


def frame(name: str, given: Any) -> DataFrame:
    """What was given for an input.

    Raises
    ------
    ArgumentError
        It is no DataFrame.
    """
    if not hasattr(given, "createOrReplaceTempView"):
        raise ArgumentError.of(name, "a DataFrame", type(given).__name__, "Read or create one.")
    return cast("DataFrame", given)


@contextlib.contextmanager
def view(spark: SparkSession, rows: DataFrame) -> Iterator[str]:
    """A temporary view of the rows for the time of the body."""
    name = f"sparkgap_{uuid.uuid4().hex}"
    # Dropping a view uncaches what has the view's plan. A filter that keeps all rows, and that Spark optimises away,
    # makes it another plan than the user's own; select("*") does not.
    rows.where("true").createOrReplaceTempView(name)
    try:
        yield name
    finally:
        with contextlib.suppress(Exception):
            spark.catalog.dropTempView(name)
