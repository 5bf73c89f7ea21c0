# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The Specs of the kernels that are built, and the Python functions that restate them."""

import importlib
import inspect
import re

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkgap import call, errors, spec
from sparkgap.cli.run import run_command

FORM = re.compile(r"[^:]+: expected .+, found .*\. .+")
COMMON = {p.name: p.default for p in call.COMMON} | {"progress": None}
# A graph to keep has a name in place of a result, and no other engine could build it.
OPTIONS = {"build": {k: v for k, v in COMMON.items() if k not in ("engine", "result")} | {"name": None}}


def test_there_are_kernels():
    assert {"degree", "pagerank", "rmat"} <= set(spec.names())


@pytest.mark.parametrize("name", spec.names())
def test_python_function_restates_the_spec(name):
    kernel = spec.load(name)
    function = getattr(importlib.import_module(f"sparkgap.{kernel.family}"), name)
    found = dict(inspect.signature(function).parameters)
    required = [p.name for p in found.values() if p.default is p.empty]
    assert required == [i.name for i in kernel.inputs if i.required] + [p.name for p in kernel.parameters if p.required]
    assert all(p.kind is p.KEYWORD_ONLY for p in found.values() if p.name not in required)
    defaults = {n: p.default for n, p in found.items() if n not in required}
    assert ("spark" in defaults) == (not kernel.inputs), "a generator has no DataFrame to take the session from"
    optional = {i.name: None for i in kernel.tables if not i.required}
    own = {p.name: p.default for p in kernel.parameters if not p.required}
    own |= {p.name: p.default[0] for p in kernel.parameters if p.kind == "columns" and len(p.default or ()) == 1}
    expected = own | optional | OPTIONS.get(name, COMMON)
    defaults.pop("spark", None)
    assert defaults == expected
    assert {n: type(v) for n, v in defaults.items()} == {n: type(v) for n, v in expected.items()}


@pytest.mark.parametrize("name", spec.names())
def test_doc_names_every_parameter_and_column(name):
    kernel = spec.load(name)
    doc = inspect.getdoc(getattr(importlib.import_module(f"sparkgap.{kernel.family}"), name))
    for word in [p.name for p in kernel.parameters] + [n for n, _ in kernel.output] + list(OPTIONS.get(name, COMMON)):
        assert re.search(rf"\b{word}\b", doc), word


@pytest.mark.parametrize("name", spec.names())
def test_command_line_has_every_parameter(name):
    kernel = spec.load(name)
    found = set(inspect.signature(run_command(kernel)).parameters)
    assert {p.name for p in kernel.parameters} <= found
    assert {i.name for i in kernel.tables[1:]} <= found
    assert ("input_file" in found) == bool(kernel.inputs)
    assert not {i.name for i in kernel.inputs if i.stored_graph} & found, "a command has no graph from before"


@pytest.mark.parametrize("name", spec.names())
def test_program_says_the_same_as_its_file(name):
    assert spec.describe_live(name) == spec.load(name)


@pytest.mark.parametrize("name", spec.names())
def test_defaults_pass_their_own_check(name):
    for parameter in spec.load(name).parameters:
        assert parameter.required or parameter.check(parameter.default) == parameter.default


DAMPING = spec.Parameter("damping", "double", 0.85, "", min=0, max=1, expected="a number in [0, 1]")
COUNT = spec.Parameter("n", "int", 20, "", min=0, expected="a whole number of at least 0")
ID = spec.Parameter("source", "id", None, "", expected="an id")
IDS = spec.Parameter("source_ids", "ids", None, "", expected="a list of at least one id")
COLUMNS = spec.Parameter(
    "features",
    "columns",
    ["features"],
    "",
    of="data",
    accepts="features",
    expected="a list of names of columns of data",
)
VARIANT = spec.Parameter("variant", "choice", "graphx", "", choices=("graphx", "ldbc"), expected="one of graphx, ldbc")
DIRECTED = spec.Parameter("directed", "bool", True, "", expected="true or false")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (DAMPING, -1), (DAMPING, 1.5), (DAMPING, float("nan")), (DAMPING, "0.5"), (DAMPING, True), (DAMPING, [1]),
        (COUNT, -1), (COUNT, 1.5), (COUNT, "3"), (COUNT, float("inf")),
        (ID, None), (ID, True), (ID, 1.0), (ID, [1]), (ID, b"ann"),
        (IDS, []), (IDS, "ann"), (IDS, [None]), (IDS, 3), (IDS, [1.5]),
        (COLUMNS, []), (COLUMNS, ""), (COLUMNS, ["a", ""]), (COLUMNS, ["a", 1]), (COLUMNS, 1), (COLUMNS, {"a": 1}),
        (VARIANT, "GraphX"), (VARIANT, 3), (DIRECTED, 1), (DIRECTED, "true"),
    ],
)  # fmt: skip
def test_bad_values_are_refused_in_one_form(parameter, value):
    with pytest.raises(errors.ArgumentError) as caught:
        parameter.check(value)
    assert FORM.fullmatch(str(caught.value))
    assert str(caught.value).startswith(parameter.name + ": ")


def test_good_values_get_the_type_of_sql():
    assert DAMPING.check(1) == 1.0 and isinstance(DAMPING.check(1), float)
    assert COUNT.check(3.0) == 3 and isinstance(COUNT.check(3.0), int)
    assert IDS.check([1, "b"]) == ["1", "b"]
    assert COLUMNS.check("a, b") == ["a, b"] and COLUMNS.check(("a", "b")) == ["a", "b"]
    assert COLUMNS.parse("a, b", where="--features") == ["a", "b"]
    assert [ID.check(i) for i in (5, -(2**63), numpy.int32(7), "", "it's", "05")] == [
        "5",
        str(-(2**63)),
        "7",
        "",
        "it's",
        "05",
    ]
    assert ID.parse("5", where="--source") == "5"
    assert DAMPING.check(None) is None


@given(st.text())
def test_no_word_of_a_command_line_breaks_the_parser(word):
    for parameter in (DAMPING, COUNT, ID, IDS, COLUMNS, VARIANT, DIRECTED):
        try:
            parameter.parse(word, where="--x")
        except errors.ArgumentError as e:
            assert "\n" not in str(e)


def test_what_a_spec_says_of_its_inputs():
    pagerank = spec.load("pagerank")
    assert [i.name for i in pagerank.inputs if i.stored_graph] == ["graph"]
    assert [i.name for i in pagerank.tables] == ["edges", "vertices"]


def test_half_open_range():
    p = spec.Parameter("x", "double", None, "", min=0, max=1, max_exclusive=True, expected="a number in [0, 1)")
    assert p.check(0.999) == 0.999 and p.check(0) == 0
    with pytest.raises(errors.ArgumentError, match=re.escape("expected a number in [0, 1)")):
        p.check(1)
    above = spec.Parameter("x", "double", None, "", min=0, min_exclusive=True, expected="a number above 0")
    assert above.check(1e-300) == 1e-300
    with pytest.raises(errors.ArgumentError, match=re.escape("expected a number above 0, found 0")):
        above.check(0)


@pytest.mark.parametrize("name", spec.names())
def test_every_parameter_says_what_it_may_be(name):
    for p in spec.load(name).parameters:
        words = re.sub(r"^a (whole )?number", "", p.expected)
        if p.kind not in ("int", "double"):
            assert p.expected
        elif p.min is None and p.max is None:
            assert words == ""
        else:
            both = f" in {'(' if p.min_exclusive else '['}"
            one = (" above ", " of at least ", " below ", " of at most ")
            assert words.startswith(one if p.min is None or p.max is None else both)


def test_unknown_kernel():
    with pytest.raises(errors.ArgumentError, match="expected one of"):
        spec.describe("../pagerank")
