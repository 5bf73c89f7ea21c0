# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""async-profiler in place of Flight Recorder's own sampler: it sees native code and the kernel too, and does not favour
the places where Java can stop a thread. The user brings its jar, of tools.profiler:async-profiler.
"""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path

from ..errors import ArgumentError

LIBRARY = "libasyncProfiler.so"
_MACHINES = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


def library_of(jar: Path) -> bytes:
    """The library in the jar, or in a file of its own, for this machine.

    Raises
    ------
    ArgumentError
        It is no jar of async-profiler, or has nothing for this machine.
    """
    machine = _MACHINES.get(platform.machine(), platform.machine())
    try:
        if jar.suffix == ".so":
            return jar.read_bytes()
        with zipfile.ZipFile(jar) as packed:
            return packed.read(f"{machine}/{LIBRARY}")
    except KeyError:
        found = "one without"
    except (OSError, zipfile.BadZipFile) as e:
        found = f"{jar}: {getattr(e, 'strerror', None) or e}"
    do = "Take that of tools.profiler:async-profiler from Maven Central."
    raise ArgumentError.of("--async-profiler", f"a jar with {machine}/{LIBRARY}", found, do)


def option(folder: str) -> str:
    """What starts it with a JVM, its library being in that folder: a sample for each 20 ms that a thread runs, in a
    recording there with all that Java records too.
    """
    file = f"{folder}/hotspot-pid-%p-async.jfr"
    return f"-agentpath:{folder}/{LIBRARY}=start,event=cpu,interval=20ms,jfrsync=default,file={file}"
