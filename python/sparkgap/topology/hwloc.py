# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A short-lived JVM that asks hwloc, without Spark."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from .. import environment, spec
from ..errors import BY_CODE, ArgumentError, LaunchError

# Started for a quarter of a second of work: no second compiler, no threads for garbage. A crash of hwloc leaves no
# files.
_FLAGS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xshare:auto",
    "-XX:ErrorFile=/dev/null",
    "-XX:-CreateCoredumpOnCrash",
    "--enable-native-access=ALL-UNNAMED",
)
_MAIN = "org.sparkgap.topology.TopologyCommand"
_TIMEOUT_S = 120
_LONGEST_NAME = 200


def ask(words: list[str], machine: str | None) -> bytes:
    """What `TopologyCommand` prints.

    Parameters
    ----------
    words : list of str
        `["json"]` or `["distribute", "4"]`.
    machine : str, optional
        An XML file or a synthetic description; this machine otherwise.

    Raises
    ------
    ArgumentError
        There is no such file, or the description is none.
    DataError
        The XML is not one of a machine.
    LaunchError
        Java, the jar or libhwloc is missing, or hwloc ended the JVM or took too long.
    """
    source, xml = ["here"], b""
    if machine is not None:
        source, xml = _source(machine)
    if not spec.JAR.is_file():
        raise LaunchError.of(
            "sparkgap", f"its jar at {spec.JAR}", "none", "Run 'make' in the source tree or install the wheel again."
        )
    java = environment.java()
    with tempfile.TemporaryFile() as given:  # a pipe would break where Java ends before it has read all
        given.write(xml)
        given.seek(0)
        try:
            done = subprocess.run(
                [java, *_FLAGS, "-cp", str(spec.JAR.resolve()), _MAIN, *words, *source],
                stdin=given,
                capture_output=True,
                timeout=_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired:
            raise LaunchError.of("hwloc", f"the machine within {_TIMEOUT_S} s", "none", "Give a smaller one.") from None
        except OSError as e:
            raise LaunchError.of("java", "a program that runs", str(e.strerror), environment.INSTALL_JAVA) from None
    if done.returncode == 0:
        return done.stdout
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    kind = BY_CODE.get(done.returncode)
    if kind is not None and lines:
        raise kind(" ".join(lines[-1].split()))
    environment.java_version()  # an older one knows neither these flags nor our classes
    said = f"status {done.returncode}" + (f" ({' '.join(lines[-1].split())[:_LONGEST_NAME]})" if lines else "")
    raise LaunchError.of(
        "hwloc",
        "an answer",
        f"that its process ended with {said}",
        "Look whether lstopo can do it, and report it with its input.",
    )


def _source(machine: str) -> tuple[list[str], bytes]:
    """As hwloc's own tools: a file where there is one of this name, else a description."""
    try:
        if os.path.exists(machine):
            return ["xml"], Path(machine).read_bytes()
    except OSError as e:
        raise ArgumentError.of(
            "--input", "an XML file that can be read", f"{machine}: {e.strerror}", "Name one that lstopo wrote."
        ) from None
    except ValueError:  # a zero byte
        pass
    if "\0" in machine or not machine.strip() or machine.endswith(".xml") or "/" in machine:
        found = repr(machine[:_LONGEST_NAME]) if "\0" in machine or not machine.strip() else machine[:_LONGEST_NAME]
        raise ArgumentError.of(
            "--input",
            "an XML file that exists, or levels such as pack:2 core:4 pu:2",
            found,
            "Name a file that lstopo wrote.",
        )
    try:
        machine.encode("ascii")
    except UnicodeEncodeError:
        raise ArgumentError.of(
            "--input",
            "an XML file that exists, or levels such as pack:2 core:4 pu:2",
            ascii(machine[:_LONGEST_NAME]),
            "Write levels in ASCII.",
        ) from None
    if len(machine) > 1 << 15:
        raise ArgumentError.of(
            "--input", "a description of at most 32768 characters", f"{len(machine)}", "Give an XML."
        )
    return ["synthetic", machine], b""
