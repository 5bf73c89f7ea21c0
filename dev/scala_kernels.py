# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The text of a family's Scala and Java methods, from the Specs of its kernels: for `make_kernels.py`.

Each kernel gives a request, a class whose methods set its arguments, which is what Java uses; and methods with named
arguments and defaults, which is what Scala uses: on the rows of a DataFrame, on a stored graph, or on a session.
"""

import textwrap

WIDTH = 120
HEAD = """// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
package org.sparkgap.spark.methods

import java.util.{{List => JList}}

import org.apache.spark.sql.{imports}

{summary}
object {object} {{
{requests}
}}
"""
METHODS = """
/** {summary} */
trait {name} {{
{input}
{methods}
}}
"""
TYPES = {"bool": "Boolean", "int": "Long", "double": "Double", "column": "String", "choice": "String"}
TYPES |= {"columns": "Seq[String]", "id": "VertexId", "ids": "Seq[VertexId]"}
# What every kernel takes beside its own parameters: type, default, meaning.
OPTIONS = {
    "engine": (
        "String",
        '"native"',
        "Native ranks, or `spark` for Spark's own library where it has such an algorithm.",
    ),
    "ranks": ("Given[Long]", "Given.none", "MPI ranks; by default one, or `spark.sparkgap.launch.ranks`."),
    "threads": ("Given[Long]", "Given.none", "Threads of each rank; by default the cores that Spark has / ranks."),
    "timeout_s": ("Given[Double]", "Given.none", "Deadline of the whole call [s]."),
    "result": ("Given[String]", "Given.none", "Name of the result in `sparkgap.store`."),
}
OF_THE_BUILD = {"src", "dst", "directed"}


def class_name(spec):
    return spec.name[0].upper() + spec.name[1:]


def literal(p):
    if isinstance(p.default, bool):
        return str(p.default).lower()
    if isinstance(p.default, list):
        return "Seq(" + ", ".join(f'"{word}"' for word in p.default) + ")"
    return f'"{p.default}"' if isinstance(p.default, str) else f"{p.default}L" if p.kind == "int" else repr(p.default)


def filled(text, indent, first=None):
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def comment(text, indent):
    """A Scaladoc on one line, or on several."""
    one = f"{indent}/** {text} */"
    return one if len(one) <= WIDTH else f"{indent}/**\n{filled(text, f'{indent} * ')}\n{indent} */"


def sentence(text):
    return text.strip().rstrip(".") + "."


def tables(spec):
    """Tables beside the first."""
    return [i for i in spec.inputs[1:] if not i.stored_graph]


def meaning(p):
    bounded = p.kind in ("int", "double", "choice") and (p.kind == "choice" or abs(p.min or 0) < 2**62)
    words = f" {p.expected[0].upper()}{p.expected[1:]}{f' {p.unit}' if p.unit else ''}." if bounded else ""
    return sentence(p.doc) + words


def setters(spec):
    """The methods of a request: one for each argument, more where Java has several types for it."""
    own = class_name(spec)
    for i in tables(spec):
        yield (
            comment(f"{sentence(i.doc)} Also by the name of a table or view.", "    ")
            + f'\n    def {i.name}(data: DataFrame): {own} = put("{i.name}", data)\n'
            + f'    def {i.name}(table: String): {own} = put("{i.name}", table)'
        )
    for p in spec.parameters:
        doc = comment(meaning(p), "    ")
        kinds = {"columns": ["JList[String]"], "ids": ["JList[_]"], "id": ["Long", "String"]}.get(
            p.kind, [TYPES[p.kind]]
        )
        for kind in kinds:
            value = "value.toString" if (p.kind, kind) == ("id", "Long") else "value"
            doc += f'\n    def {p.name}(value: {kind}): {own} = put("{p.name}", {value})'
        yield doc


def factories(spec):
    """How a request begins."""
    own, doc = class_name(spec), comment(sentence(spec.summary), "  ")
    if not spec.inputs:
        yield f"{doc}\n  def {spec.name}(session: SparkSession): {own} = new {own}(MainInput.Nothing(session))"
        return
    main = spec.inputs[0].name
    yield f'{doc}\n  def {spec.name}({main}: DataFrame): {own} = new {own}(MainInput.Rows("{main}", {main}))'
    if any(i.stored_graph for i in spec.inputs):
        yield f"  def {spec.name}(graph: StoredGraph): {own} = new {own}(MainInput.Stored(graph))"


def request(spec):
    own = class_name(spec)
    made = "StoredGraph" if spec.makes_graph else "DataFrame"
    give = "graph" if spec.makes_graph else "table"
    body = "\n\n".join(setters(spec))
    return (
        "\n\n".join(factories(spec))
        + f"\n\n  final class {own} private[methods] (input: MainInput)\n"
        + f'      extends KernelRequest[{own}, {made}]("{spec.family}.{spec.name}", input) {{\n{body}\n\n'
        + f"    override private[methods] def made(row: Row): {made} = {give}(row)\n  }}"
    )


def named(spec, input_word, leave_out=frozenset()):
    """A method with named arguments."""
    parameters = [p for p in spec.parameters if p.name not in leave_out]
    beside = [] if leave_out else tables(spec)
    rows = [(p.name, TYPES[p.kind], None, meaning(p)) for p in parameters if p.required]
    for p in parameters:
        if not p.required:
            optional = p.default is None
            kind = f"Given[{TYPES[p.kind]}]" if optional else TYPES[p.kind]
            rows.append((p.name, kind, "Given.none" if optional else literal(p), meaning(p)))
    rows += [(i.name, "Given[TableArgument]", "Given.none", sentence(i.doc)) for i in beside]
    rows += [(name, *what) for name, what in OPTIONS.items()]
    docs = "\n".join(f"   * @param {name}\n{filled(doc, '   *   ')}" for name, _, _, doc in rows)
    text = f"  /**\n{filled(sentence(spec.summary), '   * ')}\n   *\n{docs}\n   */\n"
    arguments = ",\n".join(
        f"      {name}: {kind}" + (f" = {default}" if default else "") for name, kind, default, _ in rows
    )
    made = "StoredGraph" if spec.makes_graph else "DataFrame"
    begin = f"new {spec_object(spec.family)}.{class_name(spec)}({input_word}).passed("
    given = filled(", ".join(f'"{name}" -> {name}' for name, *_ in rows) + ").run()", "      ")
    return f"{text}  def {spec.name}(\n{arguments}\n  ): {made} =\n    {begin}\n{given}"


def spec_object(family):
    return f"{family[0].upper()}{family[1:]}Kernels"


def trait(name, summary, declared, methods):
    return METHODS.format(
        name=name, summary=summary, input=f"  private[methods] def {declared}\n", methods="\n\n".join(methods)
    )


def module(family, found, summary):
    """The text of a family's Scala file."""
    stem = family[0].upper() + family[1:]
    first = next(s for s in found if s.inputs)
    example = f"{first.name}({first.inputs[0].name})"
    text = HEAD.format(
        summary=comment(
            f"{sentence(summary)} In Java: `{spec_object(family)}.{example}`, then arguments one by one, then `run()`.",
            "",
        ),
        object=spec_object(family),
        imports="{DataFrame, Row, SparkSession}" if any(not s.inputs for s in found) else "{DataFrame, Row}",
        requests="\n\n".join(map(request, found)),
    )
    main = first.inputs[0].name
    rows = [named(s, f'MainInput.Rows("{main}", {main})') for s in found if s.inputs]
    text += trait(f"{stem}Methods", f"{sentence(summary)} Here as methods of a DataFrame.", f"{main}: DataFrame", rows)
    if on_graphs := [s for s in found if any(i.stored_graph for i in s.inputs)]:
        text += trait(
            "StoredGraphMethods",
            "The kernels that take a stored graph.",
            "graph: MainInput",
            [named(s, "graph", OF_THE_BUILD) for s in on_graphs],
        )
    if makers := [s for s in found if not s.inputs]:
        text += trait(
            f"{stem}Makers",
            "The kernels that make graphs from nothing.",
            "spark: SparkSession",
            [named(s, "MainInput.Nothing(spark)") for s in makers],
        )
    return text if "JList" in text.replace("JList}", "") else text.replace("import java.util.{List => JList}\n\n", "")
