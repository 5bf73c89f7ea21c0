# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of a job on this host, each under a guard, and waits for their end (docs/program-contract.md)."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from .. import environment, processes
from ..errors import LaunchError

GUARD = "sparkgap-rank"
_LIBRARY = "libmpi_abi.so.1"
# What programs inherit of this process's environment: where things are, and how MPI and OpenMP work. A key or token may
# have any other name.
_INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR",
              "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "CUDA_HOME",
              "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "PYTHONPATH", "PYTHONHOME",
              "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "PYTHONUSERBASE",
              "PERL5LIB", "R_HOME", "R_LIBS", "R_LIBS_USER", "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH",
              "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "SPARKGAP_MPI_LIBRARY")  # fmt: skip
_FAMILIES = ("LC_", "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "BLIS_", "MPIR_", "MPICH_", "MPIEXEC_", "HYDRA_",
             "UCX_", "FI_", "I_MPI_", "HWLOC_", "NCCL_")  # fmt: skip
_LOOK_S = 0.002
_SLOWEST_LOOK_S = 0.05


def inherited() -> dict[str, str]:
    """This process's environment as far as programs get it."""
    return {k: v for k, v in os.environ.items() if k in _INHERITED or k.startswith(_FAMILIES)}


def command(guard_path: Path, program: Path, directory: Path, ranks: int) -> list[str]:
    """What starts the ranks: the guard itself, or mpiexec under one.

    Raises
    ------
    LaunchError
        Several ranks, and no mpiexec.
    """
    guard = str(guard_path)
    if ranks == 1:
        return [guard, "--job", str(directory), "--", str(program)]
    mpiexec = environment.mpiexec()
    if mpiexec is None:
        raise LaunchError.of("mpiexec", f"one for {ranks} ranks", "none", environment.INSTALL_MPICH)
    # Without -hosts it would ask the batch system that we run in.
    words = ["-launcher", "fork", "-hosts", f"localhost:{ranks}", "-n", str(ranks), guard, "--here", "--"]
    return [guard, "--exec", "--", mpiexec, *words]


def variables(program: Path, directory: Path, ranks: int, threads: int) -> dict[str, str]:
    """The environment of the ranks; what the user has set of MPI and OpenMP is kept."""
    found = inherited()
    by_default = {}
    if ranks * threads > environment.cores():
        # Threads and ranks that wait would spin on cores that the others need.
        by_default["OMP_WAIT_POLICY"] = "passive"
        by_default["MPIR_CVAR_CH4_PROGRESS_THROTTLE"] = "1"
        by_default["MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT"] = "64"
    if ranks > 1:
        by_default |= {"UCX_TLS": "self,posix", "HWLOC_XMLFILE": "/dev/null"}
    own = {
        "SPARKGAP_JOB": str(directory),
        "OMP_NUM_THREADS": str(threads),
        "OMP_PROC_BIND": "false",
        "TMPDIR": str(directory / "tmp"),
    }
    if ranks > 1:
        own |= {"SPARKGAP_PROGRAM": str(program), "SPARKGAP_PATH": found.get("PATH", "")}
        library = Path(environment.mpiexec() or "").resolve().parent.parent / "lib" / _LIBRARY
        if library.exists():
            own["SPARKGAP_MPI_LIBRARY"] = str(library)
    return {**by_default, **found, **own}


@contextlib.contextmanager
def started(words: list[str], env: Mapping[str, str], directory: Path, work: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The launcher, in the folder `work`, which has ended with all of the job's processes when the block is left.

    Raises
    ------
    LaunchError
        It cannot be started.
    """
    (directory / "tmp").mkdir(mode=0o700)
    try:
        with open(directory / "launcher.log", "wb") as log:
            child = subprocess.Popen(
                words, env=env, cwd=work, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
    except OSError as e:
        do = "Build or install sparkgap again."
        raise LaunchError.of(words[0], "a program that starts", str(e.strerror), do) from None
    try:
        yield child
    finally:
        if child.poll() is None or marked(directory):
            kill(child, directory)


def wait(child: subprocess.Popen[bytes], deadline: float, *, look: float = _LOOK_S) -> None:
    """Returns when the launcher has ended. Errors: TimeoutError at the deadline, on the monotonic clock."""
    while child.poll() is None:
        if time.monotonic() > deadline:
            raise TimeoutError
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(look)
        look = min(2 * look, _SLOWEST_LOOK_S)


def marked(directory: Path) -> list[int]:
    """The processes that have the job's folder in their environment, guards first, so that none takes the kill of its
    rank for one from outside.
    """
    mark, found = f"SPARKGAP_JOB={directory}\0".encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes() and b") Z " not in (entry / "stat").read_bytes():
                    found.append(int(entry.name))
    return sorted(found, key=lambda pid: not _is_guard(pid))


def kill(child: subprocess.Popen[bytes], directory: Path) -> None:
    """SIGKILL until none is left. Errors: LaunchError where one survives."""

    def left() -> list[int]:
        return marked(directory) or ([child.pid] if child.poll() is None else [])

    if found := processes.end(left, 0):
        said = ", ".join(map(str, found))
        raise LaunchError.of("launch", "no process of the job left after SIGKILL", said, "Look why they stay.")


def _is_guard(pid: int) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/exe").endswith(f"/{GUARD}")
    except OSError:
        return False
