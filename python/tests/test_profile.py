# Copyright 2026 the sparkgap authors. Over 400 lines: they make the same profiles.
# SPDX-License-Identifier: Apache-2.0
"""Profiles: what samples say of a task's time, and how a command is run with collectors."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from event_log import BEGIN, Log

from sparkgap import ArgumentError, report, spec
from sparkgap.cli.app import main
from sparkgap.profile import hosts, jvm_threads, machine
from sparkgap.profile import run as profiles
from sparkgap.profile.control_group import ControlGroup, free_memory
from sparkgap.profile.jvm_threads import JvmThreads, Times
from sparkgap.report.log.machine import COUNTERS
from sparkgap.report.shares import timeline


def profile(folder, log, samples):
    """A folder as `sparkgap profile` makes it."""
    (folder / "eventlog").mkdir(parents=True)
    log.write(folder / "eventlog" / "app-1")
    (folder / "profile.json").write_text("{}")
    lines = [
        {"from_ms": BEGIN + a, "to_ms": BEGIN + b, "executor": executor, "pid": 1, **seconds}
        for a, b, executor, seconds in samples
    ]
    (folder / "samples.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


def parts(found, table="stages"):
    return [
        {name: round(row[f"{name}_s"], 3) for name in ("cpu", "run_queue", "file_io", "other_wait", "off_cpu")}
        for row in getattr(found, table).to_pylist()
    ]


def test_samples_explain_the_time_of_tasks(tmp_path):
    log = Log(cores=2)
    log.job(0, [(0, [(0, 1000, {"cpu": 200})] * 2, 1000), (1000, [(1000, 2000, {"cpu": 900})] * 2, 2000)], 2000)
    first = {"active": 2.0, "cpu": 0.4, "queue": 1.0, "file_io": 0.2, "other": 0.4}
    second = {"active": 2.0, "cpu": 1.8, "queue": 0.2}
    found = report.load(profile(tmp_path / "p", log.end(2000), [(0, 1000, "0", first), (1000, 2000, "0", second)]))
    assert parts(found) == [
        {"cpu": 0.2, "run_queue": 0.5, "file_io": 0.1, "other_wait": 0.2, "off_cpu": 0},
        {"cpu": 0.9, "run_queue": 0.1, "file_io": 0, "other_wait": 0, "off_cpu": 0},
    ]
    assert found.warnings == [] and [advice.rule for advice in found.advice] == ["cpu_contention"]
    assert sum(found.breakdown["seconds"].to_pylist()) == pytest.approx(2)
    assert found.stages["without_run_queue_s"].to_pylist() == pytest.approx([0.5, 0.1])


def test_each_executor_has_its_own_samples(tmp_path):
    log = Log(cores=1, executors=3)
    log.job(0, [(0, [(0, 1000, {"executor": n}) for n in range(3)], 1000)], 1000)
    samples = [(0, 1000, "0", {"active": 1, "queue": 1}), (0, 1000, "1", {"active": 1, "file_io": 1})]
    found = report.load(profile(tmp_path / "p", log.end(1000), samples))
    tasks = found.tasks.to_pylist()
    assert [(t["run_queue_s"], t["file_io_s"], t["off_cpu_s"]) for t in tasks] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert found.warnings == ["1 executors have no samples: what their tasks wait for is not known."]


def test_a_collector_beside_the_tasks_is_known_by_its_threads(tmp_path):
    log = Log(cores=1)
    log.job(0, [(0, [(0, 1000, {"cpu": 500, "gc": 400})], 1000)], 1000)
    seen = {"active": 1, "cpu": 0.5, "other": 0.5, "jvm_cpu": 2.0, "gc_cpu": 0.3, "collector": "ZGC"}
    found = report.load(profile(tmp_path / "p", log.end(1000), [(0, 1000, "0", seen)]))
    assert found.share("gc") == 0 and "ZGC" in found.warnings[0]


def test_samples_that_are_damaged_or_gone(tmp_path):
    log = Log(cores=1)
    log.job(0, [(0, [(0, 1000, {})], 1000)], 1000)
    folder = profile(tmp_path / "p", log.end(1000), [(0, 1000, "0", {"active": 1, "queue": 5, "other": -3})])
    with open(folder / "samples.jsonl", "a") as file:
        file.write('{"from_ms": 1, "to\n[]\n')
    found = report.load(folder)
    assert parts(found)[0]["run_queue"] == 1 and found.warnings == ["2 of 3 samples are damaged and were passed over."]
    (folder / "samples.jsonl").unlink()
    assert parts(report.load(folder))[0]["off_cpu"] == 1


def sent(executor, sent_ms, received_ms, *lines):
    said = {"executor": executor, "sent_ms": BEGIN + sent_ms, "received_ms": BEGIN + received_ms, "lines": lines}
    return json.dumps(said) + "\n"


def test_executors_on_other_hosts_are_read_by_the_clock_of_the_driver(tmp_path):
    log = Log(cores=1, executors=3)
    log.job(0, [(0, [(0, 1000, {"executor": n}) for n in range(3)], 1000)], 1000)
    folder = profile(tmp_path / "p", log.end(1000), [(0, 1000, "0", {"active": 1, "queue": 1})])

    def sample(a, b, executor, **seconds):
        return {"from_ms": BEGIN + a, "to_ms": BEGIN + b, "executor": executor, "pid": 1, **seconds}

    def host(at, name):
        return {"at_ms": BEGIN + at, "host": name, "cpus": 2, "counted": {"user_s": at / 1000}}

    hour = 3_600_000
    (folder / "machine.jsonl").write_text("".join(f"{json.dumps(host(at, 'here'))}\n" for at in (0, 1000)))
    (folder / "hosts.jsonl").write_text(
        # Its clock is an hour ahead; the first batch was on its way for longer than the second.
        sent("1", hour + 500, 900, sample(hour, hour + 500, "1", active=0.5, file_io=0.5), host(hour, "there"))
        + sent("1", hour + 1000, 1000, sample(hour + 500, hour + 1000, "1", active=0.5, other=0.5))
        + sent("1", hour + 1100, 1150, host(hour + 1000, "there"), {"from_ms": "no number"})
        # One that was seen here too.
        + sent("0", 1000, 1000, sample(0, 1000, "0", active=1, other=1))
        + '{"executor": 7}\n'
    )
    heap = {"heap_used": 1, "heap_committed": 2, "heap_most": 3}
    looks = [{"at_ms": BEGIN + at, "executor": executor, **heap} for at, executor in ((500, "0"), (hour + 1000, "1"))]
    (folder / "stacks.jsonl").write_text("".join(f"{json.dumps(look)}\n" for look in looks))
    found = report.load(folder)
    assert found.heaps["at_s"].to_pylist() == [0.5, 1]
    waits = [(t["run_queue_s"], t["file_io_s"], t["other_wait_s"], t["off_cpu_s"]) for t in found.tasks.to_pylist()]
    assert waits == [(1, 0, 0, 0), (0, 0.5, 0.5, 0), (0, 0, 0, 1)]
    assert [row for row in found.machine.select(["host", "at_s"]).to_pylist() if row["host"] == "there"] == [
        {"host": "there", "at_s": 0},
        {"host": "there", "at_s": 1},
    ]
    assert found.warnings == [
        "2 lines of samplers on other hosts are damaged and were passed over.",
        "The clocks of 1 executors differ from the driver's, by 3600.0 s at most; what they said is moved by that.",
        "1 executors have no samples: what their tasks wait for is not known.",
    ]
    found.write_html(tmp_path / "page.html")
    assert [f"The host {name}" in (tmp_path / "page.html").read_text() for name in ("here", "there")] == [True] * 2


def test_the_sampler_travels_alone(tmp_path):
    """As executors run it: no sparkgap is there, and it ends with whoever started it."""
    hosts.put(tmp_path)
    words = [sys.executable, "-I", str(tmp_path / "sampler.pyz"), str(os.getpid())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        line = json.loads(process.stdout.readline())
        assert line["cpus"] == os.cpu_count() and line["counted"]["user_s"] > 0
        assert not (tmp_path / "sampler.pyz").exists(), "a host that is killed now keeps none"
        process.stdin.close()
        assert process.wait(10) == 0
    hosts.take_away(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_plug_ins_of_the_application_get_one_more(tmp_path, monkeypatch):
    """Where a cluster may run it, and its Spark is one that the plug-in is made for."""
    for name in ("jars", "bin", "conf"):
        (tmp_path / name).mkdir()
    submit = tmp_path / "bin" / "spark-submit"
    submit.write_text("#!/bin/sh\n")
    submit.chmod(0o755)
    (tmp_path / "sparkgap.jar").touch()
    monkeypatch.setattr(spec, "JAR", tmp_path / "sparkgap.jar")
    for name in ("SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    ours = "org.sparkgap.spark.profile.ProfilePlugin"

    def plugins(*words, given="", stacks=False):
        return hosts.plugins([str(submit), *words], given, stacks=stacks)

    far = ["--master", "spark://h:1", "--conf", "spark.plugins=Mine", "app.py"]
    (tmp_path / "jars" / "spark-core_2.12-3.5.7.jar").touch()
    assert plugins(*far) is None, "too old"
    (tmp_path / "jars" / "spark-core_2.13-4.1.0.jar").touch()
    assert plugins(*far) == f"Mine,{ours}" and plugins(*far, given="Tried") == f"Tried,{ours}"
    (tmp_path / "conf" / "spark-defaults.conf").write_text("spark.plugins Theirs\n")
    assert plugins("app.py") == f"Theirs,{ours}"
    assert plugins("--master", "local[2]", "app.py") is None
    assert plugins("--deploy-mode", "cluster", *far) is None, "its driver has no such class"
    assert plugins("--master", "local[2]", "app.py", stacks=True) == f"Theirs,{ours}"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.plugins=Mine pyspark-shell")
    assert hosts.plugins([sys.executable, "app.py"], "", stacks=False) == f"Mine,{ours}"
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", "/theirs/*")
    assert hosts.of_driver(tmp_path) == {
        "SPARK_DIST_CLASSPATH": f"/theirs/*:{tmp_path}/plugin.jar",
        "SPARKGAP_PROFILE": str(tmp_path),
    }


def test_a_command_is_run_with_its_event_log_on(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf 'a.b=c d' pyspark-shell")
    show = "import os, sys; print(os.environ['PYSPARK_SUBMIT_ARGS']); open('p/eventlog/x', 'w'); sys.exit(7)"
    assert main(["profile", "--out", "p", "--", sys.executable, "-c", show, "--out", "x"]) == 7
    said = capfd.readouterr()
    log = (tmp_path / "p" / "eventlog").as_uri()
    assert said.out.startswith("--conf 'a.b=c d' ") and f"--conf spark.eventLog.dir={log} " in said.out
    assert "report p" in said.err
    told = json.loads((tmp_path / "p" / "profile.json").read_text())
    assert (told["status"], told["command"][-2:]) == (7, ["--out", "x"])
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o700
    submit = tmp_path / "spark-submit"
    submit.write_text('#!/bin/sh\necho "$@"\nkill -9 $$\n')
    submit.chmod(0o755)
    assert main(["profile", str(submit), "--name", "x", "app.py"]) == 128 + signal.SIGKILL
    out, err = capfd.readouterr()
    assert "has no event log. The application made no session of Spark, or sets spark.eventLog.* itself" in err
    assert out.startswith("--name x --conf spark.eventLog.enabled=true") and out.endswith(" app.py\n")
    (made,) = tmp_path.glob("sparkgap-profile-*")
    assert (made / "samples.jsonl").exists()


def test_what_cannot_be_profiled(tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("")
    with pytest.raises(ArgumentError, match="--out: expected a new or empty folder"):
        profiles.run(["true"], tmp_path / "full")
    assert main(["profile", "--out", str(tmp_path / "p"), "--", "no-such-program"]) == 2
    assert "profile: expected a program that can be run, found no 'no-such-program'" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()
    (tmp_path / "p" / "eventlog").mkdir(parents=True)
    (tmp_path / "p" / "profile.json").write_text("{}")
    assert main(["report", str(tmp_path / "p"), "-o", str(tmp_path / "page.html")]) == 3
    assert "expected the log of a Spark application, found none" in capsys.readouterr().err


THREADS = r"""
import ctypes, os, sys, threading, time
name = ctypes.CDLL(None).pthread_setname_np if hasattr(ctypes.CDLL(None), "pthread_setname_np") else None
ctypes.CDLL(None).prctl(15, b"java", 0, 0, 0)


def run(text, work):
    ctypes.CDLL(None).prctl(15, text, 0, 0, 0)
    work()


def burn():
    while True:
        pass


for text, work in [(b"Executor task l", lambda: time.sleep(60)), (b"Executor task i", lambda: time.sleep(60))]:
    threading.Thread(target=run, args=(text, work), daemon=True).start()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("room", [1 << 20, 0])
def test_only_threads_that_run_a_task_count(monkeypatch, room):
    """A process that looks like a JVM of Spark to `/proc`. With more threads than open files the same is seen."""
    monkeypatch.setattr(jvm_threads, "_most_open", lambda: room)
    opened = len(os.listdir("/proc/self/fd"))
    words = [sys.executable, "-c", THREADS, "org.apache.spark.deploy", "--executor-id", "7", "--cores"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdout.readline()
            time.sleep(0.2)
            jvm = JvmThreads.of(process.pid)
            assert jvm is not None and jvm.executor == "7"
            jvm.look(10.0)
            times = jvm.look(11.0)
            assert times.active == 1.0 and times.other > 0.9 and times.cpu < 0.1
            assert (len(os.listdir("/proc/self/fd")) > opened + 1) == (room > 0)  # a pipe of the process is one
        finally:
            process.kill()
            process.wait()
    assert jvm.look(12.0) is None and len(os.listdir("/proc/self/fd")) == opened
    assert JvmThreads.of(process.pid) is None and JvmThreads.of(os.getpid()) is None


def test_a_profile_of_nothing_leaves_no_process(tmp_path):
    (tmp_path / "p").mkdir(mode=0o755)
    assert shutil.which("true") and profiles.run(["true"], tmp_path / "p").status == 0
    assert (tmp_path / "p" / "samples.jsonl").read_text() == ""
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o700


def test_what_a_jvm_used_of_the_processors(tmp_path):
    """A look at all threads comes with each second window; what was seen of tasks in between counts."""
    log = Log(cores=2)
    log.job(0, [(0, [(0, 2000, {"cpu": 900})] * 2, 2000)], 2000)
    looks = [(0, 500, {"active": 1, "cpu": 0.4}), (500, 1000, {"active": 1, "cpu": 0.4, "jvm_cpu": 1.5, "gc_cpu": 0.5})]
    looks += [(1000, 1500, {"active": 1, "cpu": 0.2, "queue": 0.3, "jvm_cpu": 0.5, "jit_cpu": 0.4, "collector": "G1"})]
    found = report.load(profile(tmp_path / "p", log.end(2000), [(a, b, "0", seconds) for a, b, seconds in looks]))
    (row,) = found.processors.to_pylist()
    assert row == {
        "executor": "0",
        "collector": "G1",
        "tasks_s": pytest.approx(1.0),
        "gc_s": 0.5,
        "jit_s": 0.4,
        "rest_s": pytest.approx(0.2),
    }
    assert found.as_json()["processors"] == [row]
    # Collections beside the tasks are a quarter of it, though no task was stopped.
    (gc,) = (advice for advice in found.advice if advice.rule == "gc")
    assert gc.evidence == "threads of G1 took 500 ms of the 2.10 s that the JVMs ran" and gc.gain_s == 0.25
    found.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Processors that the JVMs used" in page and "the top of the picture is 2 processors" in page
    plain = report.load(log.write(tmp_path / "log"))
    assert plain.processors.num_rows == 0
    plain.write_html(tmp_path / "page.html")
    assert "Processors that the JVMs used" not in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
def test_collectors_are_known_by_their_threads(tmp_path, collector):
    """A real JVM, which makes garbage and keeps some."""
    (tmp_path / "Garbage.java").write_text(
        """
        public class Garbage {
          public static void main(String[] words) {
            byte[][] kept = new byte[3000][];
            for (int i = 0; ; ++i) kept[i % kept.length] = new byte[9000 + i % 90];
          }
        }"""
    )
    words = ["java", f"-XX:+Use{collector}GC", "-Xmx128m", "-XX:+UnlockExperimentalVMOptions", "Garbage.java"]
    environ = {key: value for key, value in os.environ.items() if key != "JAVA_TOOL_OPTIONS"}
    with subprocess.Popen([*words, "org.apache.spark.Garbage"], cwd=tmp_path, env=environ) as process:
        try:
            for _ in range(100):
                jvm = JvmThreads.of(process.pid)
                if jvm is not None:
                    break
                time.sleep(0.05)
            total = Times()
            for step in range(200):
                times = jvm.look(float(step))
                total.jvm_cpu += times.jvm_cpu
                total.gc_cpu += times.gc_cpu
                if total.gc_cpu > 0.2 and total.jvm_cpu > 0.5:
                    break
                time.sleep(0.05)
        finally:
            process.kill()
    assert jvm.collector == {"Z": "ZGC"}.get(collector, collector)
    assert 0.2 < total.gc_cpu < total.jvm_cpu + 0.1


def test_the_host_is_counted(tmp_path):
    before, block = machine.look(), os.urandom(1 << 20)
    with tempfile.TemporaryFile(dir=tmp_path) as file:  # some work for the processors and a disk
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            file.write(block)
            file.seek(0)
    after = machine.look()
    assert after.keys() == before.keys() >= {"user_s", "system_s", "iowait_s", "steal_s", "memory", "available"}
    counters = [name for name in after if name in COUNTERS]
    assert len(counters) >= 6 and all(after[name] >= before[name] for name in counters)
    assert after["user_s"] + after["system_s"] > before["user_s"] + before["system_s"]
    assert 0 < after["available"] < after["memory"] and after["shared"] < after["memory"]


def planted(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ControlGroup.find(root)


def test_limits_of_a_control_group(tmp_path):
    """The nearest group that has one; of version 2, then of version 1, whose groups a container does not see."""
    mount = "sys/fs/cgroup/"
    unified = {
        "proc/self/cgroup": "0::/pod/job\n",
        mount + "cgroup.controllers": "cpu memory",
        mount + "pod/memory.max": "4096\n",
        mount + "pod/memory.current": "1024\n",
        mount + "pod/job/memory.max": "max\n",
        mount + "pod/memory.stat": "anon 24\nactive_file 200\ninactive_file 300\n",
        mount + "pod/job/memory.current": "512\n",
        mount + "pod/job/cpu.max": "150000 100000\n",
        mount + "pod/job/cpu.stat": "usage_usec 9\nthrottled_usec 2500000\n",
    }
    found = planted(tmp_path / "2", unified).look()
    assert found == {"group_memory": 1024, "group_limit": 4096, "throttled_s": 2.5}
    assert free_memory(tmp_path / "2") == 4096 - (1024 - 500), "files can be read again"
    older = {
        "proc/self/cgroup": "4:memory:/gone/away\n2:cpu,cpuacct:/gone\n",
        mount + "memory/memory.limit_in_bytes": "8192\n",
        mount + "memory/memory.usage_in_bytes": "2048\n",
        mount + "cpu/cpu.cfs_quota_us": "50000\n",
        mount + "cpu/cpu.stat": "nr_periods 3\nthrottled_time 500000000\n",
    }
    assert planted(tmp_path / "1", older).look() == {"group_memory": 2048, "group_limit": 8192, "throttled_s": 0.5}
    assert free_memory(tmp_path / "1") == 8192 - 2048
    stat = "active_file 1\ninactive_file 1\ntotal_active_file 40\ntotal_inactive_file 8\n"
    (tmp_path / "1" / mount / "memory/memory.stat").write_text(stat)
    assert free_memory(tmp_path / "1") == 8192 - 2000, "those of groups below too"
    free = {
        "proc/self/cgroup": "4:memory:/../..\n",
        mount + "memory/memory.limit_in_bytes": str(2**63 - 4096),
        mount + "cpu/cpu.cfs_quota_us": "-1\n",
    }
    assert planted(tmp_path / "0", free).look() == {} == planted(tmp_path / "none", {}).look()
    assert free_memory(tmp_path / "0") is None and free_memory(tmp_path / "none") is None


def host_line(at_s, **counted):
    return json.dumps({"at_ms": BEGIN + 1000 * at_s, "host": "<b>", "cpus": 4, "counted": counted})


def test_a_page_shows_what_the_host_did(tmp_path):
    log = Log()
    log.job(0, [(0, [(0, 10000, {})], 10000)], 10000)
    log.end(10000).write(tmp_path / "eventlog")
    (tmp_path / "profile.json").write_text("{}")
    level = {"memory": 8e9, "available": 4e9, "page_cache": 3e9, "shared": 1e9, "group_memory": 1e9, "group_limit": 2e9}
    lines = [
        host_line(0, user_s=10, system_s=5, disk_read=0, io_pressure_s=1, memory_pressure_s=0, throttled_s=3, **level),
        "no line",
        host_line(
            5, user_s=20, system_s=5, disk_read=5e8, io_pressure_s=1, memory_pressure_s=0, throttled_s=5, **level
        ),
        host_line(
            10, user_s=20, system_s=10, disk_read=5e8, io_pressure_s=7, memory_pressure_s=0, throttled_s=5, **level
        ),
    ]
    (tmp_path / "machine.jsonl").write_text("\n".join(lines))
    found = report.load(tmp_path)
    assert "1 of 4 lines about the host are damaged and were passed over." in found.warnings
    assert found.machine["at_s"].to_pylist() == [0, 5, 10]
    assert set(found.machine["host"].to_pylist()) == {"<b>"}
    rates = timeline.machine(found.application, found.application.machines[0], found.clock)
    half = len(rates["user_s"]) // 2
    for name, first, second in (("user_s", 2, 0), ("system_s", 0, 1), ("disk_read", 1e8, 0), ("io_pressure_s", 0, 1.2)):
        assert rates[name][:half] == pytest.approx(first, rel=1e-4, abs=1e-4)
        assert rates[name][half:] == pytest.approx(second, rel=1e-4, abs=1e-4)
    found.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    said = [
        "The host &lt;b&gt;",
        "Processors, of all that runs here: at most 2, the top is 4 processors.",
        "Memory: at most 7, the top is 8 GB.",
        "Memory of the control group: at most 1, the top is 2 GB.",
        "Held back by the control group&#39;s quota: at most 0.4, the top is 0.4 threads.",
        "Disks: at most 100, the top is 100 MB/s.",
        "Pressure on files: at most 100 %, the top is 100 % of the time",
        "Pressure on memory: none.",
    ]
    for words in said:
        assert words in page
    assert "Network" not in page, "nobody counted it"


def test_the_application_ends_with_its_profile(tmp_path):
    """Also where that one is killed, and can end nothing."""
    submit = tmp_path / "spark-submit"
    submit.write_text("#!/bin/sh\necho $$ > pid.part\nmv pid.part pid\nexec sleep 300\n")
    submit.chmod(0o755)
    words = [sys.executable, "-m", "sparkgap", "profile", "--out", "out", "--", str(submit)]
    with subprocess.Popen(words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        wait_until((tmp_path / "pid").exists)
        pid = int((tmp_path / "pid").read_text())
        assert Path(f"/proc/{pid}").exists()
        process.kill()
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or ") Z " in Path(f"/proc/{pid}/stat").read_text())


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
