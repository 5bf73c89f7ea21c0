# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A graph that memory cannot hold goes to disk, its algorithms finish there, and nothing is left."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys, os, sparkgap, sparkgap.processes

memory, disk = sys.argv[1:3]
s = sparkgap.session(
    "local[1]",
    conf={"spark.ui.enabled": "false", "spark.sparkgap.store.dir": memory, "spark.sparkgap.store.diskDir": disk},
)
edges = s.range(300000).selectExpr("id % 40009 as src", "id * 7919 % 40009 as dst")
files = lambda place: sum(f.endswith(".arrow") for _, _, names in os.walk(place) for f in names)
g = sparkgap.graph.build(edges, name="large")
said = {"tier": s.sql("CALL sparkgap.graph.graphs()").first().tier, "disk_files": files(disk)}
ranks = sparkgap.graph.pagerank(g)
said["pagerank"] = [ranks.count(), round(sum(r.pagerank for r in ranks.collect()), 3)]
said["build_s"] = ranks.sparkgap.phases["build_s"]
small = sparkgap.graph.build(edges.limit(100), name="small")
said["small_tier"] = [r.tier for r in s.sql("CALL sparkgap.graph.graphs()").collect() if r.name == "small"][0]
try:
    sparkgap.graph.degree(edges)
except sparkgap.ResourceError as e:
    said["table"] = str(e)
g.drop()
said["after_drop"] = files(disk)
g = sparkgap.graph.build(edges, name="again")
print(json.dumps(said), flush=True)
if len(sys.argv) > 3:  # the driver's JVM, which has no time to clean up then
    [os.kill(p.pid, 9) for p in sparkgap.processes.tree() if p.name == "java"]
    os._exit(0)
s.stop()
print(files(disk), files(memory))
"""


def run(tmp_path, *more):
    """With a file system of 2 MB as memory tier: needs root or user namespaces to mount one."""
    memory, disk = tmp_path / "memory", tmp_path / "disk"
    memory.mkdir(mode=0o700, exist_ok=True)
    is_root = Path("/proc/self").stat().st_uid == 0
    unshare = ["unshare", "--mount"] if is_root else ["unshare", "--user", "--map-root-user", "--mount"]
    mount = 'mount -t tmpfs -o size=2m,mode=700 none $0 && exec "$@"'
    command = [*unshare, "sh", "-c", mount, str(memory), sys.executable, "-c", SCRIPT, str(memory), str(disk), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=220)
    assert done.stdout, done.stderr[-2000:]
    return done.stdout.splitlines(), disk


def test_a_graph_larger_than_memory(tmp_path):
    (said, left), disk = run(tmp_path)
    said = json.loads(said)
    assert said["tier"] == "disk" and said["disk_files"] >= 3
    assert said["pagerank"] == [40009, 40009.0]
    assert said["build_s"] < 5
    assert said["small_tier"] == "memory"
    assert said["table"].count("\n") == 0 and "expected" in said["table"]
    assert said["after_drop"] == 0
    assert left == "0 0"
    assert disk.stat().st_mode & 0o777 == 0o700


def test_what_a_killed_driver_left_on_disk_goes_at_the_next_start(tmp_path):
    _, disk = run(tmp_path, "killed")
    assert list(disk.rglob("*.arrow")), "the killed one left its graph"
    (_, left), _ = run(tmp_path)
    assert left == "0 0"
    assert not list(disk.rglob("*.arrow"))
