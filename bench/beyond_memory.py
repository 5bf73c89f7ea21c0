# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make bench-beyond`: every kernel on a stored graph on disk, with a third of the graph's size as its memory.

Each program runs in a control group that counts the pages of files too, and with no limit, where all of the graph stays
in the page cache; what they find is compared. Needs root. Writes bench/results/beyond-memory.{json,md}.
"""

import argparse
import datetime
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import numpy as np
import pyarrow as pa
import results
from graph_alone import BIN, Alone
from pagerank import ROOT, write_graph

from sparkgap import environment, spec

sys.path.insert(0, str(ROOT / "conformance"))
from memory_limit import limited

KERNELS = [name for name in spec.names() if any(i.stored_graph for i in spec.load(name).inputs)]


def stored(scale, threads, timeout_s):
    """The folder of a weighted graph on disk, made once, and the vertex that most edges leave."""
    place = ROOT / "build" / "bench" / f"stored-{scale}"
    if not (place / "source").exists():
        shutil.rmtree(place, ignore_errors=True)
        with Alone(write_graph(scale, 16, 2), (), threads, timeout_s) as programs:
            programs.build("weighted", threads)
            shutil.copytree(programs.folder / "weighted", place)
            manifest = (place / "build.json").read_text().replace(str(programs.folder / "weighted"), str(place))
            (place / "build.json").write_text(manifest)
            (place / "source").write_text(str(programs.source))
        os.sync()
    return place, int((place / "source").read_text())


def run(name, place, source, limit, out, args):
    """Figures of one run in a group of that many bytes, or of all memory where that is None; or what failed."""
    options = [word for p in spec.load(name).parameters if p.required for word in (f"--{p.name}", str(source))]
    command = [BIN / f"sparkgap-{name}", "--graph", place / "build.json", *options]
    command += ["--threads", str(args.threads), "--out", out]
    # A shell enters the group first, so that all of the program's memory is counted.
    shell = ["bash", "-c", 'read -r _; exec "$@"', "bash", *map(str, command)]
    if limit is not None:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with subprocess.Popen(
        shell,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **({} if limit is None else {"SPARKGAP_MEMORY": "least"})},
    ) as child:
        try:
            if limit is None:
                said, errors = child.communicate("\n", timeout=args.timeout)
            else:
                with limited(child.pid, limit):
                    said, errors = child.communicate("\n", timeout=args.timeout)
        except subprocess.TimeoutExpired:
            child.kill()
            return {"failed": f"no end in {args.timeout} s"}
    wall_s = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode != 0:
        return {"failed": (errors.strip().splitlines() or [f"status {child.returncode}"])[-1][:200]}
    figures = json.loads(said)
    return {
        "wall_s": wall_s,
        "compute_s": figures["seconds"]["compute"],
        "iterations": figures["iterations"],
        "read_bytes": 512 * (after.ru_inblock - before.ru_inblock),
    }


def found(out):
    """Rows of a result, by id."""
    parts = [pa.ipc.open_file(pa.memory_map(str(file))).read_all() for file in sorted(out.glob("*.arrow"))]
    table = pa.concat_tables(parts)
    order = np.argsort(table["id"].to_numpy())
    return [table[column].to_numpy()[order] for column in table.column_names]


def measured(args):
    place, source = stored(args.scale, args.threads, args.timeout)
    size = sum(file.stat().st_size for file in place.glob("*.arrow"))
    cells = {}
    for number in range(args.rounds):
        for name in args.kernels:
            with tempfile.TemporaryDirectory(dir=ROOT / "build" / "bench") as folder:
                outs = [Path(folder) / each for each in ("all", "third")]
                whole = run(name, place, source, None, outs[0], args)
                third = run(name, place, source, size // 3, outs[1], args)
                if "failed" not in whole and "failed" not in third:
                    pairs = zip(*map(found, outs), strict=True)
                    third["same"] = all(np.allclose(a, b, rtol=1e-9, equal_nan=True) for a, b in pairs)
            cells.setdefault(name, []).append({"all": whole, "third": third})
            print(f"round {number + 1}, {name}: {whole} {third}", file=sys.stderr, flush=True)
    return {"stored_bytes": size, "kernels": cells}


def markdown(result):
    lines = [
        results.measured_on(result),
        "",
        f"R-MAT {result['scale']} with weights, {result['stored_bytes'] / 1e6:,.0f} MB on disk; a control group of a"
        f" third of that, page cache too, beside no limit and a warm page cache; {result['threads']} threads, medians"
        f" of {result['rounds']} rounds. *Read*: from disk, times the graph.",
        "",
        "| kernel | all in memory s | a third s | times | read | the same result |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name, runs in result["kernels"].items():
        failed = next((each[kind]["failed"] for each in runs for kind in each if "failed" in each[kind]), None)
        if failed:
            lines.append(f"| {name} | | | | | {failed} |")
            continue
        whole, third = (statistics.median(each[kind]["wall_s"] for each in runs) for kind in ("all", "third"))
        read = statistics.median(each["third"]["read_bytes"] for each in runs) / result["stored_bytes"]
        same = "yes" if all(each["third"]["same"] for each in runs) else "**no**"
        lines.append(f"| {name} | {whole:.2f} | {third:.2f} | {third / whole:.1f} | {read:.1f} | {same} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=22)
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for each program")
    args = parser.parse_args()
    said = " ".join(sys.argv[1:])
    args.kernels, args.threads = args.kernels.split(","), environment.cores()
    result = {
        "date": datetime.date.today().isoformat(),
        "command": "make bench-beyond" + (f' ARGS="{said}"' if said else ""),
        "machine": machine.describe(),
        "scale": args.scale,
        "rounds": args.rounds,
        "threads": args.threads,
        **measured(args),
    }
    print(markdown(result))
    print(results.keep("beyond-memory", result, markdown(result)), file=sys.stderr)


if __name__ == "__main__":
    main()
