# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where a folder uses another that docs/architecture.md does not allow it to use, or Python modules import each
other in a circle.
"""

import ast
import graphlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAY_USE = {
    "store": set(),
    "topology": set(),
    "launch": {"store", "topology"},
    "mapreduce": set(),
    "spark": {"store", "launch", "topology"},
    "bench": {"spark", "store"},
}
JVM_USE = re.compile(r"\borg\.sparkgap\.(\w+)")
PYTHON_JVM = re.compile(r"\._(jdf|jvm|jsc|jsparkSession|jc)\b")
PYTHON_IMPORT = re.compile(r"^\s*(?:from|import)\s+(pyspark\.(?:core|java_gateway|sql\.classic)\S*)", re.MULTILINE)
NATIVE_INCLUDE = re.compile(r'#include\s+"([^"]+)"')


def jvm_faults(root):
    for module, allowed in MAY_USE.items():
        for file in sorted((root / module).rglob("src/**/*")):
            if file.suffix not in {".java", ".scala"}:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                for used in JVM_USE.findall(line):
                    if used in MAY_USE and used != module and used not in allowed:
                        yield f"{file.relative_to(root)}:{number}: {module}/ may not use {used}/"


def python_faults(root):
    for file in sorted((root / "python" / "sparkgap").rglob("*.py")):
        text = file.read_text()
        for pattern in (PYTHON_JVM, PYTHON_IMPORT):
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield (
                    f"{file.relative_to(root)}:{line}: {match.group().strip()!r} does not exist in Spark Connect;"
                    " use SQL"
                )


def native_faults(root):
    known = {file.name for file in (root / "kernels").rglob("*.h")} | {
        "mpi_abi.h",
        "nanoarrow.h",
        "nanoarrow_ipc.h",
        "nanoarrow.hpp",
    }
    for file in sorted((root / "kernels").rglob("*")):
        if file.suffix not in {".h", ".cc"}:
            continue
        for include in NATIVE_INCLUDE.findall(file.read_text()):
            if Path(include).name not in known and not include.startswith("nanoarrow/"):
                yield f"{file.relative_to(root)}: includes {include!r}, which is not of kernels/"


def imported(node, package):
    """What the statements below a node import, as (module, name or None); what only type checkers read is left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.ImportFrom):
            above = package[: len(package) - child.level + 1] if child.level else []
            module = ".".join([*above, *([child.module] if child.module else [])])
            yield from ((module, alias.name) for alias in child.names)
        elif isinstance(child, ast.Import):
            yield from ((alias.name, None) for alias in child.names)
        yield from imported(child, package)


def circle_faults(root):
    """Circles among the modules of the Python package; an import in a function counts, too."""
    files = {}
    for file in sorted((root / "python" / "sparkgap").rglob("*.py")):
        parts = file.relative_to(root / "python").with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    uses = {}
    for module, file in files.items():
        package = module.split(".") if file.stem == "__init__" else module.split(".")[:-1]
        found = {f"{m}.{n}" if f"{m}.{n}" in files else m for m, n in imported(ast.parse(file.read_text()), package)}
        uses[module] = (found & set(files)) - {module}
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as e:
        circle = " -> ".join(reversed(e.args[1]))
        yield f"python/sparkgap: expected imports without a circle, found {circle}. Do move what both need to a third."


def main(root=ROOT):
    root = Path(root)
    faults = [*jvm_faults(root), *python_faults(root), *native_faults(root), *circle_faults(root)]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_imports: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
