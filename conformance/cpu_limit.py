# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Control groups with some of the processors and a share of their time, version 1 or 2."""

import contextlib
import uuid

from memory_limit import MOUNT, _remove

PERIOD_US = 100_000


@contextlib.contextmanager
def limited_cpus(cpus, cores):
    """Gives the files into which a process writes its number to be limited to these processors and `cores` of time.

    Errors: OSError where groups cannot be made, as without root.
    """
    unified = (MOUNT / "cgroup.controllers").exists()
    name, quota = f"sparkgap-test-{uuid.uuid4().hex}", int(cores * PERIOD_US)
    groups = [MOUNT / name] if unified else list(dict.fromkeys((MOUNT / c).resolve() / name for c in ("cpuset", "cpu")))
    if unified:
        (MOUNT / "cgroup.subtree_control").write_text("+cpuset +cpu")
    made = []
    try:
        for group in groups:
            group.mkdir()
            made.append(group)
        settings = {"cpuset.cpus": cpus, "cpuset.mems": "0"}
        settings |= (
            {"cpu.max": f"{quota} {PERIOD_US}"}
            if unified
            else {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(quota)}
        )
        for setting, value in settings.items():
            for group in groups:
                if (group / setting).exists():
                    (group / setting).write_text(value)
        yield [group / "cgroup.procs" for group in groups]
    finally:
        for group in made:
            _remove(group)
