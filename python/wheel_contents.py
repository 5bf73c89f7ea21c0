# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Puts the jar and the native programs into the wheel, and gives it the tag of the platforms that these run on. The jar
carries them too, for hosts of a cluster that have no wheel.

SPARKGAP_NATIVE=ARCHITECTURE=FOLDER=MPI in the environment makes a wheel of another architecture's programs, as
`one_jar.py --native` names them.
"""

import os
import platform
import re
import sys
import tempfile
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import one_jar
import source_build

# Programs are linked against its symbols (dev/old_glibc.py), and few of them need the youngest.
LINKED = (2, 28)


class WheelContents(BuildHookInterface):
    """An editable install finds both in build/, so only real wheels carry them. Where they are not built yet, as in an
    unpacked sdist, they are built here.
    """

    def dependencies(self):
        """What building them takes, as dev/requirements.txt pins it; GCC, Ninja, CMake, Maven and a JDK are the
        system's.
        """
        if not self._missing():
            return []
        lines = Path(self.root, "dev", "requirements.txt").read_text().splitlines()
        return [line.replace("[connect]", "") for line in lines if line.startswith(("pyspark[", "ziglang=="))]

    def initialize(self, version, build_data):
        if version == "editable":
            return
        if self._missing():
            source_build.run(Path(self.root))
        jar = self._jar()
        architecture, folder, mpich = self._native()
        native = sorted(Path(folder).glob("sparkgap-*"))
        for file in native:
            build_data["force_include"][str(file.resolve())] = f"sparkgap/native/{file.name}"
        self.folder = tempfile.TemporaryDirectory(prefix="sparkgap-wheel-")
        carrying = Path(self.folder.name) / jar.name
        one_jar.write(jar, carrying, {architecture: one_jar.programs(folder) | one_jar.mpi(mpich or None)})
        build_data["force_include"][str(carrying)] = f"sparkgap/jars/{jar.name}"
        # What `sparkgap cxx` compiles against.
        for part in ("include", "lib"):
            build_data["force_include"][str(Path(folder, part).resolve())] = f"sparkgap/native/{part}"
        build_data["pure_python"] = False
        least = max(LINKED, *(glibc(file) for file in native if file.suffix != ".json"))
        build_data["tag"] = f"py3-none-manylinux_{least[0]}_{least[1]}_{architecture}"

    def _jar(self):
        return Path(self.root, "build", "jars", "sparkgap.jar")

    def _native(self):
        default = f"{platform.machine()}={Path(self.root, 'build', 'native', 'bin')}="
        return os.environ.get("SPARKGAP_NATIVE", default).split("=")

    def _missing(self):
        return not self._jar().is_file() or not Path(self._native()[1], "sparkgap-rank").is_file()

    def finalize(self, version, build_data, artifact_path):
        if version != "editable":
            self.folder.cleanup()


def glibc(program):
    """The least glibc that has all symbols of a program."""
    with open(program, "rb") as stream:
        sections = [s for s in ELFFile(stream).iter_sections() if isinstance(s, GNUVerNeedSection)]
        names = [version.name for s in sections for _, versions in s.iter_versions() for version in versions]
    found = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name) for name in names]
    if not found or None in found:
        needs = ", ".join(names)
        raise RuntimeError(f"wheel: expected {program} to need glibc alone, found {needs}. Do make clean wheel.")
    return max((int(m[1]), int(m[2])) for m in found)
