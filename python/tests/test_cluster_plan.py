# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Clusters without Slurm: what an allocation is, how Spark is set on it, and scripts as texts."""

import subprocess
import time

import pytest

from sparkgap import ArgumentError, ResourceError
from sparkgap.cli.app import main
from sparkgap.cluster import allocation, probe, script, site
from sparkgap.cluster.allocation import Allocation, Node
from sparkgap.cluster.plan import plan, scratch_of

GIB = 1 << 30


def scontrol(*words):
    if words[-2:] == ("job", "7"):
        parts = (
            "JobId=7 JobState=RUNNING NodeList=n[1-3]",
            "Nodes=n[1-2] CPU_IDs=0-3,8-11 Mem=3000",
            "Nodes=n3 CPU_IDs=0 Mem=0",
        )
        return " ".join(parts)
    assert words[:3] == ("scontrol", "show", "hostnames")
    return "".join(
        f"{name}\n" for name in {"n[1-3]": ["n1", "n2", "n3"], "n[1-2]": ["n1", "n2"], "n3": ["n3"]}[words[3]]
    )


def test_an_allocation_of_slurm(monkeypatch):
    monkeypatch.setattr(allocation, "asked", scontrol)
    environ = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8"}
    environ["SLURM_JOB_END_TIME"] = "1800000000"
    found = allocation.here({**environ, "SLURM_MEM_PER_CPU": "500"})
    assert found == Allocation(
        "slurm", "7", tuple(Node(f"n{i}", n, n * 500 << 20) for i, n in ((1, 16), (2, 16), (3, 8))), 1.8e9
    )
    found = allocation.here({**environ, "SLURM_MEM_PER_NODE": "4000"})
    assert {node.memory_bytes for node in found.nodes} == {4000 << 20}
    assert {node.memory_bytes for node in allocation.here({**environ, "SLURM_MEM_PER_NODE": "0"}).nodes} == {None}
    found = allocation.of_slurm({"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": "1"})
    assert found.nodes == (Node("n1", 8, 3000 << 20), Node("n2", 8, 3000 << 20), Node("n3", 1))


def test_allocations_of_pbs_and_of_hosts(tmp_path):
    (tmp_path / "nodes").write_text("a\na\nb\n")
    found = allocation.here({"PBS_NODEFILE": str(tmp_path / "nodes"), "PBS_JOBID": "12.server"})
    assert (found.scheduler, found.job, found.nodes) == ("pbs", "12", (Node("a", 2), Node("b", 1)))
    (tmp_path / "hosts").write_text("# mine\na\n\n b \n")
    assert allocation.here({}, tmp_path / "hosts").nodes == (Node("a"), Node("b"))
    (tmp_path / "none").write_text("\n")
    for file in ("none", "missing"):
        with pytest.raises(ArgumentError):
            allocation.here({}, tmp_path / file)
    with pytest.raises(ArgumentError, match="sbatch, salloc"):
        allocation.here({})


@pytest.mark.parametrize(("left", "seconds"), [("10:00", 600), ("1-00:00:05", 86405), ("UNLIMITED", None)])
def test_the_end_of_an_allocation(left, seconds):
    found = allocation._after(left)
    assert found is None if seconds is None else abs(found - time.time() - seconds) < 60


def folder(path, kind, free=100, write=None, read=None):
    measured = {} if write is None else {"write_bytes_per_s": write * 1e6, "read_bytes_per_s": (read or write) * 1e6}
    return {"path": path, "kind": kind, "type": kind, "free_bytes": free * GIB, **measured}


def seen(name="n1", cpus=8, memory=32, folders=(("/tmp", "disk"),)):
    made = [folder(*each) for each in folders]
    return {"node": name, "cpus": cpus, "memory_bytes": int(memory * GIB), "folders": made}


def settings(*nodes, **overrides):
    return {each.key: each.value for each in plan(nodes, driver="n1", overrides=overrides.get("conf")).settings}


@pytest.mark.parametrize(("cpus", "cores"), [(1, "1"), (8, "8"), (12, "12"), (16, "8"), (48, "12"), (64, "10")])
def test_executors_have_twelve_cores_at_most(cpus, cores):
    assert settings(seen(cpus=cpus, memory=256))["spark.executor.cores"] == cores


def test_memory_is_shared_between_heap_store_and_the_rest():
    planned = plan([seen(memory=64), seen("n2", memory=32)], driver="n1")
    heap = int(planned.value("spark.executor.memory").removesuffix("m")) << 20
    store = int(planned.value("spark.sparkgap.store.memoryBytes"))
    driver = int(planned.value("spark.driver.memory").removesuffix("m")) << 20
    assert 0.35 * 32 * GIB < heap < 0.5 * 32 * GIB and heap + store + driver + GIB < 0.85 * 32 * GIB
    assert all(worker["memory_mib"] << 20 >= heap for worker in planned.workers.values())
    assert planned.workers["n2"]["cores"] == 8
    with pytest.raises(ResourceError, match="n2"):
        plan([seen(), seen("n2", memory=2)], driver="n1")


def test_what_is_said_replaces_what_is_planned():
    conf = {"spark.executor.cores": "2", "spark.local.dir": "/a,/b", "spark.x": "y", "spark.executor.memory": "20g"}
    planned = plan([seen()], driver="n1", overrides=conf)
    assert {key: planned.value(key) for key in conf} == conf
    assert planned.workers["n1"]["scratch"] == ["/a", "/b"] and planned.workers["n1"]["memory_mib"] >= 20 << 10
    assert {each.reason for each in planned.settings if each.key in conf} == {"as you say"}


@pytest.mark.parametrize(
    ("folders", "chosen", "compress"),
    [
        ([("/dev/shm", "memory", 99, 3000), ("/tmp", "disk", 99, 300)], ["/dev/shm"], "false"),
        ([("/dev/shm", "memory", 10, 3000), ("/tmp", "disk", 99, 300)], ["/tmp"], "true"),
        ([("/dev/shm", "memory", 10, 3000), ("/lustre", "shared", 99, 300)], ["/dev/shm", "/lustre"], "true"),
        ([("/tmp", "disk", 99, 90), ("/lustre", "shared", 99, 300)], ["/lustre"], "true"),
        ([("/tmp", "disk", 1, 90), ("/scratch", "disk", 99, 80)], ["/scratch"], "true"),
        ([("/tmp", "disk"), ("/dev/shm", "memory"), ("/home", "shared")], ["/tmp"], "true"),
    ],
)
def test_folders_for_shuffles(folders, chosen, compress):
    node = seen(folders=folders)
    assert list(scratch_of(node).paths) == chosen
    assert settings(node)["spark.shuffle.compress"] == compress


def test_what_this_node_says_of_itself(tmp_path):
    found = probe.node("n1", [tmp_path], is_measured=True)
    assert found["cpus"] > 0 and found["memory_bytes"] > GIB / 2 and found["memory_bytes_per_s"] > 1e8
    (own,) = [each for each in found["folders"] if each["path"] == str(tmp_path)]
    assert own["write_bytes_per_s"] > 0 and own["read_bytes_per_s"] > 0 and own["files_per_s"] > 0
    assert list(tmp_path.iterdir()) == []
    assert {each["kind"] for each in found["folders"]} <= {"memory", "disk", "shared"}
    assert plan([found], driver="n1", overrides={"spark.executor.memory": "512m"}).workers["n1"]["cores"] > 0
    seen_only = probe.node("n1", [], is_measured=False)
    assert not any("write_bytes_per_s" in each for each in seen_only["folders"])


def test_a_script_is_printed(capsys):
    words = ["cluster", "run", "--print-script", "--nodes", "4", "--time", "01:00:00", "--conf", "spark.a=b c"]
    assert main([*words, "--", "spark-submit", "--master", "x", "my app.py"]) == 0
    text = capsys.readouterr().out
    assert "#SBATCH --nodes=4\n" in text and "#SBATCH --time=01:00:00\n" in text
    assert text.endswith("--conf 'spark.a=b c' -- spark-submit --master x 'my app.py'\n")
    assert subprocess.run(["bash", "-n"], input=text, text=True).returncode == 0
    assert main([*words, "--scheduler", "pbs", "--cpus", "2", "--", "true"]) == 0
    assert "#PBS -l select=4:ncpus=2\n#PBS -l walltime=01:00:00\n" in capsys.readouterr().out


def test_what_a_site_has():
    found = {each.name: each for each in site.checks({"MODULEPATH": "/m"})}
    assert found["modules"].detail == "MODULEPATH /m" and not found["allocation"].ok
    assert "sbatch, salloc" in found["allocation"].detail
    assert not any(each.required and not each.ok for each in found.values())


def test_a_module_of_this_installation(capsys):
    for kind, said in (("lua", 'setenv("SPARK_HOME", "/'), ("tcl", "setenv SPARK_HOME {/")):
        assert main(["cluster", "module", kind]) == 0
        assert said in capsys.readouterr().out
    assert main(["cluster", "module", "ksh"]) == 2


def test_module_files_say_what_they_are_told():
    hostile = 'a "b" {c} $d [e] \\f'
    assert script.module_tcl("1", {"A": hostile}, {}).splitlines()[2] == r'setenv A {a "b" \{c\} $d [e] \\f}'
    assert r'setenv("A", "a \"b\" {c} $d [e] \\f")' in script.module_lua("1", {"A": hostile}, {"PATH": "/x"})
