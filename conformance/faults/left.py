# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What jobs and dead executors have left on any host: processes, files, shared memory."""

import os
from pathlib import Path

from sparkgap import processes

OURS = "sparkgap-|hydra|mpiexec"


def of_jobs(cluster, store):
    """Ranks and what stands above them, folders of jobs, segments, what MPI leaves; on the hosts that live, and here,
    where no rank runs and /dev/shm is everybody's.
    """
    found = []
    for host in cluster.hosts:
        if host.alive:
            found += [f"{host.name}: process {pid}" for pid in host.pids(OURS)]
            found += [f"{host.name}: {f}" for f in host.files() if _of_job(f)]
    found += [
        f"driver: process {p.name}" for p in processes.tree() if p.name.startswith(("sparkgap-", "mpiexec", "hydra"))
    ]
    found += [
        f"driver: {folder}/{name}"
        for folder, _, names in os.walk(store)
        for name in names
        if _of_job(f"{folder}/{name}")
    ]
    return set(found)


def of_the_dead(cluster, store):
    """Homes in the store of executors that no longer run: the next one on the host has to remove them."""
    alive = [[e.id] for e in cluster.executors()]
    found = []
    for host in cluster.hosts:
        below = Path(store).relative_to("/")
        homes = (
            {Path(f).relative_to("/" + str(below)).parts[0] for f in host.files("/" + str(below))}
            if (host.root / below).is_dir()
            else set()
        )
        found += [f"{host.name}: home {h}" for h in homes if not h.startswith(".") and h.split(".")[1:2] not in alive]
    return set(found)


def _of_job(file):
    """Cached tables are Spark's to keep or to drop; what ranks have printed before they failed is kept, and the error
    says where.
    """
    return "/cache-" not in file and "-logs/rank-" not in file and _ours(file)


def _ours(file):
    return file.endswith(".arrow") or "/jobs/" in file or any(word in file for word in ("mpich", "hydra", "ucx_"))
