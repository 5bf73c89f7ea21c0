# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What is here, what is missing, and the line to paste for it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import claimed_cpus as processors
from . import environment, spec
from .call_table import size
from .errors import LaunchError, SparkGapError

if TYPE_CHECKING:
    from rich.table import Table

_CONNECT = ("pandas", "pyarrow", "grpc", "grpc_status", "google.rpc", "zstandard")
_INSTALL = "Run 'make' in the source tree, or: pip install --force-reinstall sparkgap"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; `fix` is the line to paste where it is not ok."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    required: bool = True


@dataclass
class Report:
    """All checks; `ok` where nothing required is missing."""

    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(c.ok or not c.required for c in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The report for machines."""
        return {"ok": self.ok, "checks": [asdict(c) for c in self.checks]}

    def as_table(self) -> Table:
        """The report for people."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title="sparkgap doctor", title_justify="left")
        for name in ("check", "state", "detail"):
            table.add_column(name, overflow="fold")
        for c in self.checks:
            state = (
                Text("ok", "green")
                if c.ok
                else Text("missing" if c.required else "absent", "red" if c.required else "yellow")
            )
            table.add_row(c.name, state, Text(c.detail + (f"\n{c.fix}" if c.fix and not c.ok else "")))
        return table

    def __repr__(self) -> str:
        lines = [
            f"{'ok     ' if c.ok else 'MISSING'} {c.name}: {c.detail}{' ' + c.fix if c.fix and not c.ok else ''}"
            for c in self.checks
        ]
        return "\n".join(lines)

    def raise_if_missing(self) -> None:
        """Raise for the first required thing that is missing.

        Raises
        ------
        LaunchError
            Something required is missing.
        """
        for c in self.checks:
            if c.required and not c.ok:
                raise LaunchError.of("doctor", f"{c.name} to work", c.detail.rstrip("."), c.fix)


def doctor(*, store: str | os.PathLike[str] | None = None) -> Report:
    """Look at everything that sparkgap stands on, without starting Spark.

    Parameters
    ----------
    store : path, optional
        The store directory to look at; `spark.sparkgap.store.dir`'s default otherwise.

    Returns
    -------
    Report
        Prints as one line per check.

    Examples
    --------
    >>> doctor().ok
    True
    """
    report = Report()
    add = report.checks.append
    add(Check("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"))
    add(_try("java", environment.INSTALL_JAVA, lambda: f"{environment.java_version()} at {environment.java()}"))
    add(_try("pyspark", environment.INSTALL_PYSPARK, environment.pyspark_version))
    add(_numpy())
    add(_connect())
    add(_jar())
    add(_kernels())
    for name in spec.names():
        add(_kernel(name))
    add(_confinement())
    add(_mpi())
    place = Path(store) if store is not None else environment.store_dir()
    add(_store(place))
    report.checks.extend(_huge_pages(place))
    add(Check("cores", True, f"{environment.cores()} of {os.cpu_count()} usable"))
    add(_affinity(environment.lock_dir()))
    add(Check("memory", True, f"{size(environment.memory_bytes())} usable"))
    return report


def _try(name: str, fix: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except SparkGapError as e:
        return Check(name, False, str(e), fix)


def _numpy() -> Check:
    """The packages that pyspark.ml needs and pyspark does not install."""
    try:
        import numpy
    except ImportError as e:
        return Check(
            "numpy",
            False,
            f"{e}; pyspark.ml, the estimators of sparkgap.ml and sparkgap.tensor.CPD need it.",
            environment.INSTALL_NUMPY,
            required=False,
        )
    return Check("numpy", True, numpy.__version__)


def _connect() -> Check:
    """The packages that a client of Spark Connect imports."""
    absent = [name for name in _CONNECT if not _is_there(name)]
    if absent:
        return Check(
            "connect",
            False,
            f"no {', '.join(absent)}; Spark Connect needs them.",
            environment.INSTALL_CONNECT,
            required=False,
        )
    return Check("connect", True, ", ".join(_CONNECT))


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:  # of the package above it
        return False


def _jar() -> Check:
    if spec.JAR.is_file():
        return Check("jar", True, f"{spec.JAR} ({size(spec.JAR.stat().st_size)})")
    return Check("jar", False, f"no {spec.JAR}", _INSTALL)


def _kernels() -> Check:
    names = spec.names()
    guard = spec.NATIVE / "sparkgap-rank"
    if names and os.access(guard, os.X_OK):
        return Check("kernels", True, f"{', '.join(names)} in {spec.NATIVE}")
    return Check("kernels", False, f"no {'programs' if not names else guard.name} in {spec.NATIVE}", _INSTALL)


def _kernel(name: str) -> Check:
    return _try(f"kernel {name}", _INSTALL, lambda: spec.describe_live(name).summary)


def _confinement() -> Check:
    """Whether programs of users can be kept from looking into other processes of theirs."""
    try:
        done = subprocess.run([spec.NATIVE / "sparkgap-rank", "--confined"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as e:
        return Check("programs", False, str(e), _INSTALL, required=False)
    if done.returncode == 0:
        return Check("programs", True, "they cannot look into other processes")
    return Check(
        "programs",
        False,
        done.stderr.strip(),
        "Turn Landlock on: lsm=landlock,... on the kernel's command line",
        required=False,
    )


def _mpi() -> Check:
    program = environment.mpiexec()
    if program is None:
        return Check(
            "mpiexec", False, "none; one rank works without, more need it.", environment.INSTALL_MPICH, required=False
        )
    check = _try("mpiexec", environment.INSTALL_MPICH, lambda: f"{environment.mpiexec_version(program)} at {program}")
    return Check(check.name, check.ok, check.detail, check.fix, required=False)


def _affinity(folder: Path) -> Check:
    """The processes that have bound tasks or ranks to processors of this host."""
    found = [str(holder) for holder in processors.holders(folder)]
    return Check("affinity", True, f"{'; '.join(found) if found else 'no processor is claimed'} ({folder})")


def _store(place: Path) -> Check:
    there = place
    while not there.exists() and there != there.parent:
        there = there.parent
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        fix = "Set spark.sparkgap.store.dir (sparkgap run: --store) to a folder that you may write."
        return Check("store", False, f"{place} cannot be written ({there})", fix)
    return Check("store", True, f"{place}, {size(shutil.disk_usage(there).free)} free")


def _huge_pages(place: Path) -> list[Check]:
    """Nothing where the store is on disk."""
    found = environment.huge_pages(place)
    if found is None:
        return []
    mount, huge = found
    fix = f"Tables are cached and read faster after (as root): mount -o remount,huge=within_size {mount}"
    return [Check("huge pages", huge in ("always", "within_size"), f"{huge} at {mount}", fix, required=False)]
