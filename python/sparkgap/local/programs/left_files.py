# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files that a program leaves in its working folder, which is the job's and is removed with it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from ...errors import ArgumentError, DataError

_OURS = re.compile(
    r"job\.json|progress\.jsonl|launcher\.log|full|tmp|environment|(rank|exit|error|done|arguments|cpus)-.*"
)


def check(files: Mapping[str, str], arrow: Collection[str], folders: Collection[str]) -> None:
    """Refuse names that do not lie in the working folder, or that cannot be meant.

    Parameters
    ----------
    files : mapping of str to str
        The file by the name of its output.
    arrow, folders : collection of str
        Outputs of format arrow, and those that an argument takes for a folder.

    Raises
    ------
    ArgumentError
        There is one.
    """
    for name, file in files.items():
        where = f"files.{name}"
        _check_name(where, file)
        if name in arrow:
            do = "Say in formats what the file is."
            raise ArgumentError.of(where, "an output of another format than arrow", "arrow", do)
        if name in folders:
            do = "Leave one of them out."
            raise ArgumentError.of(where, f"no argument with {{outputs.{name}}}/ beside it", "one", do)
    paths = [(name, Path(os.path.normpath(file))) for name, file in files.items()]
    for name, path in paths:
        for other, outer in paths:
            if name != other and path.is_relative_to(outer):
                found = f"'{path}', which is in '{outer}' of {other}"
                raise ArgumentError.of(f"files.{name}", "a file of its own", found, "Take one table of it.")


def _check_name(where: str, file: str) -> None:
    path = Path(os.path.normpath(file)) if file.strip() and "\0" not in file else None
    found = repr(re.sub(r"[\x00-\x1f]", "?", file))
    if (
        path is not None
        and not path.is_absolute()
        and ".." not in (path.parts[:1] + Path(file).parts[:1])
        and path.parts
    ):
        if not _OURS.fullmatch(path.parts[0]):
            return
        found += ", which the job itself has"
    expected = "the name of a file in the program's working folder, such as 'out/mode1.mat'"
    raise ArgumentError.of(where, expected, found, "Correct the name.")


def move(where: str, file: str, folder: Path, to: Path) -> None:
    """Move it out of the working folder; a missing file is no error here.

    Raises
    ------
    DataError
        A link leads out of the folder, or it is neither file nor folder.
    """
    source = folder / file
    if not source.exists():
        return
    real = source.resolve()
    if not real.is_relative_to(folder.resolve()) or real == folder.resolve():
        raise _behind_link(where, file, source)
    if real.is_dir():
        for entry in real.iterdir():
            if entry.is_symlink():
                raise _behind_link(where, file, entry)
    elif not real.is_file():
        do = "Let the program write a file."
        raise DataError.of(f"{where} ({file})", "a file or a folder of files", "something else", do)
    real.rename(to)


def _behind_link(where: str, file: str, link: Path) -> DataError:
    found = f"the link {link.name}, which leads out of it or stands in a folder of files"
    do = "Let the program write the file there."
    return DataError.of(f"{where} ({file})", "a file in the working folder itself", found, do)
