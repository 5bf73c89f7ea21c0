# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where a kernel's folder lacks a part (CONTRIBUTING.md), or the places beside it do not name the same
kernels.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("{k}.h", "{k}.cc", "{k}_test.cc", "{k}.md")


def kernels(source):
    """The folders whose <k>/<k>.cc defines kKernel, as kernels/CMakeLists.txt finds them."""
    return {
        f.stem
        for f in source.glob("*/*.cc")
        if f.stem == f.parent.name and re.search(r"^const Kernel kKernel", f.read_text(), re.MULTILINE)
    }


def declared(pattern, *files):
    return {name for file in files for name in re.findall(pattern, file.read_text(), re.MULTILINE)}


def main():
    source = ROOT / "kernels"
    found = kernels(source)
    families = [*(ROOT / "python/sparkgap").glob("*.py"), *(ROOT / "python/sparkgap").glob("*/*.py")]
    places = {
        **{
            f"kernels/<k>/{part.format(k='<k>')}": {k for k in found if (source / k / part.format(k=k)).exists()}
            for part in PARTS
        },
        "kernels/README.md": declared(r"^\| `(\w+)` \|.*\.md\) \|$", source / "README.md"),
        "python/sparkgap/<family>.py or <family>/*.py": declared(r"^def (\w+)\(", *families) & found,
    }
    faults = [
        f"{place}: expected {' '.join(sorted(found))}, found {' '.join(sorted(names)) or 'none'}. Do add or remove the"
        " difference."
        for place, names in places.items()
        if names != found
    ]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_kernels: {len(found)} kernels, {len(faults)} faults")
    return 1 if faults or not found else 0


if __name__ == "__main__":
    sys.exit(main())
