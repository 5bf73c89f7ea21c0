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

    write("low/a.h")
    write("high/b.cc", "low/a.h", "high/b.h")
    write("high/b_test.cc", "test/t.h", "high/b.h")
    write("program/main.cc", "high/b.h")
    write("guard/rank.cc", "guard/c.h")
    write("degree/degree.cc", "high/b.h", "low/a.h", "degree/degree.h")
    (tmp_path / "kernels" / "README.md").write_text(PAGE)
    write.root = tmp_path
    return write


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
