# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make soak`: many small calls and caches in one session, printed as a curve; fails where something only grows."""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), "-XX:TieredStopAtLevel=1"]).strip()

from rich.console import Console

from soak import Watch, judge, session, soak, table

PLACE = Path(__file__).resolve().parent.parent.parent / "build" / "soak"


def main(words=None):
    parser = argparse.ArgumentParser(prog="python conformance/soak", description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--caches", type=int, default=1_000)
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument(
        "--forget",
        type=int,
        default=0,
        help=(
            "every how many results one is not dropped (0: none); these may go when room is needed, so files grow up to"
            " the quota"
        ),
    )
    args = parser.parse_args(words)
    start, samples = time.monotonic(), []
    PLACE.mkdir(parents=True, exist_ok=True)

    def tell(sample):
        samples.append(sample)
        print(f"{time.monotonic() - start:6.0f} s", json.dumps({k: round(v) for k, v in sample.items()}), flush=True)
        (PLACE / "samples.json").write_text(json.dumps(samples) + "\n")

    with (
        tempfile.TemporaryDirectory(
            prefix="sparkgap-soak-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None
        ) as folder,
        session(Path(folder)) as (spark, cluster),
    ):
        soak(spark, Watch(folder, cluster), args.calls, args.caches, args.samples, args.forget, tell)
    Console(width=130).print(table(samples))
    wrong = judge(samples)
    print(*wrong or [f"all is bounded, {time.monotonic() - start:.0f} s"], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
