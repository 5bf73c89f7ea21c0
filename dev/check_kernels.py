# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where a kernel's folder lacks a part, or code names a kernel that should follow from the Specs.

ROOMS says where it looks, and how often a kernel, or how many kernels, may be named there.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("{k}.h", "{k}.cc", "{k}_test.cc", "{k}.md")
# C++ of kernels/ names a kernel in its own folder alone; of the package one place in Python may, a file or a folder of
# one idea; elsewhere kernels are examples, and a file that names more than a few of them has a list of them.
ROOMS = {
    "kernels": "folder",
    "python/sparkgap": "place",
    # Estimators lie beside it, in org/sparkgap/ml: they are Spark's classes.
    "spark/src/main/scala/org/sparkgap/spark": "none",
    **dict.fromkeys(("python/tests", "conformance", "bench", "examples", "dev"), "few"),
}
FEW = 6
GENERATED = "Written by dev/make_kernels.py"
# One idea within the package: what other libraries call the same.
PLACES = ("python/sparkgap/graph/graphframe", "python/sparkgap/networkx")
# Workloads of studies have the names of the literature, whoever computes them: a few in a file.
WORKLOADS = "python/sparkgap/lab/"
# What other people's libraries call the same: one line for each kernel that they have.
PEERS = ("bench/graph_peers.py", "python/sparkgap/lab/workloads/__init__.py")
# Also words for something else, as strings; only the forms below count.
WORDS = {"components", "degree"}
FAMILIES = ("graph", "ml", "tensor")
ASIDE = {"test", "fuzz", "cmake"}


def kernels(source):
    """The folders whose <k>/<k>.cc defines kKernel, as kernels/CMakeLists.txt finds them."""
    return {
        f.stem
        for f in source.glob("*/*.cc")
        if f.stem == f.parent.name and re.search(r"^const Kernel kKernel", f.read_text(), re.MULTILINE)
    }


def makers(source):
    """Those whose result is a graph, which the others start from: the whole program knows them."""
    return {k for k in kernels(source) if ".makes_graph = true" in (source / k / f"{k}.cc").read_text()}


def part_faults(root, found):
    for k in sorted(found):
        for part in PARTS:
            if not (root / "kernels" / k / part.format(k=k)).exists():
                yield f"kernels/{k}: expected {part.format(k=k)}, found none. Do add it."


def named_in_cxx(text, found):
    """The kernels that a C++ file names: by program, namespace, header or as a string."""
    named = set(re.findall(r"sparkgap-(\w+)|\b(\w+)::|^#include \"(\w+)/", text, re.MULTILINE))
    strings = set(re.findall(r'"(\w+)"', text)) - WORDS
    return found & ({word for words in named for word in words} | strings)


def named_in_python(text, found):
    """The kernels that a Python file names: by program, as a string, an import or an attribute of a family."""
    named = set(re.findall(r"sparkgap-(\w+)", text))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in WORDS:
            named.add(node.value)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[-1] in ("kernels", *FAMILIES):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] in FAMILIES:
            named.add(node.attr)
    return found & named


def place_of(path):
    return " ".join(PLACES) if path.startswith(tuple(f"{place}/" for place in PLACES)) else path


def word_faults(root, found):
    for room, rule in ROOMS.items():
        places = {}
        for file in sorted((root / room).rglob("*")):
            path = file.relative_to(root).as_posix()
            if rule == "folder":
                test = file.stem.endswith(("_test", "_oracle")) or file.relative_to(root / room).parts[0] in ASIDE
                if file.suffix in {".h", ".cc"} and not test:
                    for k in sorted(named_in_cxx(file.read_text(), found - {file.parent.name})):
                        yield f"{path}: expected {k} in kernels/{k} alone, found it here. Do use its Spec."
            elif rule == "none":
                if file.suffix in {".scala", ".java"} and GENERATED not in (text := file.read_text()):
                    for k in sorted(found & (set(re.findall(r'"(\w+)"', text)) - WORDS)):
                        yield f"{path}: expected no kernel's name in the JVM's code, found {k}. Do use its Spec."
            elif file.suffix == ".py" and GENERATED not in (text := file.read_text()):
                named = named_in_python(text, found)
                is_few = rule == "few" or path.startswith(WORKLOADS)
                for k in () if is_few else named:
                    places.setdefault(k, set()).add(place_of(path))
                if is_few and len(named) > FEW and path not in PEERS:
                    yield (
                        f"{path}: expected at most {FEW} kernels, found {len(named)}: {' '.join(sorted(named))}."
                        " Do let the list follow from the Specs."
                    )
        for k, files in sorted(places.items()):
            if rule == "place" and len(files) > 1:
                yield f"{room}: expected {k} in one place, found {' '.join(sorted(files))}. Do leave one of them."


def main(root=ROOT):
    root = Path(root)
    found = kernels(root / "kernels")
    faults = [*part_faults(root, found), *word_faults(root, found - makers(root / "kernels"))]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_kernels: {len(found)} kernels, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
