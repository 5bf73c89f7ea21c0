# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Puts the jar and the native programs into the wheel and gives it the tag of the platform that they were built on."""

import os
import platform
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelContents(BuildHookInterface):
    """An editable install finds both beside the package, so only real wheels carry them."""

    def initialize(self, version, build_data):
        if version == "editable":
            return
        package = Path(self.root) / "sparkgap"
        jar = package / "jars" / "sparkgap.jar"
        native = sorted((package / "native").glob("sparkgap-*"))
        if not jar.is_file() or not native:
            raise RuntimeError(
                f"wheel: expected {jar} and sparkgap/native/sparkgap-*, found them missing. Run make first."
            )
        for file in (jar, *native):
            build_data["force_include"][str(file.resolve())] = f"sparkgap/{file.parent.name}/{file.name}"
        # What `sparkgap cxx` compiles against.
        for folder in ("include", "lib"):
            build_data["force_include"][str((package / "native" / folder).resolve())] = f"sparkgap/native/{folder}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{glibc()}_{platform.machine()}"


def glibc():
    """The build machine's C library as the tag wants it: what is built here needs at least that one."""
    name, version = os.confstr("CS_GNU_LIBC_VERSION").split()
    if name != "glibc":
        raise RuntimeError(f"wheel: expected glibc, found {name}. Build on a Linux with glibc.")
    return "_".join(version.split(".")[:2])
