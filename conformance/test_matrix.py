# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How `make matrix` reads what pytest says, and that no version is left out."""

from xml.etree import ElementTree

from matrix.__main__ import AREAS, cells, counts, merged, passed, table
from matrix.places import JAVAS, PATCHES, PYTHONS

CASE = '<testcase classname="{file}" name="{name}">{inside}</testcase>'


def report(*cases):
    text = "".join(CASE.format(file=file, name=name, inside=inside) for file, name, inside in cases)
    return ElementTree.fromstring(f"<testsuites><testsuite>{text}</testsuite></testsuites>")


def test_what_failed_is_counted():
    said = report(
        ("test_kernels", "test_sql_and_python_give_the_same[classic-degree]", ""),
        ("conformance.test_kernels", "test_sql_and_python_give_the_same[classic-lcc]", "<failure/>"),
        ("test_kernels", "test_sql_and_python_give_the_same[connect-lcc]", "<skipped/>"),
        ("test_ml", "test_lda[classic]", ""),
    )
    found = counts(said)
    assert (found["kernels"], found["Connect"], found["estimators"]) == ((1, 2), (0, 1), (1, 1))
    assert found["cache"] == (0, 0)
    assert not passed(found), "an area without a test has not passed"
    assert passed(dict.fromkeys(AREAS, (2, 2)))


def test_every_version_has_a_line():
    made = cells()
    assert {cell.spark for cell in made} == set(PATCHES)
    assert {cell.java for cell in made} == set(JAVAS)
    assert {cell.python for cell in made} == set(PYTHONS)
    lines = list(table({made[0]: dict.fromkeys(AREAS, (2, 3)), made[1]: "no Python 9.9 here"}))
    assert "2 of 3" in lines[2] and "no Python 9.9 here" in lines[3]
    assert len({line.count("|") for line in lines}) == 1
    again = list(table({made[1]: dict.fromkeys(AREAS, (3, 3))}))
    assert merged(lines, again) == [*lines[:3], again[2], *lines[4:]]
