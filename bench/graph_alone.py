# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The native programs without Spark: builds from ids of two kinds, and each kernel on a built graph by threads and
ranks.

All files lie in memory. Seconds and peak memory are what the programs say of themselves.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from graph_engines import OPTIONS, WEIGHTED, weights

from sparkgap import environment, spec

BIN = Path(__file__).resolve().parent.parent / "build" / "native" / "bin"
MPIEXEC = Path(sys.executable).parent / "mpiexec"
REPEATS = 3  # in each round


def scrambled(ids):
    """Other 64-bit ids, one for each: spread over all of them, negative ones too (splitmix64's last steps)."""
    x = ids.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return (x ^ (x >> np.uint64(31))).view(np.int64)


class Alone:
    """The edges as Arrow files in memory, and a graph that was built of them; a context, after which they are gone."""

    def __init__(self, path, algorithms, threads, timeout_s):
        self.algorithms, self.threads, self.timeout_s = algorithms, threads, timeout_s
        self.folder = Path(
            tempfile.mkdtemp(prefix="sparkgap-bench-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        )
        table = pq.read_table(path)
        src, dst = (table[name].to_numpy() for name in ("src", "dst"))
        self.edges, self.source = len(src), int(np.bincount(src).argmax())
        weight = table["weight"].to_numpy() if "weight" in table.column_names else weights(src, dst)
        self.inputs = {
            "dense": self._write("dense", src=src, dst=dst),
            "sparse": self._write("sparse", src=scrambled(src), dst=scrambled(dst)),
            "weighted": self._write("weighted", src=src, dst=dst, weight=weight.astype(np.float64)),
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, name, **columns):
        place = self.folder / f"{name}.arrow"
        table = pa.table(columns)
        with pa.OSFile(str(place), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 16)
        return place

    def _run(self, kernel, *arguments, ranks, threads, out="out"):
        """What the program said; its output stays until the next one."""
        shutil.rmtree(self.folder / out, ignore_errors=True)
        command = [str(MPIEXEC), "-n", str(ranks)] if ranks > 1 else []
        command += [
            str(BIN / f"sparkgap-{kernel}"),
            *map(str, arguments),
            "--out",
            str(self.folder / out),
            "--threads",
            str(threads),
        ]
        environ = {**os.environ, "OMP_NUM_THREADS": str(threads), "UCX_TLS": "self,posix", "HWLOC_XMLFILE": "/dev/null"}
        if ranks * threads > environment.cores():  # who waits must sleep
            environ |= {"OMP_WAIT_POLICY": "passive", "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"}
            environ |= {"MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64"}
        try:
            done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            return {"failed": f"no end in {self.timeout_s} s"}
        if done.returncode != 0:
            return {"failed": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:200]}
        said = json.loads(done.stdout)
        return {
            **{f"{k}_s": v for k, v in said["seconds"].items()},
            "peak_rss_bytes": said["peak_rss_bytes"],
            "iterations": said["iterations"],
            "sent": said["sent"],
        }

    def build(self, kind, threads):
        """The figures of a build of these inputs; the weighted graph stays."""
        weighted = ["--weight", "weight"] if kind == "weighted" else []
        figures = self._run("build", self.inputs[kind], *weighted, ranks=1, threads=threads, out=kind)
        stored = sum(f.stat().st_size for f in (self.folder / kind).glob("*.arrow"))
        if kind != "weighted":
            shutil.rmtree(self.folder / kind, ignore_errors=True)
        return {**figures, "input_bytes": self.inputs[kind].stat().st_size, "stored_bytes": stored}

    def kernel(self, name, ranks, threads):
        """The figures of a kernel on the weighted graph."""
        graph = self.folder / "weighted" / "build.json"
        return self._run(name, "--graph", graph, *self._options(name), ranks=ranks, threads=threads)

    def of_edges(self, name, ranks):
        """The same where the ranks, of one thread each, build the graph first, each its part."""
        weighted = ["--weight", "weight"] if name in WEIGHTED else []
        edges = self.inputs["weighted" if weighted else "dense"]
        return self._run(name, "--edges", edges, *weighted, *self._options(name), ranks=ranks, threads=1)

    def _options(self, name):
        more = [word for key, value in OPTIONS.get(name, {}).items() for word in (f"--{key.replace('_', '-')}", value)]
        return more + [word for p in spec.load(name).parameters if p.required for word in (f"--{p.name}", self.source)]

    def builds(self):
        """By kind of input: build_s, peak memory, the bytes of the input and of the graph; leaves the weighted
        graph.
        """
        found = {}
        for _ in range(REPEATS):
            for kind in self.inputs:
                found.setdefault(kind, []).append(self.build(kind, self.threads))
        return found

    def kernels(self):
        """By algorithm and "ranks x threads": compute_s and peak memory on the built graph."""
        found = {name: {} for name in self.algorithms}
        for name in self.algorithms:
            for _ in range(REPEATS):
                for ranks, threads in dict.fromkeys([(1, 1), (1, self.threads), (self.threads, 1)]):
                    found[name].setdefault(f"{ranks}x{threads}", []).append(self.kernel(name, ranks, threads))
        return found

    def round(self):
        """One round of all of it."""
        return {"edges": self.edges, "builds": self.builds(), "kernels": self.kernels()}
