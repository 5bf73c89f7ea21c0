# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A folder on a disk that takes only so much a second, as no page cache hides it. Needs root."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "conformance"))
from disk_limit import slow_disk

BYTES = 12 << 30  # of the file system, which takes room only for what is written


@contextlib.contextmanager
def slow_folder(place, mb_per_s):
    """Gives its path, `place/slow`: writes wait for their turn, those of this process and of all that it starts."""
    image, folder = place / "slow.ext4", place / "slow"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    subprocess.run(["mount", "-o", "loop,sync", image, folder], check=True)
    try:
        with slow_disk(folder, mb_per_s * 10**6) as processes:
            processes.write_text(str(os.getpid()))
            try:
                yield folder
            finally:
                (processes.parent.parent / processes.name).write_text(str(os.getpid()))
    finally:
        subprocess.run(["umount", folder], check=True)
