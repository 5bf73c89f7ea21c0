# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Writes what follows from the kernels' Specs: a typed function for each kernel, with its page's example, in
python/sparkgap/<family>/kernels.py, and one without Spark in python/sparkgap/local/kernels.py; typed methods for Scala
and Java in spark's package `methods`; the table of all kernels in kernels/README.md.

`python dev/make_kernels.py` writes what has changed; with `--check` it writes nothing and fails where anything would.
"""

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "dev")]

import scala_kernels  # noqa: E402

from sparkgap import spec as specs  # noqa: E402
from sparkgap.call import COMMON  # noqa: E402

SCALA = ROOT / "spark" / "src" / "main" / "scala" / "org" / "sparkgap" / "spark" / "methods"
WIDTH = 120
EXAMPLE = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FAMILIES = {
    "graph": "Kernels on graphs, which are DataFrames of edges or graphs that `build` made.",
    "ml": "Kernels that learn from DataFrames of rows; a model is a table.",
    "tensor": "Kernels on sparse tensors, which are DataFrames of entries.",
}
HEAD = '''# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""{summary}

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..kernel_call import Engine, call_kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
{imports}
__all__ = {names}
'''
LOCAL_HEAD = '''# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every kernel as a function of rows on this host, without Spark.

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .call import Rows, call_kernel
from .graph_files import GraphFiles

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = {names}
'''
METHODS = '''

class KernelMethods:
    """The kernels that take a stored graph, as methods of its handle."""

{methods}
'''
# What every kernel takes beside its own parameters: type, default, and both in the words of a docstring.
OPTIONS = {
    "engine": ("Engine", '"native"', '{"native", "spark"}, default "native"'),
    "ranks": ("int | None", "None", "int, optional"),
    "threads": ("int | None", "None", "int, optional"),
    "timeout_s": ("float | None", "None", "float, optional"),
    "result": ("str | None", "None", "str, optional"),
    "progress": ("bool | None", "None", "bool, optional"),
}
MEANING = {
    "engine": "Native ranks, or Spark's own library on the same input where it has one.",
    "ranks": "MPI ranks; by default one, or what `spark.sparkgap.launch.ranks` says.",
    "threads": "Threads of each rank; by default the cores that Spark has / ranks.",
    "timeout_s": "Deadline of the whole call in seconds.",
    "result": "Name of the result table in `sparkgap.store`.",
    "progress": "A progress bar; by default on a terminal and in a notebook.",
}
LOCAL_MEANING = {
    "ranks": "MPI ranks; by default one.",
    "threads": "Threads of each rank; by default the processors of this process / ranks.",
    "timeout_s": "Deadline of the whole call in seconds; by default an hour.",
    "progress": "A progress bar; by default on a terminal and in a notebook.",
}
TYPES = {"bool": "bool", "int": "int", "double": "float", "column": "str", "columns": "str | Sequence[str]"}
TYPES |= {"id": "int | str", "ids": "Sequence[int | str]"}
WORDS = {"str | Sequence[str]": "str or sequence of str", "int | str": "int or str"}
WORDS |= {"Sequence[int | str]": "sequence of int or str"}


def annotation(p):
    return f"Literal[{', '.join(map(quoted, p.choices))}]" if p.kind == "choice" else TYPES[p.kind]


def quoted(word):
    return '"' + word + '"'


def literal(p):
    """The default as Python writes it; a list of one column is that column."""
    value = p.default[0] if isinstance(p.default, list) and len(p.default) == 1 else p.default
    return quoted(value) if isinstance(value, str) else repr(value)


def parameter_words(p):
    """Its type and default in a docstring."""
    words = "{" + ", ".join(map(quoted, p.choices)) + "}" if p.kind == "choice" else annotation(p)
    words = WORDS.get(words, words)
    return words if p.required else f"{words}, optional" if p.default is None else f"{words}, default {literal(p)}"


def meaning(p):
    """Its sentence, range and unit."""
    doc = p.doc.rstrip(".") + "."
    bounded = p.kind in ("int", "double") and abs(p.min or 0) < 2**62
    words = re.sub(r"^a (whole )?number( of)? ?", "", p.expected) if bounded else ""
    unit = f" {p.unit}" if p.unit and words else ""
    return f"{doc} {words[0].upper()}{words[1:]}{unit}." if words else doc


def order(spec):
    """(name, type, default or None, words, meaning) of all parameters in the order of the signature."""
    tables, own = [], {p.name: p for p in spec.parameters}
    for i in spec.tables:
        graph = any(other.stored_graph for other in spec.inputs) and i is spec.tables[0]
        doc = i.doc.rstrip(".") + "."
        if graph:
            doc += (
                " Or a graph that `build` made, or its name: then `src`, `dst`, `vertices` and `directed` are those"
                " that it was built with."
            )
        kind, words = ("DataFrame | Graph | str", "DataFrame, Graph or str") if graph else ("DataFrame", "DataFrame")
        if not i.required:
            kind, words = f"{kind} | None", f"{words}, optional"
        tables.append((i.name, kind, None if i.required else "None", words, doc))

    def row(p):
        kind = annotation(p) + (" | None" if p.default is None and not p.required else "")
        return (p.name, kind, None if p.required else literal(p), parameter_words(p), meaning(p))

    columns = [row(p) for p in own.values() if p.of]
    required = [row(p) for p in own.values() if p.required]
    rest = [row(p) for p in own.values() if not p.of and not p.required]
    assert {p.name for p in COMMON} | {"progress"} == set(OPTIONS)
    options = [(name, *what, MEANING[name]) for name, what in OPTIONS.items()]
    spark = ("spark", "SparkSession | None", "None", "SparkSession, optional", "The active one by default.")
    return [*tables[:1], *required, *columns, *tables[1:], *rest, *options, *([] if spec.inputs else [spark])]


def section(title, lines):
    return f"    {title}\n    {'-' * len(title)}\n{lines}\n" if lines else ""


def wrapped(text, indent):
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def column(spec, name, kind):
    kind = "bigint` (or string, as the input)" if kind == "id" else f"{kind.replace(' not null', '')}`"
    doc = spec.output_docs.get(name, "")
    return f"`{name}: {kind}" + (f", {doc}" if doc else "")


def reference(source):
    """`Authors 1999, Title, section 2` as `Authors, "Title, section 2", 1999.`"""
    found = re.fullmatch(r"(.+?) (\d{4}), (.+)", source)
    return f'{found[1]}, "{found[3]}", {found[2]}.' if found else f"{source}."


def example(spec):
    page = ROOT / "kernels" / spec.name / f"{spec.name}.md"
    found = EXAMPLE.search(page.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{page}: expected an example in a block of pycon, found none. Do add one.")
    return textwrap.indent(found[1].replace(f"sparkgap.{spec.family}.{spec.name}(", f"{spec.name}("), "    ").rstrip()


def docstring(spec):
    parameters = "\n".join(f"    {name} : {words}\n{wrapped(doc, ' ' * 8)}" for name, _, _, words, doc in order(spec))
    output = ("; " if len(spec.output) > 2 else ", ").join(column(spec, name, kind) for name, kind in spec.output)
    figures = "; ".join(f"`{name}`, {doc}" for name, doc in spec.figures.items())
    told = f"Its attribute `sparkgap` is the `Call`{f', whose `figures` hold {figures}' if figures else ''}."
    refused = f"; {spec.refuses}" if spec.refuses else ""
    data = f"No rows; a column that is missing or of a wrong type; nulls{refused}." if spec.inputs else ""
    raised = {
        "ArgumentError": "A parameter is out of its range"
        + (", or there are more ranks than rows." if spec.inputs else "."),
        "DataError": data,
        "ResourceError": "The store or the memory has no room.",
        "LaunchError": "A rank died or could not be started, or the deadline passed.",
    }
    errors = "\n".join(f"    {name}\n{wrapped(doc, ' ' * 8)}" for name, doc in raised.items() if doc)
    papers = [reference(s.strip()) for s in spec.source.split(";")] if spec.source != "definition" else []
    parts = [
        section("Parameters", parameters),
        section("Returns", f"    DataFrame\n{wrapped(f'{output}.', ' ' * 8)}\n{wrapped(told, ' ' * 8)}"),
        section("Raises", errors),
        section("Notes", wrapped(spec.notes, "    ")),
        section("References", "\n".join(wrapped(paper, "    ") for paper in papers)),
        section("Examples", example(spec)),
    ]
    return f'    """{spec.summary}\n\n' + "\n".join(part for part in parts if part) + '    """'


def function(spec):
    given, keyword = [], []
    for name, kind, default, _, _ in order(spec):
        if default is None:
            given.append(f"    {name}: {kind},")
        else:
            keyword.append(f"    {name}: {kind} = {default},")
    signature = "\n".join([*given, "    *,", *keyword])
    body = f'    return call_kernel("{spec.name}", "{spec.family}", locals())'
    return f"\n\ndef {spec.name}(\n{signature}\n) -> DataFrame:\n{docstring(spec)}\n{body}\n"


def module(family, found):
    """The text of a family's kernels.py."""
    on_graphs = [s.name for s in found if any(i.stored_graph for i in s.inputs)]
    names = [s.name for s in found] + (["KernelMethods"] if on_graphs else [])
    imports = "\n    from .stored_graph import Graph\n" if on_graphs else ""
    text = HEAD.format(
        summary=FAMILIES[family], imports=imports, names="[" + ", ".join(map(quoted, sorted(names))) + "]"
    )
    text += "".join(map(function, found))
    if on_graphs:
        text += METHODS.format(methods="\n".join(f"    {name} = {name}" for name in on_graphs))
    return formatted(text)


def table(found, page):
    """A page with the table of all kernels between its marks."""
    before, opening, rest = page.partition("<!-- kernels -->\n")
    _, closing, after = rest.partition("<!-- /kernels -->")
    rows = [f"| `{s.name}` | {s.summary.rstrip('.')} | [{s.name}.md]({s.name}/{s.name}.md) |\n" for s in found]
    return f"{before}{opening}| kernel | computes | page |\n|---|---|---|\n{''.join(rows)}{closing}{after}"


def local_order(spec):
    """The same parameters as `order` has, for rows without Spark."""
    tables = {i.name: i for i in spec.tables}
    for name, kind, default, words, doc in order(spec):
        if name in tables:
            optional = "" if tables[name].required else " | None"
            yield (
                name,
                f"Rows{optional}",
                default,
                f"rows{', optional' * bool(optional)}",
                tables[name].doc.rstrip(".") + ".",
            )
        elif name in LOCAL_MEANING:
            yield name, kind, default, words, LOCAL_MEANING[name]
        elif name not in OPTIONS and name != "spark":
            yield name, kind, default, words, doc


def local_function(spec):
    parts = list(local_order(spec))
    given = [f"    {name}: {kind}," for name, kind, default, _, _ in parts if default is None]
    keyword = [f"    {name}: {kind} = {default}," for name, kind, default, _, _ in parts if default is not None]
    parameters = "\n".join(f"    {name} : {words}\n{wrapped(doc, ' ' * 8)}" for name, _, _, words, doc in parts)
    output = ("; " if len(spec.output) > 2 else ", ").join(column(spec, name, kind) for name, kind in spec.output)
    page = f"kernels/{spec.name}/{spec.name}.md has the definition, the cost and the source."
    lines = [
        f'    """{spec.summary}\n',
        section("Parameters", parameters),
        section("Returns", f"    pyarrow.Table\n{wrapped(f'{output}.', ' ' * 8)}"),
        section("Raises", f"    SparkGapError\n        As in `sparkgap.{spec.family}.{spec.name}`."),
        section("Notes", wrapped(page, "    ")) + '    """',
    ]
    signature = "\n".join([*given, "    *,", *keyword])
    body = f'    return call_kernel("{spec.name}", locals())'
    return f"\n\ndef {spec.name}(\n{signature}\n) -> pa.Table:\n" + "\n".join(lines) + f"\n{body}\n"


def local_module(found):
    """The text of local/kernels.py."""
    names = "[" + ", ".join(map(quoted, sorted([*(s.name for s in found), "KernelMethods"]))) + "]"
    on_graphs = [s.name for s in found if any(i.stored_graph for i in s.inputs)]
    methods = METHODS.format(methods="\n".join(f"    {name} = {name}" for name in on_graphs))
    return formatted(LOCAL_HEAD.format(names=names) + "".join(map(local_function, found)) + methods)


def formatted(text):
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(ROOT / "pyproject.toml")]
    for words in (["check", "--quiet", "--fix-only", "--stdin-filename", "kernels.py"], ["format", "--quiet"]):
        done = subprocess.run([*ruff, *words, *config, "-"], input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail where a file is not as it would be written")
    check = parser.parse_args().check
    found = [specs.load(name) for name in specs.names()]
    page = ROOT / "kernels" / "README.md"
    texts = {page: table(found, page.read_text(encoding="utf-8"))}
    local = ROOT / "python" / "sparkgap" / "local" / "kernels.py"
    texts[local] = local_module([s for s in found if not s.makes_graph])
    for family in sorted({s.family for s in found}):
        of_family = [s for s in found if s.family == family and not s.makes_graph]
        texts[ROOT / "python" / "sparkgap" / family / "kernels.py"] = module(family, of_family)
        of_family = [s for s in found if s.family == family]
        texts[SCALA / f"{scala_kernels.spec_object(family)}.scala"] = scala_kernels.module(
            family, of_family, FAMILIES[family]
        )
    old = [file for file, text in texts.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    for file in old:
        if not check:
            file.write_text(texts[file], encoding="utf-8")
        file = file.relative_to(ROOT)
        print(f"{file}: expected what the Specs say, found other text. Do run dev/make_kernels.py." if check else file)
    return 1 if check and old else 0


if __name__ == "__main__":
    sys.exit(main())
