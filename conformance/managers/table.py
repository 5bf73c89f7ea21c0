# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`python conformance/managers/table.py [--write]`: the table of both managers in docs/cluster.md."""

import json
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "cluster.md"
BEGIN, END = "<!-- managers -->\n", "<!-- /managers -->"
MANAGERS = ("standalone", "yarn")


def seconds(manager):
    """{what: seconds} of a run. Errors: RuntimeError where anything went wrong."""
    command = [sys.executable, Path(__file__).parent, manager]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrong = [line for line in lines if line["wrong"]]
    if done.returncode != 0 or wrong:
        raise RuntimeError(f"{manager}: {wrong or done.stderr[-2000:]}")
    return {line["what"]: line["s"] for line in lines}


def table():
    found = {manager: seconds(manager) for manager in MANAGERS}
    lines = ["| what | standalone, s | YARN, s |", "|---|---:|---:|"]
    for what in found["yarn"]:
        cells = [f"{found[m][what]:.1f}" if what in found[m] else "-" for m in MANAGERS]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    made = table()
    print(made)
    if "--write" in sys.argv:
        before, begin, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(f"{before}{begin}{made}\n{END}{rest.partition(END)[2]}")


main()
