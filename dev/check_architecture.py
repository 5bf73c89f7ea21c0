# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where docs/architecture.md is not true: its tree of rooms, which `--write` makes anew, and its walks.

The sentences of the tree stand where the code is: package-info.java, kernels/README.md, the docstring of a package.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("docs") / "architecture.md"
TREE = re.compile(r"(<!-- tree -->\n).*?(<!-- /tree -->)", re.DOTALL)
# A step of a walk: a file, and what in it the step is.
STEP = re.compile(r"^\d+\. `([\w./-]+): (\w+)`", re.MULTILINE)


def packages(root, module, language):
    """(package, sentence) of a module of the JVM."""
    source = root / module / "src" / "main" / language
    for file in sorted(source.rglob("package-info.java")):
        comment = re.search(r"/\*\*(.*?)\*/", file.read_text(), re.DOTALL).group(1)
        words = " ".join(line.strip().removeprefix("*").strip() for line in comment.splitlines()).strip()
        yield str(file.parent.relative_to(source / "org" / "sparkgap")), re.sub(r"</?code>", "`", words)


def libraries(root):
    """(folder, words) of kernels/, in the order in which they may use each other."""
    page = (root / "kernels" / "README.md").read_text().split("## What they share")[1].split("## ")[0]
    return re.findall(r"^\| `(\w+)` \| ([^|]*) \|$", page, re.MULTILINE)


def modules(root):
    """(package, first sentence of its docstring) of python/."""
    for file in sorted((root / "python" / "sparkgap").rglob("__init__.py")):
        first = (ast.get_docstring(ast.parse(file.read_text())) or "").split("\n\n")[0]
        yield str(file.parent.relative_to(root / "python")), " ".join(first.split())


def tree(root):
    """The tables, as Markdown."""
    lines = []
    jvm = [(module, packages(root, module, of)) for module, of in (("spark", "scala"), ("mapreduce", "java"))]
    for title, rows in (*jvm, ("kernels", libraries(root)), ("python", modules(root))):
        lines += [f"| `{title}/` | |", "|---|---|", *(f"| `{name}` | {words} |" for name, words in rows), ""]
    return "\n".join(lines)


def defines(text, name):
    """Whether a file has a function, a method or a class of that name."""
    return (
        re.search(
            rf"\b(?:def|class|object|trait|record|interface) {name}\b|^[\w\[\]].*\b{name}\(|[\w>\]] {name}\(",
            text,
            re.M,
        )
        is not None
    )


def faults(root):
    text = (root / PAGE).read_text()
    found = TREE.search(text)
    if not found or found.group() != found.group(1) + tree(root) + found.group(2):
        yield f"{PAGE}: expected the tree as it is, found another. Do run dev/check_architecture.py --write."
    steps = STEP.findall(text)
    if len(steps) < 20:
        yield f"{PAGE}: expected three walks, found {len(steps)} steps. Do write them."
    for path, name in steps:
        if not (root / path).is_file():
            yield f"{PAGE}: expected files of the tree in its walks, found {path}. Do write what is there now."
        elif not defines((root / path).read_text(), name):
            yield f"{PAGE}: expected {path} to have {name}, found none. Do write what is there now."


def main(root=ROOT, write=False):
    if write:
        page = root / PAGE
        page.write_text(TREE.sub(lambda m: m.group(1) + tree(root) + m.group(2), page.read_text()))
    said = list(faults(root))
    print("\n".join(said), file=sys.stderr)
    print(f"check_architecture: {len(said)} faults")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(write="--write" in sys.argv[1:]))
