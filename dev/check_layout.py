# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where the tree is not as docs/architecture.md and kernels/README.md say.

kernels/: a library that uses one below it, a kernel that uses another, a folder that is too large.
spark/: packages in a circle, one without a sentence or too large, and state outside the two owners (ProcessState).
Everywhere: a line of source or prose that is longer than 120 columns.
"""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 24
MOST_IN_PACKAGE = 20
INCLUDE = re.compile(r'^#include "(\w+)/[^"]+"', re.MULTILINE)
ROW = re.compile(r"^\| `(\w+)` \| [^|]* \|$", re.MULTILINE)
PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
IMPORT = re.compile(r"^import (?:static )?(org\.sparkgap(?:\.[a-z]\w*)*)", re.MULTILINE)
OWNERS = "ProcessState.scala"
OBJECT = re.compile(r"^(?:private(?:\[\w+\])? )?(?:case )?object \w")
STATE = re.compile(
    r"^  (?:@volatile |private(?:\[\w+\])? |lazy |final )*(?:var \w|val .*=.*(?:mutable\.|ArrayBuffer|newKeySet"
    r"|new (?:Concurrent|Atomic|Linked|Hash|Weak|Tree|J)\w*(?:Map|Set|List|Queue|Deque|Long|Integer|Boolean|Ref\w+)))"
)
STATIC = re.compile(
    r"^  (?:(?:private|public|protected|volatile) )*static"
    r" (?!final\b|class\b|record\b|interface\b|enum\b|abstract\b)[^(]*(?:=|;)"
)
MOST_COLUMNS = 120
SUFFIXES = {".scala", ".java", ".c", ".cc", ".h", ".py", ".cmake", ".sh", ".md"}
NAMES = {"Makefile", "CMakeLists.txt", "system-packages", "run"}
# Written by programs: `make` builds the first ones, `make bench` and `make faults` write the last two.
BUILT = {"build", "dist", "python/dist", "spark-warehouse", "bench/results", "docs/faults.md"}
PRAGMA = re.compile(r"\s+# (?:type: ignore|noqa|fmt: skip).*$")
LINK = re.compile(r"\S+://\S+|\]\([^)]*\)")
GENERATED = re.compile(r"^<!-- (/?)[\w:]+ -->$")
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


def packages(source):
    """The Scala and Java files of a tree by their packages."""
    found = {}
    for file in sorted(f for f in source.rglob("*") if f.suffix in {".scala", ".java"}):
        name = PACKAGE.search(file.read_text())
        found.setdefault(name.group(1) if name else "", []).append(file)
    return found


def uses(files, known):
    """Which of the known packages these files import from, each with a file that does."""
    found = {}
    for file in files:
        for name in IMPORT.findall(file.read_text()):
            while name and name not in known:
                name = name.rpartition(".")[0]
            found.setdefault(name, file)
    return found


def circle_faults(source):
    """Packages that use each other, directly or through others."""
    known = packages(source)
    graph = {
        name: {used: file for used, file in uses(files, known).items() if used not in ("", name)}
        for name, files in known.items()
    }

    def reached(start):
        ahead, seen = [start], set()
        while ahead:
            for used in graph[ahead.pop()]:
                if used not in seen:
                    seen.add(used)
                    ahead.append(used)
        return seen

    for name in sorted(graph):
        for used, file in sorted(graph[name].items()):
            if name in reached(used):
                yield (
                    f"{file.relative_to(source.parents[3])}: expected packages that use each other one way only, found"
                    f" {used} in a circle with {name}. Do move one of the two."
                )


def package_faults(source):
    for name, files in packages(source).items():
        if len(files) > MOST_IN_PACKAGE:
            yield f"{name}: expected at most {MOST_IN_PACKAGE} files, found {len(files)}. Do split it by idea."
        if name.startswith("org.sparkgap.spark") and not any(f.name == "package-info.java" for f in files):
            yield f"{name}: expected a package-info.java that says what it takes and gives, found none. Do write it."


def state_faults(source):
    """Members of objects, and static fields, that change. A thread's own (ThreadLocal) are not looked at."""
    for file in sorted(source.rglob("*.scala")):
        if file.name == OWNERS:
            continue
        within = False
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not line.startswith((" ", "}")) and line:
                within = OBJECT.match(line) is not None
            if within and STATE.match(line):
                yield (
                    f"{file.relative_to(source.parents[3])}:{number}: expected state in a part of ProcessState, found"
                    f" {line.strip()!r}. Do make it one."
                )
    for file in sorted(source.rglob("*.java")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if STATIC.match(line):
                yield (
                    f"{file.relative_to(source.parents[3])}:{number}: expected static fields that are final, found"
                    f" {line.strip()!r}. Do make it a part of ProcessState."
                )


def written(root):
    """The files of source and prose that people write."""
    built = {root / path for path in BUILT}
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            f for f in folders if f != "target" and (f[0] != "." or f == ".ci") and here / f not in built
        )
        for file in sorted(here / name for name in names):
            if file not in built and (file.suffix in SUFFIXES or file.name in NAMES):
                yield file


def prose(lines):
    """The numbered lines of Markdown outside tables, code blocks and what a program writes; links count as nothing."""
    block = generated = False
    for number, line in lines:
        if line.lstrip().startswith("```"):
            block = not block
        elif mark := GENERATED.match(line):
            generated = not mark.group(1)
        elif not (block or generated or line.startswith("|")):
            yield number, LINK.sub("", line)


def width_faults(root):
    for file in written(root):
        lines = enumerate(file.read_text().splitlines(), 1)
        for number, line in prose(lines) if file.suffix == ".md" else lines:
            columns = len(PRAGMA.sub("", line).expandtabs(4))
            if columns > MOST_COLUMNS:
                yield (
                    f"{file.relative_to(root)}:{number}: expected at most {MOST_COLUMNS} columns, found {columns}."
                    " Do wrap the line."
                )


def main(root=ROOT):
    source = Path(root) / "kernels"
    scala = Path(root) / "spark" / "src" / "main" / "scala"
    faults = [
        *layer_faults(source),
        *size_faults(source),
        *circle_faults(scala),
        *package_faults(scala),
        *state_faults(scala),
        *width_faults(Path(root)),
    ]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_layout: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
