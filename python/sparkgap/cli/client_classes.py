# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The classes of a client of MapReduce jobs, in an archive of its session (Java's class data sharing, JEP 310).

A client loads 5,000 classes, which is most of what it does. The first ones of a session write down which; the session
makes the archive as soon as it is idle, and later clients map it. Java itself passes over an archive of other jars.
"""

from __future__ import annotations

import os
import pwd
import re
import stat
from pathlib import Path

_SESSION = re.compile(r"[A-Za-z0-9_-]{1,40}")
_ALL = Path("/tmp")  # Java's folder of temporary files, whatever TMPDIR says


def options(session: str, java: str, path: str) -> list[str]:
    """Options of Java for a client of a session: they use its archive, or write down what belongs into one.

    Parameters
    ----------
    session
        Its name.
    java
        The program that runs the client.
    path
        The class path as far as it is in jars, for an archive knows no folders.
    """
    folder = _folder(session)
    if folder is None:
        return []
    archive = folder / "client.jsa"
    if archive.exists():
        return [f"-XX:SharedArchiveFile={archive}", "-Xshare:auto", "-Xlog:cds*=off"]
    if not (folder / "socket").exists():  # no session would take what clients wrote that have ended
        for left in folder.glob("classes.*"):
            if not Path("/proc", left.name.removeprefix("classes.")).exists():
                left.unlink(missing_ok=True)
    try:
        (folder / "client").write_text(f"{java}\n{path}\n")
    except OSError:  # no room: the job can do without
        return []
    # This process becomes the client.
    return [f"-XX:DumpLoadedClassList={folder}/classes.{os.getpid()}", "-Xlog:cds*=off"]


def _folder(session: str) -> Path | None:
    """That of the session, made where there is none; none where it is not this user's alone, which its client says."""
    if not _SESSION.fullmatch(session):
        return None
    try:
        place = _ALL / f"sparkgap-mapreduce-{pwd.getpwuid(os.geteuid()).pw_name}"
        for folder in (place, place / session):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if found.st_uid != os.geteuid() or stat.filemode(found.st_mode) != "drwx------":
                return None
    except (KeyError, OSError):  # a user without a name, or a folder that cannot be made
        return None
    return place / session
