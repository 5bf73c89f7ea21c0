# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A control group that writes to a disk slowly, version 1 or 2."""

import contextlib
import os
import uuid
from pathlib import Path

from memory_limit import MOUNT, _remove


@contextlib.contextmanager
def slow_disk(folder, bytes_per_s):
    """Gives the file into which a process writes its number to write to the folder's disk no faster.

    Errors: OSError where groups cannot be made, as without root, or the folder is on no disk of its own.
    """
    unified = (MOUNT / "cgroup.controllers").exists()
    group = (MOUNT if unified else MOUNT / "blkio") / f"sparkgap-test-{uuid.uuid4().hex}"
    if unified:
        (MOUNT / "cgroup.subtree_control").write_text("+io")
    group.mkdir()
    try:
        disk = _disk(folder)
        if unified:
            (group / "io.max").write_text(f"{disk} wbps={bytes_per_s}")
        else:
            (group / "blkio.throttle.write_bps_device").write_text(f"{disk} {bytes_per_s}")
        yield group / "cgroup.procs"
    finally:
        _remove(group)


def _disk(folder):
    """The numbers of the whole disk, whose partition the folder may be on."""
    device = os.stat(folder).st_dev
    place = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve(strict=True)
    return ((place.parent if (place / "partition").exists() else place) / "dev").read_text().strip()
