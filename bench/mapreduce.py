# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-mapreduce`: unchanged Hadoop jobs on Hadoop's own MapReduce and on Spark, of the same YARN and HDFS.

Each job and chain runs by its command, from the start of the client to its end: by Hadoop on YARN, by Hadoop's local
runner, by a session that starts for it, and by that session once more. What they write is compared. Writes
bench/results/mapreduce.{json,md}.
"""

import argparse
import collections
import contextlib
import datetime
import hashlib
import os
import pwd
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import numpy as np
import pyspark
import results
from hadoop_cluster import JARS, ROOT, URL, Hadoop

from sparkgap import environment
from sparkgap.lab import inputs

# As much memory for Spark's containers as for Hadoop's.
MEMORY_MB = 3584
SESSION_CONF = {
    "spark.executor.instances": "1",
    "spark.executor.cores": str(environment.cores()),
    "spark.executor.memory": "1900m",
    "spark.executor.memoryOverhead": "600m",
    "spark.yarn.am.memory": "400m",
    "spark.yarn.jars": f"local:{Path(pyspark.__file__).parent}/jars/*",
    "spark.yarn.stagingDir": f"{URL}/staging",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
ENGINES = ("Hadoop on YARN", "Hadoop's local runner", "sparkgap cold", "sparkgap warm")
MB = 1_000_000
JOB_S = 900
ITERATIONS = 5
DIMENSIONS, CENTERS = 10, 8
# Whose output may differ in the order of records with equal keys, which Hadoop does not promise.
UNORDERED = {"sort"}


INPUTS = {
    "TeraSort": "tera",
    "word count": "text",
    "sort": "random",
    "kmeans": "points",
    "pagerank": "graph",
    "components": "graph",
}


class Jobs:
    """The programs by name: the words of their command, and what they have to move."""

    def __init__(self, scale, chains):
        examples = next(JARS.glob("hadoop-mapreduce-examples-*.jar"))
        self.inputs = {"text": round(200 * MB * scale)}
        self.rows = round(2_000_000 * scale)  # of TeraSort, 100 bytes each
        self.points = round(600_000 * scale)
        self.vertices = round(200_000 * scale)
        self.words = {
            "TeraSort": [examples, "terasort", "/in/tera"],
            "word count": [examples, "wordcount", "/in/text"],
            "sort": [examples, "sort", "-r", "2", "/in/random"],
        }
        for name in ("kmeans", "pagerank", "components"):
            self.words[name] = [chains, "Chains", name, "/in/points" if name == "kmeans" else "/in/graph"]

    def options(self, name, settings):
        """A command's words, with settings where its program takes them, and its output."""
        words = list(self.words[name])
        at = 2
        words[at:at] = [f"-D{key}={value}" for key, value in settings.items()] + (
            ["-Dmapreduce.job.reduces=2"] if name in ("TeraSort", "word count") else []
        )
        if name in ("kmeans", "pagerank", "components"):  # the program's name comes after the options
            return [*words, "/out", str(ITERATIONS), *(["/in/centers"] if name == "kmeans" else [])]
        return [*words, "/out"]


def graph_lines(vertices, seed):
    """Lines of a graph whose degrees follow a power law: vertex, value, neighbours."""
    draw = np.random.default_rng(seed)
    n = vertices * 8
    ends = np.minimum(draw.zipf(1.6, n) - 1, vertices - 1), draw.integers(0, vertices, n)
    order = np.argsort(ends[1], kind="stable")
    source, target = ends[1][order], draw.permutation(vertices)[ends[0][order]]
    starts = np.searchsorted(source, np.arange(vertices + 1))
    for v in range(vertices):
        yield f"{v}\t{v + 10**12} " + " ".join(map(str, target[starts[v] : starts[v + 1]]))


def make_inputs(hadoop, jobs, folder):
    """Everything that the programs read, in HDFS; how many bytes each has there."""
    inputs.make("text", jobs.inputs["text"], folder).rename(folder / "text")
    draw = np.random.default_rng(2)
    near = draw.integers(0, 100_000, (CENTERS, DIMENSIONS))
    points = near[draw.integers(0, CENTERS, jobs.points)] + draw.integers(-20_000, 20_000, (jobs.points, DIMENSIONS))
    for name in ("points", "centers", "graph"):
        (folder / name).mkdir()
    (folder / "points" / "part").write_text("\n".join(" ".join(map(str, row)) for row in points.tolist()) + "\n")
    first = "\n".join(f"{i}\t" + " ".join(map(str, row)) for i, row in enumerate(points[:CENTERS].tolist()))
    (folder / "centers" / "part").write_text(first + "\n")
    (folder / "graph" / "part").write_text("\n".join(line.rstrip() for line in graph_lines(jobs.vertices, 3)) + "\n")
    hadoop.files("-mkdir", "-p", "/in")
    for name in ("text", "points", "centers", "graph"):
        hadoop.files("-put", str(folder / name), f"/in/{name}")
    examples = str(jobs.words["TeraSort"][0])
    local = "-Dmapreduce.framework.name=local"
    made = ["teragen", local, str(jobs.rows), "/in/tera"]
    size = [f"-Dmapreduce.randomwriter.{name}={100 * jobs.rows}" for name in ("totalbytes", "bytespermap")]
    for words in (made, ["randomwriter", local, *size, "/in/random"]):
        run_jar(hadoop, [examples, *words], {})
    sizes = hadoop.files("-du", "/in").decode().splitlines()
    return {line.split()[-1].rpartition("/")[2]: int(line.split()[0]) for line in sizes}


def run_jar(hadoop, words, settings):
    words = hadoop.java("org.apache.hadoop.util.RunJar", *words, flags=[f"-D{k}={v}" for k, v in settings.items()])
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=JOB_S, env=hadoop.variables())


def processor_s():
    """Seconds of all processors that were not idle, since the host's start."""
    first = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, irq, soft = map(int, first[:7])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


class Session:
    """A session of sparkgap's on the same YARN."""

    def __init__(self, hadoop, number):
        self.hadoop = hadoop
        self.name = f"bench-{os.getpid()}-{number}"
        user = pwd.getpwuid(os.getuid()).pw_name
        self.folder = Path(tempfile.gettempdir()) / f"sparkgap-mapreduce-{user}" / self.name

    def run(self, words):
        confs = [word for key, value in SESSION_CONF.items() for word in ("--conf", f"{key}={value}")]
        own = ["--session", self.name, "--master", "yarn", *confs]
        command = [sys.executable, "-m", "sparkgap", "mapreduce", *own, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=JOB_S, env=self.hadoop.variables())
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])

    def settle(self):
        """Until it has kept its clients' classes, as it does when it is idle."""
        end = time.monotonic() + JOB_S
        while not (self.folder / "client.jsa").exists():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.folder}: expected client.jsa within {JOB_S} s, found none")
            time.sleep(0.1)

    def end(self):
        pid = int((self.folder / "pid").read_text())
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + JOB_S
        while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
            time.sleep(0.1)


def digest(hadoop, name):
    """Of what a program has written; of records alone where their order may differ."""
    written = hadoop.files("-cat", f"{URL}/out/part-*")
    return len(written) if name in UNORDERED else hashlib.sha256(written).hexdigest()


@contextlib.contextmanager
def measured(found):
    begun, busy = time.monotonic(), processor_s()
    yield
    found["wall_s"].append(time.monotonic() - begun)
    found["processor_s"].append(processor_s() - busy)


def measure(hadoop, jobs, names, rounds):
    found = {name: {engine: collections.defaultdict(list) for engine in ENGINES} for name in names}
    for round_ in range(rounds):
        for name in names:
            written = set()
            session = Session(hadoop, f"{round_}-{list(jobs.words).index(name)}")
            for engine in ENGINES:
                runner = {"mapreduce.framework.name": "local" if engine == ENGINES[1] else "yarn"}
                with measured(found[name][engine]):
                    if engine in ENGINES[:2]:
                        run_jar(hadoop, jobs.options(name, runner), {})
                    else:
                        session.run(jobs.options(name, {}))
                written.add(digest(hadoop, name))
                if engine == ENGINES[2]:
                    session.settle()
                hadoop.files("-rm", "-r", "-f", "-skipTrash", "/out*", "/user/*/out*")
                last = found[name][engine]
                print(f"{name}, {engine}: {last['wall_s'][-1]:.1f} s, {last['processor_s'][-1]:.1f} CPU s", flush=True)
            session.end()
            if len(written) != 1:
                raise RuntimeError(f"{name}: expected one output of all, found {len(written)}")
    return found


def markdown(result):
    lines = [
        results.measured_on(result),
        "",
        f"Seconds from the client's start to its end (of all processors in brackets), medians of {result['rounds']}"
        " rounds in turn; Hadoop 3.5.0, YARN and HDFS of one node; chains have"
        f" {ITERATIONS} jobs. A cold session starts with the job; a warm one has run it once, and is at rest.",
        "",
        "| job | input [MB] | " + " | ".join(ENGINES) + " | Hadoop / warm | Hadoop / cold |",
        "|---|---:|" + "---:|" * (len(ENGINES) + 2),
    ]
    for name, engines in result["jobs"].items():
        wall = {engine: statistics.median(each["wall_s"]) for engine, each in engines.items()}
        busy = {engine: statistics.median(each["processor_s"]) for engine, each in engines.items()}
        cells = [f"{wall[engine]:.1f} ({busy[engine]:.1f})" for engine in ENGINES]
        ratios = [f"{wall[ENGINES[0]] / wall[engine]:.1f}" for engine in (ENGINES[3], ENGINES[2])]
        size = result["input_bytes"][INPUTS[name]] / MB
        lines.append(f"| {name} | {size:.0f} | " + " | ".join([*cells, *ratios]) + " |")
    return "\n".join(lines) + "\n"


def made_chains(folder):
    """The jar of the chains."""
    classes = folder / "classes"
    subprocess.run(
        ["javac", "-nowarn", "-d", classes, "-cp", f"{JARS}/*", ROOT / "bench" / "Chains.java"],
        check=True,
        capture_output=True,
    )
    jar = folder / "chains.jar"
    subprocess.run(["jar", "cf", jar, "-C", classes, "."], check=True)
    return jar


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="of the inputs, which are about 200 MB each")
    parser.add_argument("--jobs", default=",".join(INPUTS))
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    command = " ".join(["make bench-mapreduce", *([f'ARGS="{" ".join(sys.argv[1:])}"'] if sys.argv[1:] else [])])
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    result["rounds"] = args.rounds
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Hadoop(place, MEMORY_MB) as hadoop:
            jobs = Jobs(args.scale, made_chains(place))
            result["input_bytes"] = make_inputs(hadoop, jobs, place)
            result["jobs"] = measure(hadoop, jobs, args.jobs.split(","), args.rounds)
    print(markdown(result))
    print(results.keep("mapreduce", result, markdown(result), args.out), file=sys.stderr)


if __name__ == "__main__":
    main()
