# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""A tree whose code follows from the Specs, and one that breaks each rule."""

import check_kernels
import pytest

KERNEL = "const Kernel kKernel{};\n"
NAMES = ("degree", "bfs", "lcc", "scc", "sssp", "kcore", "lda")


@pytest.fixture
def tree(tmp_path):
    """write(path, text): a file of the tree."""

    def write(path, text=""):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    for k in NAMES:
        for part in check_kernels.PARTS:
            write(f"kernels/{k}/{part.format(k=k)}", f"namespace {k}::x;\n" + (KERNEL if part == "{k}.cc" else ""))
    write("kernels/build/build.cc", f"    .makes_graph = true,\n{KERNEL}")
    for part in ("build.h", "build_test.cc", "build.md"):
        write(f"kernels/build/{part}")
    write("kernels/graph/graph.cc", 'use("degree"); say("sparkgap-build wrote");\n')
    write("kernels/graph/graph_test.cc", '#include "bfs/bfs.h"\n')
    write("kernels/test/programs_test.cc", 'run("sparkgap-bfs");\n')
    generated = '"""Written by dev/make_kernels.py."""\n' + "".join(f'call("{k}")\n' for k in NAMES)
    write("python/sparkgap/graph/kernels.py", generated)
    write("python/sparkgap/graph/graphframe/one.py", "from ..kernels import bfs\n")
    write("python/sparkgap/graph/graphframe/two.py", '"""As bfs."""\nfrom ..kernels import bfs, lcc\n')
    write("python/sparkgap/networkx/three.py", 'call("lcc")\n')
    write("conformance/test_x.py", "".join(f'run("{k}")\n' for k in NAMES[:5]) + "names = spec.names()\n")
    write.root = tmp_path
    return write


def test_a_good_tree(tree, capsys):
    assert check_kernels.main(tree.root) == 0
    assert capsys.readouterr() == ("check_kernels: 8 kernels, 0 faults\n", "\n")


@pytest.mark.parametrize("part", check_kernels.PARTS[::2])
def test_a_part_is_missing(tree, capsys, part):
    (tree.root / "kernels/lda" / part.format(k="lda")).unlink()
    assert check_kernels.main(tree.root) == 1
    assert f"kernels/lda: expected {part.format(k='lda')}, found none. Do add it." in capsys.readouterr().err


@pytest.mark.parametrize("line", ['is("bfs")', "bfs::run()", '#include "bfs/bfs.h"', "// as sparkgap-bfs does"])
@pytest.mark.parametrize("file", ["kernels/graph/rows.h", "kernels/degree/degree.cc"])
def test_a_kernel_in_the_wrong_folder(tree, capsys, file, line):
    tree(file, line + "\n" + KERNEL)
    assert check_kernels.main(tree.root) == 1
    assert f"{file}: expected bfs in kernels/bfs alone, found it here. Do use its Spec.\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ['NAMES = ["lcc"]', "from .graph import lcc", "graph.lcc(edges)", "from .graph.kernels import lcc as x"]
)
def test_a_second_place_in_python(tree, capsys, line):
    tree("python/sparkgap/report.py", line + "\n")
    assert check_kernels.main(tree.root) == 1
    places = f"{' '.join(check_kernels.PLACES)} python/sparkgap/report.py"
    says = f"expected lcc in one place, found {places}. Do leave one"
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("room", ["conformance", "bench", "python/tests", "examples", "dev"])
def test_a_list_of_kernels(tree, capsys, room):
    tree(f"{room}/x.py", f"KERNELS = {NAMES}\nsparkgap.graph.degree(edges)\n")
    assert check_kernels.main(tree.root) == 1
    assert f"{room}/x.py: expected at most 6 kernels, found 7: bfs degree kcore" in capsys.readouterr().err


def test_a_kernel_in_the_jvms_code(tree, capsys):
    tree("spark/src/main/scala/org/sparkgap/ml/LDA.scala", 'val kernel = "lda"\n')
    assert check_kernels.main(tree.root) == 0
    tree("spark/src/main/scala/org/sparkgap/spark/call/Call.scala", 'if (name == "lda") 1 else 2\n')
    assert check_kernels.main(tree.root) == 1
    assert "call/Call.scala: expected no kernel's name in the JVM's code, found lda." in capsys.readouterr().err
