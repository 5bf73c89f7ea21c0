# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Trees whose Python modules import each other in a circle, and one whose do not."""

import check_imports
import pytest


@pytest.fixture
def tree(tmp_path):
    """write(path, text): a file of the Python package."""

    def write(path, text=""):
        file = tmp_path / "python" / "sparkgap" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("__init__.py", "from .high import run\nfrom . import part\n")
    write("low.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .high import run\n")
    write("high.py", "import os\nfrom . import low\ndef run(): ...\n")
    write("part/__init__.py", "from .one import x\n")
    write("part/one.py", "from ..low import y\n")
    write.root = tmp_path
    return write


def test_a_good_tree(tree, capsys):
    assert check_imports.main(tree.root) == 0
    assert capsys.readouterr().out == "check_imports: 0 faults\n"


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("low.py", "from .high import run\n", "sparkgap.low"),
        ("low.py", "def later():\n    from . import high\n", "sparkgap.low"),
        ("low.py", "def later():\n    import sparkgap.high\n", "sparkgap.low"),
        ("part/one.py", "from . import x\n", "sparkgap.part.one"),
        ("low.py", "from . import __version__\n", "sparkgap -> sparkgap"),
    ],
)
def test_a_circle(tree, capsys, path, text, says):
    tree(path, text)
    assert check_imports.main(tree.root) == 1
    err = capsys.readouterr().err
    assert err.startswith("python/sparkgap: expected imports without a circle, found ")
    assert says in err and " -> " in err


def test_java_objects_do_not_exist_in_connect(tree, capsys):
    tree("low.py", "def f(s):\n    return s._jvm\n")
    assert check_imports.main(tree.root) == 1
    assert "python/sparkgap/low.py:2: '._jvm' does not exist in Spark Connect" in capsys.readouterr().err
