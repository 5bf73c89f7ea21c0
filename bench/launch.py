# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-launch`: what it costs to start ranks on several hosts, and many small jobs one after another.

Three hosts made of network namespaces on this machine, a real Spark standalone cluster on them (needs root). From the
call in Python to the first instruction of the ranks, beside plain mpiexec with its manual launcher on the same hosts,
interleaved. Then jobs one after another while other JVMs contend for the processors. Writes
bench/results/launch.{json,md}.
"""

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import machine
import results

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "conformance"))

from cluster import Cluster  # noqa: E402

import sparkgap  # noqa: E402
from sparkgap import environment, spec  # noqa: E402

BUDGET_S = 0.5
HOSTS = 3
JOB_S = 60.0
# A job of Spark that keeps two cores busy, again and again.
BUSY = (
    "import pyspark.sql as s\nspark = s.SparkSession.builder.master('local[2]').config('spark.ui.enabled',"
    " 'false').config('spark.driver.host', 'localhost').config('spark.log.level', 'ERROR').getOrCreate()\nprint('busy',"
    " flush=True)\nwhile True: spark.range(100_000_000).selectExpr('sum(id % 7 * (id % 11))',"
    " 'max(hash(id))').collect()\n"
)
HELLO = "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n"


class Stamps:
    """Programs that say when they begin, in a file that all hosts see."""

    def __init__(self, folder):
        self._file = folder / "stamps"
        self._file.touch()
        self.kernels = folder / "native"
        self.kernels.mkdir()
        native = spec.NATIVE.resolve()
        for file in native.iterdir():
            (self.kernels / file.name).symlink_to(file)
        (self.kernels / "sparkgap-degree").unlink()
        self._compile(native / "sparkgap-degree", self.kernels / "sparkgap-degree")
        (folder / "hello.c").write_text(HELLO)
        mpicc = Path(environment.mpiexec()).parent / "mpicc"
        subprocess.run([mpicc, folder / "hello.c", "-o", folder / "hello"], check=True, timeout=60)
        self.hello = folder / "stamped-hello"
        self._compile(folder / "hello", self.hello)

    def _compile(self, program, to):
        define = [f'-DPROGRAM="{program}"', f'-DSTAMPS="{self._file}"']
        subprocess.run(["gcc", "-O2", *define, str(ROOT / "bench" / "stamp.c"), "-o", str(to)], check=True, timeout=60)

    def take(self):
        """Start times, in seconds since the epoch, of processes that started since the last call."""
        found = sorted(int(line) / 1e9 for line in self._file.read_text().split())
        self._file.write_text("")
        return found


def plain(cluster, stamps):
    """mpiexec, its lines handed to the hosts at once, a program that only joins MPI and leaves."""
    hosts = ",".join(f"{h.name}:1" for h in cluster.hosts)
    command = [
        environment.mpiexec(),
        "-launcher",
        "manual",
        "-localhost",
        cluster.driver,
        "-hosts",
        hosts,
        "-genvnone",
        "-wdir",
        "/",
        "-n",
        str(HOSTS),
        str(stamps.hello),
    ]
    begin = time.time()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as mpiexec:
        lines = []
        for line in mpiexec.stdout:
            if line.startswith("HYDRA_LAUNCH_END"):
                break
            lines.append(line.removeprefix("HYDRA_LAUNCH: ").split())
        words = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "HWLOC_XMLFILE": "/dev/null"}
        proxies = [host.begin(line, words) for host, line in zip(cluster.hosts, lines, strict=True)]
        status = [mpiexec.wait(JOB_S), *(proxy.wait(JOB_S) for proxy in proxies)]
    end = time.time()
    if any(status):
        raise SystemExit(f"mpiexec: expected all to end with 0, found {status}. Run again.")
    return figures(begin, end, stamps.take())


def call(frame):
    """Of the kernel that does least."""
    return sparkgap.graph.degree(frame, ranks=HOSTS, threads=1, progress=False, timeout_s=JOB_S)


def ours(frame, stamps):
    begin = time.time()
    found = call(frame)
    end = time.time()
    frame.sparkSession.sql(f"DROP TABLE {found.sparkgap.table}")
    return {**figures(begin, end, stamps.take()), "phases": found.sparkgap.phases}


def figures(begin, end, stamps):
    if len(stamps) != HOSTS:
        raise SystemExit(f"stamps: expected {HOSTS}, found {len(stamps)}. Look why ranks did not begin.")
    return {"first_s": stamps[0] - begin, "last_s": stamps[-1] - begin, "whole_s": end - begin}


def overhead(args, cluster, stamps, stored, table):
    cells = {
        "plain mpiexec": lambda: plain(cluster, stamps),
        "sparkgap, stored table": lambda: ours(stored, stamps),
        "sparkgap, DataFrame": lambda: ours(table, stamps),
    }
    runs = {name: [] for name in cells}
    for round_ in range(args.warm + args.rounds):
        for name, run in cells.items():
            figures_ = run()
            if round_ >= args.warm:
                runs[name].append(figures_)
        print(
            f"round {round_ + 1}: " + ", ".join(f"{name} {of[-1]['last_s']:.3f} s" for name, of in runs.items() if of),
            file=sys.stderr,
            flush=True,
        )
    return runs


@contextmanager
def contention(count):
    """The given number of JVMs, all busy."""
    with ExitStack() as stack:
        children = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
            )
            for _ in range(count)
        ]
        try:
            for child in children:
                child.stdout.readline()
            yield
        finally:
            for child in children:
                child.kill()


def many(args, frame):
    """Small jobs one after another; each has a deadline, and one that meets it counts as hung."""
    took, failed, load = [], [], []
    with contention(args.busy):
        for job in range(args.jobs):
            begin = time.monotonic()
            try:
                frame.sparkSession.sql(f"DROP TABLE {call(frame).sparkgap.table}")
                took.append(time.monotonic() - begin)
            except KeyboardInterrupt:
                break  # with what there is
            except sparkgap.SparkGapError as e:
                failed.append(f"job {job}, {time.monotonic() - begin:.1f} s: {str(e).splitlines()[0]}")
                print(failed[-1], file=sys.stderr, flush=True)
            load.append(os.getloadavg()[0])
            if (job + 1) % 25 == 0:
                print(
                    f"{job + 1} jobs, median {statistics.median(took):.2f} s, slowest {max(took):.2f} s, {len(failed)}"
                    f" failed, load {load[-1]:.1f}",
                    file=sys.stderr,
                    flush=True,
                )
    return {
        "jobs": len(took) + len(failed),
        "busy": args.busy,
        "took_s": took,
        "failed": failed,
        "load_median": statistics.median(load or [0]),
    }


def markdown(result):
    m = result["machine"]
    lines = [
        f"{m['processor']}, {m['cores']} cores, {m['memory_bytes'] / 2**30:.0f} GiB; Java {m['java']}, Spark"
        f" {m['packages']['pyspark']}, MPICH {m['packages']['mpich']}; load {m['load_1min']} at start; commit"
        f" {m['commit']}{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`. {HOSTS} hosts"
        " are network namespaces on this machine, which share its processors."
    ]
    if result.get("overhead"):
        rounds = len(next(iter(result["overhead"].values())))
        lines += [
            "",
            (
                "Seconds from the call to the first instruction of a rank, one rank on each host; median (least to"
                f" most) of {rounds} interleaved rounds. Plain mpiexec runs a program that only joins MPI and leaves."
            ),
            "",
        ]
        lines += ["| | first rank | last rank | whole call | phases export, launch |", "|---|---:|---:|---:|---:|"]
        for name, runs in result["overhead"].items():
            phases = (
                ", ".join(f"{statistics.median(r['phases'][p] for r in runs):.3f}" for p in ("export_s", "launch_s"))
                if "phases" in runs[0]
                else ""
            )
            lines.append(
                f"| {name} | {_spread(runs, 'first_s')} | {_spread(runs, 'last_s')} | {_spread(runs, 'whole_s')} |"
                f" {phases} |"
            )
        last = statistics.median(r["last_s"] for r in result["overhead"]["sparkgap, stored table"])
        lines += [
            "",
            (
                f"Budget: {BUDGET_S} s from call to first instruction; {last:.3f} s,"
                f" {'kept' if last <= BUDGET_S else 'MISSED'}."
            ),
        ]
    if result.get("many"):
        j = result["many"]
        took = sorted(j["took_s"])
        lines += [
            "",
            (
                f"{j['jobs']} jobs of {HOSTS} ranks one after another, {j['busy']} JVMs beside them that are busy all"
                f" the time (load {j['load_median']:.1f}): {len(took)} ended well, {len(j['failed'])} did not."
            ),
        ]
        if took:
            lines += [
                f"Seconds of a call: median {statistics.median(took):.2f}, 95 % below"
                f" {took[int(0.95 * (len(took) - 1))]:.2f}, slowest {took[-1]:.2f}."
            ]
        lines += [f"- {failure}" for failure in j["failed"]]
    return "\n".join(lines) + "\n"


def _spread(runs, key):
    values = [r[key] for r in runs]
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30, help="0 leaves the comparison out")
    parser.add_argument("--warm", type=int, default=5, help="rounds before those that count")
    parser.add_argument("--jobs", type=int, default=300, help="0 leaves them out")
    parser.add_argument("--busy", type=int, default=2, help="JVMs that contend for the processors meanwhile")
    parser.add_argument("--out", type=Path, default=results.PLACE, help="folder for the results")
    args = parser.parse_args()
    given = " ".join(sys.argv[1:])
    command = f'make bench-launch ARGS="{given}"' if given else "make bench-launch"
    result = {"date": datetime.date.today().isoformat(), "command": command, "machine": machine.describe()}
    folder = ROOT / "build" / f"bench-launch-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        stamps = Stamps(folder)
        with Cluster(hosts=HOSTS, cores=2) as cluster:
            spark = cluster.session(
                {"spark.sparkgap.launch.kernelDir": str(stamps.kernels), "spark.default.parallelism": 2 * HOSTS}
            )
            try:
                table = spark.range(0, 3000, 1, 2 * HOSTS).selectExpr("id % 1000 src", "id * 7919 % 1000 dst")
                table.write.format("sparkgap").save("stored")
                stored = spark.read.format("sparkgap").load("stored")
                if args.rounds:
                    result["overhead"] = overhead(args, cluster, stamps, stored, table)
                if args.jobs:
                    result["many"] = many(args, table)
            finally:
                spark.stop()
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)
    args.out.mkdir(exist_ok=True)
    print(markdown(result))
    print(results.keep("launch", result, markdown(result), args.out), file=sys.stderr)
    if result.get("many", {}).get("failed"):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
