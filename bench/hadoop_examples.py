# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make hadoop-examples`: what Hadoop's own programs write and count on each engine, side by side.

All programs of hadoop-mapreduce-examples that need no database or screen, and those of Hadoop's test driver, run on
Hadoop's local runner, on YARN, and on Spark: here, on a standalone cluster of two workers, and on YARN with two
executors, of one HDFS. Their outputs and counters are compared. Writes bench/results/hadoop-examples.{json,md}; ends
with 1 where an engine differs.
"""

import argparse
import collections
import contextlib
import datetime
import hashlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import machine
import pyspark
import results
from hadoop_cluster import JARS, URL, Hadoop
from hadoop_programs import PROGRAMS, SIZES

import mapreduce

SPARK_HOME = Path(pyspark.__file__).parent
with socket.socket() as _free:
    _free.bind(("127.0.0.1", 0))
    MASTER = f"spark://127.0.0.1:{_free.getsockname()[1]}"
MEMORY_MB = 4096
PROGRAM_S, START_S = 600, 60
LOCAL, ON_YARN = "Hadoop's local runner", "Hadoop on YARN"
SPARK = {"Spark, local": "local[2]", "Spark, standalone": MASTER, "Spark, YARN": "yarn"}
ENGINES = (LOCAL, ON_YARN, *SPARK)
CONFS = {
    "spark.executor.instances": "2",
    "spark.executor.cores": "1",
    "spark.executor.memory": "800m",
    "spark.executor.memoryOverhead": "300m",
}
# Of Hadoop's own counters those that no engine may decide; all of the program's.
OF_HADOOP = re.compile(
    "Map-Reduce Framework|Job Counters|File System Counters|File (Input|Output) Format Counters|Shuf"
)
DECIDED = {"Map input records", "Map output records", "Reduce input groups", "Reduce output records"}
OF_JOB = re.compile(r"\bJob(Client)?: Counters: \d+$")
RAN = re.compile(r"Job (job_\w+) (completed|failed)")


class Engine:
    """Runs programs; all that they write is below a folder of HDFS that is its own."""

    def __init__(self, hadoop, name, place):
        self.hadoop, self.name = hadoop, name
        self.root = f"/on/{ENGINES.index(name)}"
        self.place = place / str(ENGINES.index(name))
        self.place.mkdir()
        self.session = f"examples-{os.getpid()}-{ENGINES.index(name)}"
        self.conf = hadoop.conf
        if name == LOCAL:
            self.conf = self.place / "conf"
            shutil.copytree(hadoop.conf, self.conf)
            site = self.conf / "mapred-site.xml"
            named = "<name>mapreduce.framework.name</name><value>{}</value>"
            site.write_text(site.read_text().replace(named.format("yarn"), named.format("local")))

    def command(self, jar, words):
        if self.name not in SPARK:
            java = self.hadoop.java("org.apache.hadoop.util.RunJar", jar, *words)
            return [word.replace(str(self.hadoop.conf), str(self.conf)) for word in java]
        settings = {**mapreduce.SESSION_CONF, **CONFS}
        confs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        own = ["--session", self.session, "--idle", "60s", "--master", SPARK[self.name], *confs]
        return [sys.executable, "-m", "sparkgap", "mapreduce", *own, jar, *words]

    def run(self, program, inputs):
        """What it wrote and counted, or how it failed."""
        places = {each.name: f"{self.root}/{i}" for i, each in enumerate(PROGRAMS)}
        out = places[program.name]
        words = program.words.format_map({**inputs, **places, "out": out}).split()
        if not program.tests:
            words.insert(0, program.name.partition(" ")[0])
        jar = inputs["tests"] if program.tests else next(JARS.glob("*-examples-*.jar"))
        done = subprocess.run(
            list(map(str, self.command(jar, words))),
            cwd=self.place,
            capture_output=True,
            text=True,
            timeout=PROGRAM_S,
            env={**self.hadoop.variables(), "HADOOP_CONF_DIR": str(self.conf)},
        )
        (self.place / f"{places[program.name].rpartition('/')[2]}.log").write_text(done.stdout + done.stderr)
        if program.fails:
            said = done.stdout + done.stderr
            failed = done.returncode != 0 and program.fails in said
            return {"jobs": len(jobs(said)), "failure": "as it must" if failed else "none"}
        if done.returncode:
            raise RuntimeError(f"{program.name} on {self.name}: exit {done.returncode}\n{done.stderr[-3000:]}")
        found = {"jobs": len(jobs(done.stderr)), "counters": counters(done.stderr)}
        if program.random:
            return {"jobs": found["jobs"], "output": "some" if self.written(out) else "none"}
        if program.drawn:
            return {"jobs": found["jobs"]}
        if "{out}" in program.words:
            text = self.written(out)
            lines = b"\n".join(sorted(text.splitlines())) if program.ties else text
            found["output"] = f"{len(lines)} bytes, {hashlib.sha256(lines).hexdigest()}"
        if program.name == "pi":
            found["output"] = re.search("Estimated value of Pi is .*", done.stdout).group()
        return found

    def written(self, out):
        """The text of what it wrote."""
        files = self.hadoop.files("-ls", "-C", "-R", out).decode().split()
        parts = sorted(f for f in files if re.search(r"/(part[^/]*|pi_[^/]*\.hex)$", f))
        return self.hadoop.files("-text", *parts) if parts else b""


def jobs(said):
    """The ids of the jobs that a client has seen end."""
    return {found.group(1) for found in RAN.finditer(said)}


def counters(said):
    """Sums over all jobs of a program, by group and name."""
    found, group, of_job = collections.Counter(), None, False
    for line in said.splitlines():
        if re.match(r"\t\t\S", line) and group is not None and "=" in line:
            name, _, value = line.strip().rpartition("=")
            if value.isdigit() and (not OF_HADOOP.match(group) or name in DECIDED):
                found[f"{group}: {name}"] += int(value)
        elif re.match(r"\t\S", line):
            group = line.strip() if of_job else None
        else:
            group, of_job = None, bool(OF_JOB.search(line))
    return {name: value for name, value in sorted(found.items()) if value}


def make_inputs(hadoop, folder):
    """Where they are in HDFS, by name."""
    texts = {
        "in": [[f"word{(i * 7 + n) % 13} some more words {'x' * (i % 9)}" for i in range(400)] for n in range(3)],
        "pairs": [[f"{(i * 31 + n) % 601}\t{i}" for i in range(600)] for n in range(2)],
        "sorted": [[f"{i}\t{i}" for i in range(100, 200)]],
        "numbers": [[f"{i * 31 % 97} {i * 17 % 89}" for i in range(500)]],
    }
    for name, files in texts.items():
        (folder / name).mkdir()
        for i, lines in enumerate(files):
            (folder / name / f"part{i}").write_text("\n".join(lines) + "\n")
    hadoop.files("-mkdir", "-p", "/in")
    hadoop.files("-put", *(str(folder / name) for name in texts), "/in/")
    examples = next(JARS.glob("*-examples-*.jar"))
    size = SIZES.format("randomtextwriter").split()
    words = ["randomtextwriter", "-Dmapreduce.framework.name=local", *size, "/in/sequence"]
    mapreduce.run_jar(hadoop, [examples, *words], {})
    return {"tests": tests_jar(folder), **{name: f"{URL}/in/{name}" for name in (*texts, "sequence")}}


def tests_jar(folder):
    """Hadoop's tests without their manifest, whose driver no longer starts."""
    made = folder / "tests.jar"
    with zipfile.ZipFile(next(JARS.glob("*-jobclient-*-tests.jar"))) as whole, zipfile.ZipFile(made, "w") as part:
        for name in whole.namelist():
            if name.endswith(".class"):
                part.writestr(name, whole.read(name))
    return made


def hadoop_version():
    """Of the jars that the daemons are of."""
    return next(JARS.glob("hadoop-hdfs-client-*.jar")).stem.rpartition("-")[2]


@contextlib.contextmanager
def standalone(place):
    """A master and two workers of Spark's on the loopback interface."""
    base = [SPARK_HOME / "bin" / "spark-class", "org.apache.spark.deploy"]
    env = {**os.environ, "SPARK_DAEMON_MEMORY": "300m", "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(SPARK_HOME)}
    daemons = []

    def start(name, *words):
        with (place / f"{name}.log").open("wb") as log:
            command = [str(base[0]), f"{base[1]}.{words[0]}", "--host", "127.0.0.1", *map(str, words[1:])]
            daemons.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=env))

    try:
        start("master", "master.Master", "--port", MASTER.rpartition(":")[2], "--webui-port", "0")
        for i in range(2):
            work = ["--cores", "1", "--memory", "1100m", "--webui-port", "0", "--work-dir", place / f"work{i}", MASTER]
            start(f"worker{i}", "worker.Worker", *work)
        end = time.monotonic() + START_S
        while (place / "master.log").read_text().count("Registering worker") < 2:
            if time.monotonic() > end:
                raise RuntimeError(f"Spark's workers: expected two within {START_S} s, see {place}")
            time.sleep(0.3)
        yield
    finally:
        for daemon in daemons:
            daemon.kill()
            daemon.wait(START_S)


def table(found):
    """Programs by rows, engines by columns, and whether any of Spark's differs from what it must do."""
    rows, differs = [], False
    for program in PROGRAMS:
        if program.name not in found:
            continue
        of = found[program.name]
        seen, cells = of[ON_YARN], []
        for engine in (LOCAL, *SPARK):
            wrong = [key for key in seen if of[engine].get(key) != seen[key] or of[engine].get(key) == "none"]
            differs |= bool(wrong) and engine in SPARK
            cells.append(", ".join(wrong) + " differ" if wrong else "equal")
        how = "fails as it must" if program.fails else seen.get("output", "").partition(",")[0] or "-"
        how += ", lines sorted" if program.ties else ", random: that it writes" if program.random else ""
        count = str(len(seen["counters"])) if "counters" in seen else "-"
        rows.append(f"| {program.name} | {seen['jobs']} | {how} | {count} | {' | '.join(cells)} |")
    return rows, differs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names of programs, with commas between; others stay as they were")
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make hadoop-examples", *([f'ARGS="{shlex.join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    before = args.out / "hadoop-examples.json"
    found = result["programs"] = json.loads(before.read_text())["programs"] if args.only and before.exists() else {}
    chosen = [each for each in PROGRAMS if (each.name in args.only.split(",") if args.only else not each.slow)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Hadoop(place, MEMORY_MB) as hadoop, standalone(place):
            log = hadoop.conf / "log4j.properties"  # of clients, whose counters are news
            log.write_text(log.read_text().replace("rootLogger=WARN", "rootLogger=INFO"))
            inputs = make_inputs(hadoop, place)
            for name in ENGINES:
                engine = Engine(hadoop, name, place)
                for program in chosen:
                    found.setdefault(program.name, {})[name] = engine.run(program, inputs)
                    print(f"{name}: {program.name}: {found[program.name][name]}", flush=True)
                hadoop.files("-rm", "-r", "-f", "-skipTrash", "/benchmarks")
    rows, differs = table(found)
    text = [
        results.measured_on(result),
        "",
        f"What Hadoop {hadoop_version()} does on YARN is what each engine must do. Counters: the program's own, and"
        " Hadoop's of records and groups. Hadoop's local runner gives some programs one map where they ask for more.",
        "",
        f"| program | jobs | output | counters | {' | '.join((LOCAL, *SPARK))} |",
        f"|---|---:|---|---:|{'---|' * (1 + len(SPARK))}",
        *rows,
    ]
    print("\n".join(text))
    results.keep("hadoop-examples", result, "\n".join(text), args.out)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
