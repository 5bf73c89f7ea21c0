# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`python -m sparkgap.accelerate [--quiet] app.py ARGUMENTS...`: the job as it is, with native kernels."""

from __future__ import annotations

import os
import runpy
import sys

from sparkgap.accelerate import install, report
from sparkgap.accelerate.decisions import say
from sparkgap.errors import ArgumentError, SparkGapError

_USAGE = "python -m sparkgap.accelerate [--quiet] (app.py | -m MODULE) ARGUMENTS..."


def main(words: list[str]) -> int:
    """Run the job; its exit status is that of Python with the job alone."""
    quiet = words[:1] == ["--quiet"]
    words = words[1:] if quiet else words
    module = words[:1] == ["-m"]
    words = words[1:] if module else words
    if not words or words[0] in ("-h", "--help") or words[0].startswith("-"):
        print(f"usage: {_USAGE}", file=sys.stderr)
        return 0 if words[:1] in (["-h"], ["--help"]) else ArgumentError.code
    if not module and not os.path.isfile(words[0]):
        print(ArgumentError.of("app", "a Python file", words[0], f"Do {_USAGE}."), file=sys.stderr)
        return ArgumentError.code
    try:
        install(quiet=quiet)
    except SparkGapError as e:
        print(e, file=sys.stderr)
        return e.code
    sys.argv = list(words)
    sys.path[0] = os.getcwd() if module else os.path.dirname(os.path.abspath(words[0]))
    try:
        if module:
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(words[0], run_name="__main__")
    finally:
        if report().decisions:
            say("what ran:")
            if not quiet:
                print(report(), file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
