# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make matrix`: a part of the tests on each Spark 4, each Java and each Python that is here; prints a table."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from matrix import places
from matrix.places import JAVAS, PATCHES, PYTHONS, ROOT

PAGE = ROOT / "docs" / "compatibility.md"
BEGIN, END = "<!-- matrix -->\n", "<!-- /matrix -->\n"
RUN_S = 1500
# Column of the table: the tests that make it. A name with [mode] is one mode of a test.
AREAS = {
    "kernels": ["test_kernels.py::test_sql_and_python_give_the_same[classic"],
    "Connect": ["test_kernels.py::test_sql_and_python_give_the_same[connect"],
    "estimators": ["test_ml.py::", "test_ml_fits.py::test_summary_after_a_fit"],
    "cache": [
        "test_cache.py::test_kernels_read_a_cached_table_where_it_is",
        "test_cache.py::test_a_cached_table_is_found_without_a_job",
    ],
    "publish": ["test_published.py::test_editions_and_what_is_refused"],
    "MapReduce": [
        "test_mapreduce.py::test_static_state_is_of_one_task",
        "test_mapreduce.py::test_sparks_pages_and_the_report_know_the_job",
    ],
}


class Cell(NamedTuple):
    """One line of the table."""

    spark: str
    java: int
    python: str


def cells():
    """Every Spark with the oldest Java, and the newest Spark with every Java and every Python: a difference between
    Sparks and one between Javas do not meet in our code.
    """
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    newest = list(PATCHES)[-1]
    every = [Cell(spark, JAVAS[0], here) for spark in PATCHES]
    every += [Cell(newest, java, here) for java in JAVAS[1:]]
    every += [Cell(newest, JAVAS[0], python) for python in PYTHONS if python != here]
    return every


def run(cell):
    """Counts by area, of tests that passed and of all; a text where the cell cannot run here."""
    home, python = places.java(cell.java), places.python(cell.python)
    if home is None:
        return f"no Java {cell.java} here"
    if python is None:
        return f"no Python {cell.python} here"
    release = places.spark(cell.spark)
    if release is None and python != sys.executable:
        import pyspark

        release = places.HELD / "own"
        release.mkdir(parents=True, exist_ok=True)
        if not (release / "pyspark").exists():
            (release / "pyspark").symlink_to(Path(pyspark.__file__).parent)
    path = [str(release)] if release else []
    environ = {
        **os.environ,
        "JAVA_HOME": home,
        "PYTHONPATH": os.pathsep.join([*path, str(ROOT / "python")]),
        "PYSPARK_PYTHON": python,
        "SPARKGAP_DATA": os.environ.get("SPARKGAP_DATA", str(ROOT / "data")),
        "CI": "true",
    }
    environ.pop("SPARK_HOME", None)
    tests = sorted({area.partition("[")[0].removesuffix("::") for part in AREAS.values() for area in part})
    with tempfile.TemporaryDirectory() as folder:
        report, log = Path(folder, "report.xml"), places.HELD / f"spark-{cell.spark}-java-{cell.java}-{cell.python}.log"
        places.HELD.mkdir(parents=True, exist_ok=True)
        with open(log, "w") as out:
            command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
            subprocess.run(
                command, cwd=ROOT / "conformance", env=environ, stdout=out, stderr=subprocess.STDOUT, timeout=RUN_S
            )
        if not report.is_file():
            return f"no test ran: see {log.relative_to(ROOT)}"
        return counts(ElementTree.parse(report).getroot())


def counts(report):
    """{area: (passed, all)} of a JUnit report."""
    found = {area: [0, 0] for area in AREAS}
    for case in report.iter("testcase"):
        name = f"{case.get('classname').rpartition('.')[2]}.py::{case.get('name')}"
        for area, tests in AREAS.items():
            if any(name.startswith(test) for test in tests):
                found[area][0] += not list(case)
                found[area][1] += 1
    return {area: tuple(count) for area, count in found.items()}


def passed(result):
    return not isinstance(result, str) and all(0 < some == every for some, every in result.values())


def table(results):
    """Lines of Markdown."""
    yield f"| Spark | Java | Python | {' | '.join(AREAS)} |"
    yield "|---" * (3 + len(AREAS)) + "|"
    for cell, result in results.items():
        line = f"| {PATCHES[cell.spark]} | {cell.java} | {cell.python} "
        if isinstance(result, str):
            yield line + f"| {result} " + "| " * (len(AREAS) - 1) + "|"
        else:
            yield line + "".join(f"| {some} of {every} " for some, every in result.values()) + "|"


def merged(old, new):
    """A table in which the new lines stand for the old ones of the same versions."""
    by_versions = {tuple(line.split("|")[1:4]): line for line in [*old, *new]}
    return list(by_versions.values())


def main(words=None):
    parser = argparse.ArgumentParser(prog="python conformance/matrix", description=__doc__)
    parser.add_argument("--spark", nargs="+", choices=PATCHES, help="these versions of Spark alone")
    parser.add_argument("--java", nargs="+", type=int, choices=JAVAS, help="these Javas alone")
    parser.add_argument("--python", nargs="+", choices=PYTHONS, help="these Pythons alone")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.relative_to(ROOT)}")
    args = parser.parse_args(words)
    chosen = [
        cell
        for cell in cells()
        if all(
            asked is None or has in asked for has, asked in zip(cell, (args.spark, args.java, args.python), strict=True)
        )
    ]
    if not chosen:
        parser.error("no line of the matrix has all of these")
    results = {}
    for cell in chosen:
        begin = time.monotonic()
        results[cell] = run(cell)
        print(
            f"Spark {cell.spark}, Java {cell.java}, Python {cell.python}: {time.monotonic() - begin:.0f} s", flush=True
        )
    lines = list(table(results))
    print(*lines, sep="\n")
    if args.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        old, _, after = rest.partition(END)
        PAGE.write_text(before + BEGIN + "\n".join(merged(old.splitlines(), lines)) + "\n" + END + after)
    return (
        0
        if all(passed(result) for result in results.values() if not isinstance(result, str))
        and any(map(passed, results.values()))
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
