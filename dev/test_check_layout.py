# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""A tree that keeps the rules, and one that breaks each."""

import check_layout
import pytest

PAGE = """# Kernels
## What they share

| folder | holds |
|---|---|
| `low` | this |
| `high` | that |
| `program` | main |
| `guard` | what stands above |

## More
"""


@pytest.fixture
def tree(tmp_path):
    """write(path, includes...): a file of kernels/."""

    def write(path, *includes):
        file = tmp_path / "kernels" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f'#include "{i}"\n' for i in includes))

    write.root = tmp_path
    write("low/a.h")
    write("high/b.cc", "low/a.h", "high/b.h")
    write("high/b_test.cc", "test/t.h", "high/b.h")
    write("program/main.cc", "high/b.h")
    write("guard/rank.cc", "guard/c.h")
    write("degree/degree.cc", "high/b.h", "low/a.h", "degree/degree.h")
    (tmp_path / "kernels" / "README.md").write_text(PAGE)
    scala(write, "low", "Count.scala", "private[spark] object Count {\n  private val Names = Map(1 -> 2)\n}\n")
    scala(
        write, "high", "Call.scala", "import org.sparkgap.spark.low.Count\n\nclass Call {\n  var number = Count(1)\n}\n"
    )
    scala(write, "", "Plugin.scala", "import org.sparkgap.spark.high.Call\n")
    return write


def scala(tree, package, name, text, info=True):
    """A file of a package of spark/, which has its sentence."""
    folder = tree.root / "spark" / "src" / "main" / "scala" / "org" / "sparkgap" / "spark" / package
    folder.mkdir(parents=True, exist_ok=True)
    full = ".".join(["org.sparkgap.spark", *filter(None, [package])])
    (folder / name).write_text(f"package {full}\n\n{text}")
    if info:
        (folder / "package-info.java").write_text(f"/** Takes and gives. */\npackage {full};\n")


def test_a_good_tree(tree, capsys):
    assert check_layout.main(tree.root) == 0
    assert capsys.readouterr().out == "check_layout: 0 faults\n"


@pytest.mark.parametrize(
    ("path", "include", "says"),
    [
        ("low/a.cc", "high/b.h", "kernels/low/a.cc: expected low to use nothing, found high. Do move one of them."),
        (
            "degree/sum.h",
            "rank/rank.h",
            "kernels/degree/sum.h: expected degree to use high, low, found rank. Do move one of them.",
        ),
        (
            "degree/sum.h",
            "program/job.h",
            "kernels/degree/sum.h: expected degree to use high, low, found program. Do move one of them.",
        ),
        ("high/c.h", "test/t.h", "kernels/high/c.h: expected high to use low, found test. Do move one of them."),
        ("guard/c.h", "low/a.h", "kernels/guard/c.h: expected guard to use nothing, found low. Do move one of them."),
    ],
)
def test_the_wrong_folder(tree, capsys, path, include, says):
    tree(path, include)
    assert check_layout.main(tree.root) == 1
    assert capsys.readouterr().err == f"{says}\n"


def test_a_folder_that_is_too_large(tree, capsys):
    for i in range(check_layout.MOST_FILES):
        tree(f"low/{i}.h")
    assert check_layout.main(tree.root) == 1
    assert capsys.readouterr().err == "kernels/low: expected at most 24 files, found 25. Do split it by idea.\n"


def test_a_library_that_is_not_there(tree, capsys):
    page = tree.root / "kernels" / "README.md"
    page.write_text(page.read_text().replace("| `low`", "| `lost` | it |\n| `low`"))
    assert check_layout.main(tree.root) == 1
    assert "found lost. Do take it out." in capsys.readouterr().err


def fault(tree, capsys):
    assert check_layout.main(tree.root) == 1
    return capsys.readouterr().err


def test_packages_in_a_circle(tree, capsys):
    scala(tree, "low", "Count.scala", "import org.sparkgap.spark.Plugin\n")
    said = fault(tree, capsys)
    assert "spark/low/Count.scala: expected packages that use each other one way only" in said
    assert "found org.sparkgap.spark in a circle with org.sparkgap.spark.low. Do move one of the two." in said


def test_a_package_without_a_sentence_and_one_that_is_too_large(tree, capsys):
    scala(tree, "new", "A.scala", "class A\n", info=False)
    for i in range(check_layout.MOST_IN_PACKAGE):
        scala(tree, "large", f"A{i}.scala", f"class A{i}\n")
    said = fault(tree, capsys)
    assert "org.sparkgap.spark.new: expected a package-info.java that says what it takes and gives, found none." in said
    assert "org.sparkgap.spark.large: expected at most 20 files, found 21. Do split it by idea." in said


@pytest.mark.parametrize(
    "member",
    [
        "private var last = 0",
        "@volatile private var last = 0",
        "private val known = new ConcurrentHashMap[String, String]",
        "val seen = mutable.Set.empty[String]",
        "private[spark] val count = new AtomicLong",
        "private val present = ConcurrentHashMap.newKeySet[String]",
    ],
)
def test_state_outside_the_owners(tree, capsys, member):
    scala(tree, "low", "State.scala", f"object State {{\n  {member}\n}}\n")
    assert f"low/State.scala:4: expected state in a part of ProcessState, found {member!r}. Do make it one." in fault(
        tree, capsys
    )
    scala(tree, "low", "State.scala", f"object State extends DriverPart(new State) {{\n  {member}\n}}\n")
    assert "low/State.scala:4" in fault(tree, capsys)


def test_a_static_field_that_changes(tree, capsys):
    fields = "  private static int held;\n  static final int MOST = 3;\n"
    method = "  static int held() {\n    return held;\n  }\n"
    scala(tree, "low", "Pool.java", f"final class Pool {{\n{fields}{method}}}\n")
    said = fault(tree, capsys)
    assert "low/Pool.java:4: expected static fields that are final, found 'private static int held;'." in said
    assert said.count("\n") == 1


LONG = "x" * 121


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("spark/src/test/scala/ATest.scala", f"// {LONG[3:]}\n"),
        ("launch/src/main/java/A.java", f"// {LONG[3:]}\n"),
        ("kernels/low/a.cc", f"// {LONG[3:]}\n"),
        ("kernels/build/a.cmake", f"# {LONG[2:]}\n"),
        ("kernels/CMakeLists.txt", f"# {LONG[2:]}\n"),
        ("kernels/cmake/a.cmake", f"# {LONG[2:]}\n"),
        ("python/a.py", f"# {LONG[2:]}\n"),
        ("Makefile", f"\t{LONG[4:]}\n"),
        (".ci/run", f"# {LONG[2:]}\n"),
        ("docs/a.md", f"{LONG}\n"),
    ],
)
def test_a_line_that_is_too_long(tree, capsys, path, text):
    file = tree.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert fault(tree, capsys) == f"{path}:1: expected at most 120 columns, found 121. Do wrap the line.\n"
    file.write_text(text.replace("x", "", 1))
    assert check_layout.main(tree.root) == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/a.md", f"| {LONG} |\n"),
        ("docs/a.md", f"```\n{LONG}\n```\n"),
        ("docs/a.md", f"<!-- kernels -->\n{LONG}\n<!-- /kernels -->\n"),
        ("docs/a.md", f"See [the page]({LONG}) and https://{LONG}\n"),
        ("docs/faults.md", f"{LONG}\n"),
        ("bench/results/a.md", f"{LONG}\n"),
        ("build/a.py", f"{LONG}\n"),
        ("python/a.py", f"{LONG[1:]}  # type: ignore[attr-defined]\n"),
    ],
)
def test_a_long_line_that_may_be(tree, path, text):
    file = tree.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert check_layout.main(tree.root) == 0


def test_a_line_behind_what_may_be_long(tree, capsys):
    page = tree.root / "page.md"
    page.write_text(f"```\n{LONG}\n```\n<!-- kernels -->\n<!-- /kernels -->\n{LONG}\n")
    assert fault(tree, capsys).startswith("page.md:6: expected at most 120 columns, found 121.")
