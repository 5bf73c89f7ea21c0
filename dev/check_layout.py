# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where the tree is not as kernels/README.md says: a library that uses one below it, a kernel that uses another,
a folder that is too large.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 24
INCLUDE = re.compile(r'^#include "(\w+)/[^"]+"', re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| [^|]* \|$", re.MULTILINE)
# Not in the users' way: what tests share, and the fuzz targets.
ASIDE = {"test", "fuzz", "cmake"}


def libraries(page):
    """The libraries in the order of the table in kernels/README.md: each may use those above it."""
    return ROW.findall(page.read_text().split("## What they share")[1].split("## ")[0])


def layer_faults(source):
    """What includes the wrong folder."""
    order = libraries(source / "README.md")
    folders = {f.name for f in source.iterdir() if f.is_dir()} - ASIDE
    for missing in sorted(set(order) - folders):
        yield f"kernels/README.md: expected folders of kernels/, found {missing}. Do take it out."
    for file in sorted(source.glob("*/*")):
        folder = file.parent.name
        if folder in ASIDE or file.suffix not in {".h", ".cc", ".c"}:
            continue
        test = file.stem.endswith(("_test", "_oracle"))
        allowed = set(order[: order.index(folder)] if folder in order else set(order) - {"program", "guard"}) | {folder}
        if folder == "guard":
            allowed = {folder}
        if test:
            allowed |= ASIDE | set(order)
        for used in INCLUDE.findall(file.read_text()):
            if used not in allowed:
                yield (
                    f"kernels/{folder}/{file.name}: expected {folder} to use"
                    f" {', '.join(sorted(allowed - {folder})) or 'nothing'}, found {used}. Do move one of them."
                )


def size_faults(source):
    for folder in sorted(f for f in source.iterdir() if f.is_dir() and f.name not in ASIDE):
        count = sum(1 for f in folder.iterdir() if f.is_file())
        if count > MOST_FILES:
            yield f"kernels/{folder.name}: expected at most {MOST_FILES} files, found {count}. Do split it by idea."


def main(root=ROOT):
    source = Path(root) / "kernels"
    faults = [*layer_faults(source), *size_faults(source)]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_layout: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
