# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`sparkgap cxx`: compiles a vertex program of the user's own against the installed headers and library."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError, DataError, LaunchError

NATIVE = Path(__file__).resolve().parent.parent / "native"
_TIMEOUT_S = 600
# One binary for every host of a cluster: the baseline of the shipped kernels.
_PORTABLE = {"x86_64": ["-march=x86-64-v2"]}


def compiler() -> str:
    """The C++ compiler: `$CXX`, else the first of c++, g++, clang++ on PATH.

    Raises
    ------
    LaunchError
        There is none.
    """
    named = os.environ.get("CXX")
    for candidate in (named,) if named else ("c++", "g++", "clang++"):
        found = shutil.which(candidate)
        if found:
            return found
    raise LaunchError.of(
        "cxx",
        "a C++20 compiler on PATH or in CXX",
        repr(named) if named else "none",
        "Run 'apt-get install g++', or set CXX.",
    )


def command(
    source: Path, out: Path, flags: Sequence[str] = (), *, cxx: str = "c++", machine: str | None = None
) -> list[str]:
    """The command line that makes `out` of `source`, as a value.

    Examples
    --------
    >>> " ".join(command(Path("a.cc"), Path("a"), ["-g"], machine="other")[:6])
    'c++ -std=c++20 -O3 -DNDEBUG -fopenmp -g'
    """
    portable = _PORTABLE.get(machine or os.uname().machine, [])
    libraries = [f"-L{NATIVE / 'lib'}", "-lsparkgap", "-static-libstdc++", "-static-libgcc", "-ldl", "-pthread"]
    return [
        *(cxx, "-std=c++20", "-O3", "-DNDEBUG", "-fopenmp", *portable, *flags),
        *(
            f"-I{NATIVE / 'include'}",
            f"-I{NATIVE / 'include' / 'sparkgap' / 'kit'}",
            str(source),
            "-o",
            str(out),
            *libraries,
        ),
    ]


def compile_program(source: str | Path, out: str | Path, flags: Sequence[str] = ()) -> Path:
    """Compile one file with a vertex program into a program that `sparkgap.graph.run` takes.

    Parameters
    ----------
    source : str or Path
        A C++ file that ends with `SPARKGAP_VERTEX_PROGRAM(...)`; see docs/vertex-programs.md.
    out : str or Path
        Where the program goes; an existing file is replaced only when the compilation succeeds.
    flags : sequence of str
        More flags for the compiler, for example `-march=native`.

    Returns
    -------
    Path
        `out`, absolute.

    Raises
    ------
    ArgumentError
        There is no such file, or no folder for the program that may be written to.
    LaunchError
        There is no compiler, or this installation has no headers.
    DataError
        It does not compile; the compiler has said why on stderr.
    """
    source, out = Path(source), Path(out).absolute()
    if not source.is_file():
        raise ArgumentError.of("cxx", "a C++ file", f"none at {source}", "Check the path.")
    if not (NATIVE / "lib" / "libsparkgap.a").is_file():
        raise LaunchError.of(
            "cxx", f"{NATIVE / 'lib' / 'libsparkgap.a'}", "none", "Install sparkgap again, or run make in a checkout."
        )
    if not (out.parent.is_dir() and os.access(out.parent, os.W_OK | os.X_OK)):
        raise ArgumentError.of(
            "cxx", "a folder that you may write to for the program", str(out.parent), "Choose another."
        )
    # In a folder of its own: a linker writes through a link that another user put under a name that can be
    # foreseen.
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as aside:
        made = Path(aside) / out.name
        try:
            done = subprocess.run(command(source, made, flags, cxx=compiler()), timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise LaunchError.of(
                f"cxx {source.name}", f"the compiler to end in {_TIMEOUT_S} s", "it running", "Split the file."
            ) from None
        if done.returncode != 0:
            raise DataError.of(
                f"cxx {source.name}",
                "a program that compiles",
                f"exit {done.returncode} of the compiler",
                "See its messages above.",
            )
        made.replace(out)
    return out


def cxx(
    source: Annotated[Path, typer.Argument(metavar="FILE.cc", help="A vertex program; see docs/vertex-programs.md.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="PROGRAM", help="Where the program goes.")],
    flag: Annotated[
        list[str] | None, typer.Option("--flag", help="One more flag for the compiler, as --flag=-g.")
    ] = None,
) -> None:
    """Compile a vertex program of your own."""
    print(compile_program(source, out, flag or []))
