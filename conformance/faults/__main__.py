# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make faults`: every fault once, then docs/faults.md; with --rounds N random faults at random moments instead. Needs
root.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), "-XX:TieredStopAtLevel=1"]).strip()

from cluster import missing

from faults import matrix, page
from faults.faults import FAULTS
from faults.rounds import rounds

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / "build" / "faults"
PARTS = ("drivers", "jobs", "lineage", "programs")
CONF = {
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
}


class Results:
    """What was found so far, as JSON: a part that is run again replaces what it had said."""

    def __init__(self, part_of_page):
        self.file = PLACE / "results.json"
        self.found = json.loads(self.file.read_text()) if part_of_page and self.file.exists() else {}
        self.failed = []

    def record(self, part, outcome, bench):
        entry = {**vars(outcome), "load": round(os.getloadavg()[0], 1)}
        self.found.setdefault(part, []).append(entry)
        said = f"{entry['seconds']:.1f} s" if entry["seconds"] is not None else ""
        print(f"{part} {outcome.fault} {outcome.engine}: {outcome.came} {said} {outcome.text[:150]}", flush=True)
        for problem in outcome.problems:
            print(f"  PROBLEM {problem}", flush=True)
        if outcome.problems and (outcome.engine == "native" or outcome.came != "a hang"):
            self.failed.append(f"{outcome.fault} ({outcome.engine})")
        self.save()
        if outcome.came == "a hang":
            (PLACE / f"hang-{outcome.fault}-{outcome.engine}.txt").write_text(bench.stacks())
            if outcome.engine == "native":
                raise SystemExit(f"faults: expected {outcome.fault} to end, found a hang. Do look at {PLACE}.")
            bench.scene().cancel()

    def forget(self, part, names):
        self.found[part] = [o for o in self.found.get(part, []) if names and o["fault"] not in names]

    def save(self):
        PLACE.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.found, indent=1) + "\n")


def parse(words):
    parser = argparse.ArgumentParser(prog="python conformance/faults", description=__doc__)
    parser.add_argument("--rounds", type=int, help="number of random faults at random moments; writes no page")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the random choices")
    parser.add_argument(
        "--parts",
        default=",".join(PARTS),
        help="comma-separated, of " + ", ".join(PARTS) + "; the page keeps what the others had found",
    )
    parser.add_argument(
        "--only", default="", help="comma-separated names of faults: " + ", ".join(f.name for f in FAULTS)
    )
    parser.add_argument("--lineage", type=int, default=3, help="rounds of the comparison with GraphX's lineage (3)")
    return parser.parse_args(words)


def main(words=None):
    args = parse(words)
    lacking = missing()
    if lacking is not None:
        print(lacking, file=sys.stderr)
        return 5
    parts, names = args.parts.split(","), [n for n in args.only.split(",") if n]
    results = Results(part_of_page=True)
    if args.rounds:
        return at_random(args, results)
    results.found["machine"] = machine()
    if {"drivers", "jobs", "lineage"} & set(parts):
        on_a_cluster(args, parts, names, results)
    if "programs" in parts:
        results.forget("programs", [])
        with tempfile.TemporaryDirectory(prefix="sparkgap-faults-", dir="/dev/shm") as store:
            matrix.anybodys(CONF, store, results.record)
    results.save()
    (ROOT / "docs" / "faults.md").write_text(page.markdown(results.found))
    return finish(results)


def on_a_cluster(args, parts, names, results):
    with matrix.Bench() as bench:
        if "drivers" in parts:
            results.forget("drivers", [])
            matrix.drivers(bench, results.record)
        if {"jobs", "lineage"} & set(parts):
            bench.begin()
            results.found["usual"] = bench.usual
        if "jobs" in parts:
            results.forget("jobs", names)
            matrix.jobs(bench, names, results.record)
        if "lineage" in parts:
            results.forget("lineage", [])
            results.found["factors"] = matrix.lineage(bench, args.lineage, results.record)


def at_random(args, results):
    print(f"seed {args.seed}", flush=True)
    results.forget("rounds", [])
    with matrix.Bench() as bench:
        bench.begin(engines=("native",))
        rounds(bench, args.rounds, args.seed, results.record)
    results.found["seed"] = args.seed
    results.save()
    return finish(results)


def finish(results):
    if results.failed:
        print(
            f"faults: expected each to end well, found problems with {', '.join(results.failed)}. Do look at"
            f" {results.file}.",
            file=sys.stderr,
        )
    return 1 if results.failed else 0


def machine():
    said = subprocess.run(
        [sys.executable, "-c", "import json, machine; print(json.dumps(machine.describe()))"],
        cwd=ROOT / "bench",
        capture_output=True,
        text=True,
        timeout=60,
    )
    return json.loads(said.stdout)


if __name__ == "__main__":
    sys.exit(main())
