# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`make schedules`: random schedules of two applications; fails where one has seen what it may not, and prints its
steps.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # started by the folder's name
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), "-XX:TieredStopAtLevel=1"]).strip()

from schedules import Pair, schedule


def main(words=None):
    parser = argparse.ArgumentParser(prog="python conformance/schedules", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="number of schedules (200)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (0)")
    parser.add_argument(
        "--seed",
        type=int,
        default=random.randrange(10**6),
        help="of the schedules; how threads interleave is the machine's",
    )
    parser.add_argument("--go-on", action="store_true", help="after a schedule that fails")
    args = parser.parse_args(words)
    print(f"seed {args.seed}", flush=True)
    failed, start = [], time.monotonic()
    with (
        tempfile.TemporaryDirectory(
            prefix="sparkgap-schedules-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None
        ) as folder,
        Pair(folder) as pair,
    ):
        for number in range(args.first, args.first + args.rounds):
            wrong = pair.run(schedule(number, args.seed))
            if wrong:
                failed.append(number)
                print(f"schedule {number} of seed {args.seed}:", *wrong, sep="\n", flush=True)
                if not args.go_on:
                    break
            if (number + 1 - args.first) % 100 == 0:
                print(
                    f"{number + 1 - args.first} schedules, {len(failed)} failed, {time.monotonic() - start:.0f} s",
                    flush=True,
                )
    done = number + 1 - args.first
    print(
        f"{done} schedules of two applications, {len(failed)} failed {failed[:20] if failed else ''},"
        f" {time.monotonic() - start:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
