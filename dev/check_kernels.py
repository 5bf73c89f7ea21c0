# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Fails where the six places of a kernel (CONTRIBUTING.md) do not name the same kernels, or a seventh place names one."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def listed():
    """The kernels of the list in kernels/CMakeLists.txt."""
    match = re.search(r"set\(\s*KERNELS\s+([^)]*)\)", (ROOT / "kernels/CMakeLists.txt").read_text())
    return set(match.group(1).split())


def declared(pattern, *files):
    return {name for file in files for name in re.findall(pattern, file.read_text(), re.MULTILINE)}


def main():
    kernels = listed()
    source = ROOT / "kernels/src"
    families = [*(ROOT / "python/sparkgap").glob("*.py"), *(ROOT / "python/sparkgap").glob("*/*.py")]
    places = {
        "kernels/src/<k>.cc with a kKernel": {f.stem for f in source.glob("*.cc") if re.search(r"\bkKernel\b\s*[={]", f.read_text())},
        "kernels/src/<k>.h": {k for k in kernels if (source / f"{k}.h").exists()},
        "kernels/test/<k>_test.cc": {k for k in kernels if (ROOT / f"kernels/test/{k}_test.cc").exists()},
        "python/sparkgap/<family>.py or <family>/*.py": declared(r"^def (\w+)\(", *families) & kernels,
        "docs/kernels/<k>.md": {f.stem for f in (ROOT / "docs/kernels").glob("*.md")} - {"README"},
    }
    faults = [
        f"{place}: expected {' '.join(sorted(kernels))}, found {' '.join(sorted(names)) or 'none'}. Do add or remove the difference."
        for place, names in places.items()
        if names != kernels
    ]
    print("\n".join(faults), file=sys.stderr)
    print(f"check_kernels: {len(kernels)} kernels, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
