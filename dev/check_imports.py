# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where a folder uses another that docs/architecture.md does not allow it to use."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAY_USE = {"store": set(), "topology": set(), "launch": {"store", "topology"}, "spark": {"store", "launch", "topology"}}
JVM_USE = re.compile(r"\borg\.sparkgap\.(\w+)")
PYTHON_JVM = re.compile(r"\._(jdf|jvm|jsc|jsparkSession|jc)\b")
PYTHON_IMPORT = re.compile(r"^\s*(?:from|import)\s+(pyspark\.(?:core|java_gateway|sql\.classic)\S*)", re.MULTILINE)
NATIVE_INCLUDE = re.compile(r'#include\s+"([^"]+)"')


def jvm_faults():
    for module, allowed in MAY_USE.items():
        for file in sorted((ROOT / module / "src").rglob("*")):
            if file.suffix not in {".java", ".scala"}:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                for used in JVM_USE.findall(line):
                    if used in MAY_USE and used != module and used not in allowed:
                        yield f"{file.relative_to(ROOT)}:{number}: {module}/ may not use {used}/"


def python_faults():
    for file in sorted((ROOT / "python" / "sparkgap").rglob("*.py")):
        text = file.read_text()
        for pattern in (PYTHON_JVM, PYTHON_IMPORT):
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield (
                    f"{file.relative_to(ROOT)}:{line}: {match.group().strip()!r} does not exist in Spark Connect;"
                    " use SQL"
                )


def native_faults():
    known = {file.name for file in (ROOT / "kernels").rglob("*.h")} | {
        "mpi_abi.h",
        "nanoarrow.h",
        "nanoarrow_ipc.h",
        "nanoarrow.hpp",
    }
    for file in sorted((ROOT / "kernels").rglob("*")):
        if file.suffix not in {".h", ".cc"}:
            continue
        for include in NATIVE_INCLUDE.findall(file.read_text()):
            if Path(include).name not in known and not include.startswith("nanoarrow/"):
                yield f"{file.relative_to(ROOT)}: includes {include!r}, which is not of kernels/"


def main():
    faults = [*jvm_faults(), *python_faults(), *native_faults()]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_imports: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
