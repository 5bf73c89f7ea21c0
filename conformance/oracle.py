# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The slow plain answers beside the kernels, kernels/<k>/<k>_oracle.py: `oracle.degree(edges)` is degree's.

As a script for tests in other languages, `python conformance/oracle.py KERNEL` reads a JSON object of arguments, of
which `edges` is a list of pairs, and prints a list of [id, value, ...]; infinity is written as Infinity.
"""

import importlib.util
import inspect
import json
import sys
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
sys.path.insert(0, str(KERNELS / "test"))  # what oracles share


def __getattr__(kernel):
    """The oracle of a kernel: a function of edges and of those of the kernel's parameters that matter, {id: answer}."""
    file = KERNELS / kernel / f"{kernel}_oracle.py"
    if not file.is_file():
        raise AttributeError(f"no oracle at {file}")
    spec = importlib.util.spec_from_file_location(f"{kernel}_oracle", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.answer


def answers(kernel, edges, **known):
    """The rows of a kernel's result, by as many of the arguments as its oracle takes."""
    oracle = __getattr__(kernel)
    takes = inspect.signature(oracle).parameters
    found = oracle(edges, **{name: value for name, value in known.items() if name in takes})
    return [(i, *value) if isinstance(value, tuple) else (i, value) for i, value in found.items()]


def main():
    given = json.load(sys.stdin)
    edges = [tuple(edge) for edge in given.pop("edges")]
    json.dump(answers(sys.argv[1], edges, **given), sys.stdout, default=lambda number: number.item())


if __name__ == "__main__":
    main()
