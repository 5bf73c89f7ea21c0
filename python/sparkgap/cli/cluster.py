# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap cluster`: Spark in an allocation of a batch system."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json
from .spark import parse_conf

if TYPE_CHECKING:
    from ..cluster.control import Wanted

_Hosts = Annotated[Path | None, typer.Option(metavar="FILE", help="A host in each line, in place of an allocation.")]
_FolderOption = Annotated[
    Path | None, typer.Option("--folder", metavar="FOLDER", help="Logs and state; all nodes must see it.")
]
_Conf = Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting in place of the plan's.")]
_Scratch = Annotated[list[Path] | None, typer.Option(metavar="FOLDER", help="One more folder that shuffles may use.")]
_NoProbe = Annotated[bool, typer.Option("--no-probe", help="Measure nothing.")]
_Wait = Annotated[float, typer.Option(metavar="SECONDS", help="For all workers to come.")]
_Tables = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Published tables come from there, and are kept there at the end.")
]
_Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]


def make_app(words: Sequence[str] = (), **plain: Any) -> typer.Typer:
    """The verbs below `cluster`."""
    app = typer.Typer(help="Spark in an allocation of Slurm, PBS or hosts: `start`, `run`, `status`, `stop`.", **plain)
    for verb in (start, run, prove, status, stop, module):
        settings = {"allow_interspersed_args": False} if verb in (run, prove) else {}
        app.command(context_settings=settings)(verb)
    return app


def start(
    hosts: _Hosts = None,
    folder: _FolderOption = None,
    conf: _Conf = None,
    scratch: _Scratch = None,
    no_probe: _NoProbe = False,
    wait: _Wait = 120.0,
    tables: _Tables = None,
    debug: _Debug = False,
) -> int:
    """Start a master here and a worker on each node; it runs until it is stopped, or the job ends."""
    from ..cluster import control

    wanted = _wanted(hosts, folder, conf, scratch, no_probe, wait, tables)
    planned = control.start(wanted, _say)
    for each in planned.settings:
        _say(f"{each.key} = {each.value}: {each.reason}")
    _say("programs find it with the next line")
    print(f"export SPARK_CONF_DIR={wanted.folder.conf} SPARK_LOCAL_IP={wanted.folder.plan()['address']}")
    return 0


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="A program that starts Spark.")],
    hosts: _Hosts = None,
    folder: _FolderOption = None,
    conf: _Conf = None,
    scratch: _Scratch = None,
    no_probe: _NoProbe = False,
    wait: _Wait = 120.0,
    tables: _Tables = None,
    report: Annotated[bool, typer.Option("--report", help="Profile it, and write report.html to the folder.")] = False,
    print_script: Annotated[
        bool, typer.Option("--print-script", help="Print a script for sbatch that does this, and do no more.")
    ] = False,
    nodes: Annotated[int, typer.Option(metavar="N", help="Of the script.")] = 1,
    time: Annotated[str | None, typer.Option(metavar="HH:MM:SS", help="Of the script.")] = None,
    memory: Annotated[str | None, typer.Option("--mem", metavar="SIZE", help="Of the script: of each node.")] = None,
    cpus: Annotated[
        int | None, typer.Option(metavar="N", help="Of the script: of each node, else whole nodes.")
    ] = None,
    partition: Annotated[str | None, typer.Option(metavar="NAME", help="Of the script.")] = None,
    account: Annotated[str | None, typer.Option(metavar="NAME", help="Of the script.")] = None,
    scheduler: Annotated[str, typer.Option(metavar="slurm|pbs", help="Of the script.")] = "slurm",
    debug: _Debug = False,
) -> int:
    """Run a program in a cluster of its own: start, run, stop."""
    from ..cluster import program, script

    if print_script:
        job = script.Job(nodes, time, memory, cpus, partition, account)
        options = [word for each in conf or [] for word in ("--conf", each)]
        options += [word for each in scratch or [] for word in ("--scratch", str(each))]
        options += [*(["--no-probe"] if no_probe else []), *(["--report"] if report else [])]
        options += [] if tables is None else ["--tables", str(tables)]
        print((script.qsub if scheduler == "pbs" else script.sbatch)(job, command, options), end="")
        return 0
    return program.run(_wanted(hosts, folder, conf, scratch, no_probe, wait, tables), command, _say, report=report)


def prove(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND...]", help="A program that starts Spark; else a sort.")
    ] = None,
    hosts: _Hosts = None,
    folder: _FolderOption = None,
    conf: _Conf = None,
    scratch: _Scratch = None,
    wait: _Wait = 120.0,
    rounds: Annotated[int, typer.Option(metavar="N", min=1, help="Each way of setting Spark runs so often.")] = 3,
    size: Annotated[str, typer.Option(metavar="BYTES", help="Of what is sorted: 512m, 4g.")] = "1g",
    json_: Json = False,
    debug: _Debug = False,
) -> int:
    """Measure a program with the plan, with Spark's own settings, and with the slowest folder for shuffles."""
    from ..cluster import proof

    found = proof.prove(_wanted(hosts, folder, conf, scratch, False, wait), command or [], rounds, size, _say)
    print(json.dumps(found.as_json()) if json_ else found.as_text())
    return 0


def status(hosts: _Hosts = None, folder: _FolderOption = None, json_: Json = False, debug: _Debug = False) -> int:
    """Say whether it is up, and which workers are there; 1 where it is not."""
    from ..cluster import control

    found = control.status(_folder(hosts, folder))
    if json_:
        print(json.dumps(found))
    else:
        print(f"{found['state']}{': ' + found['why'] if found['why'] else ''} {found['master'] or ''}".rstrip())
        for name, each in found["workers"].items():
            print(f"{name}: {each['state']}, {each['cores']} cores, {each['memory_mib']} MiB")
    return 0 if found["state"] == "up" else 1


def stop(hosts: _Hosts = None, folder: _FolderOption = None, debug: _Debug = False) -> int:
    """End it, and take away what it left on the nodes."""
    from ..cluster import control

    control.stop(_folder(hosts, folder))
    return 0


def module(
    kind: Annotated[str, typer.Argument(metavar="lua|tcl", help="For Lmod, or for Environment Modules.")],
    debug: _Debug = False,
) -> int:
    """Print a module file that puts this installation, its Spark and its Java into a user's environment."""
    from .. import environment
    from ..cluster import script, spark
    from ..errors import ArgumentError

    if kind not in ("lua", "tcl"):
        raise ArgumentError.of("cluster module", "lua or tcl", repr(kind), "Choose one.")
    java = Path(environment.java()).resolve().parent.parent
    variables = {"SPARK_HOME": str(spark.home()), "JAVA_HOME": str(java)}
    paths = {"PATH": str(Path(sys.executable).parent)}
    text = (script.module_lua if kind == "lua" else script.module_tcl)(environment.own_version(), variables, paths)
    print(text, end="")
    return 0


def _wanted(
    hosts: Path | None,
    folder: Path | None,
    conf: list[str] | None,
    scratch: list[Path] | None,
    no_probe: bool,
    wait: float,
    tables: Path | None = None,
) -> Wanted:
    from ..cluster import allocation
    from ..cluster.control import Wanted
    from ..cluster.folder import Folder

    found = allocation.here(hosts=hosts)
    return Wanted(found, Folder.of(found, folder), parse_conf(conf or []), scratch or [], not no_probe, wait, tables)


def _folder(hosts: Path | None, folder: Path | None) -> Any:
    from ..cluster import allocation
    from ..cluster.folder import Folder

    return Folder(folder.absolute()) if folder is not None else Folder.of(allocation.here(hosts=hosts), None)


def _say(text: str) -> None:
    print(f"cluster: {text}", file=sys.stderr)
