# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark's own examples with our five estimators, unchanged: as they are, and by `python -m sparkgap.accelerate`.

    python conformance/spark_examples.py [--write]    the table of docs/accelerate.md

pyspark brings the examples and their data along. All run in one process, so that a JVM starts once for each way.
"""

import argparse
import contextlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "accelerate.md"
EXAMPLES = (
    "cross_validator",
    "estimator_transformer_param_example",
    "kmeans_example",
    "lda_example",
    "linear_regression_with_elastic_net",
    "logistic_regression_summary_example",
    "logistic_regression_with_elastic_net",
    "multiclass_logistic_regression_with_elastic_net",
    "naive_bayes_example",
    "one_vs_rest_example",
    "pipeline_example",
    "train_validation_split",
)
_STOPPED = "10 iterations on another way to the optimum"
# Whose numbers differ, and why (docs/ml.md).
DIFFERS = {
    "lda_example": "other draws",
    "linear_regression_with_elastic_net": "the optimum to 1e-10, where Spark's is one to 1e-6",
    "logistic_regression_summary_example": _STOPPED,
    "logistic_regression_with_elastic_net": _STOPPED,
    "multiclass_logistic_regression_with_elastic_net": _STOPPED,
    "one_vs_rest_example": "its own split into training and test rows differs from run to run",
    "train_validation_split": "the optimum, where Spark's stops after 10 iterations",
}
_NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
_UID = re.compile(r"_[0-9a-f]{12}\b")
_HISTORY = re.compile(r"objectiveHistory:\s*\[?((?:[\d.eE-]+[,\s]*)+)")
_TIMEOUT_S = 900


def run(names):
    """In the process of the examples: a JSON line for each, with what it printed and its seconds."""
    import pyspark

    folder = Path(pyspark.__file__).parent
    os.chdir(folder)
    from sparkgap.accelerate import report

    for name in names:
        said, begin, before = io.StringIO(), time.monotonic(), report().decisions
        with contextlib.redirect_stdout(said):
            runpy.run_path(str(folder / "examples/src/main/python/ml" / f"{name}.py"), run_name="__main__")
        ways = {
            (d.what, d.native, d.why or "")
            for d in report().decisions
            if d.runs != next((b.runs for b in before if (b.what, b.native, b.why) == (d.what, d.native, d.why)), 0)
        }
        found = {"name": name, "said": said.getvalue(), "s": time.monotonic() - begin, "ways": sorted(ways)}
        print(json.dumps(found), file=sys.__stdout__, flush=True)


def results(names=EXAMPLES, *, accelerated):
    """{name: what `run` says of it}, in a process of its own."""
    way = ["-m", "sparkgap.accelerate"] if accelerated else []
    settings = "--master local[2] --driver-memory 1g --conf spark.ui.enabled=false pyspark-shell"
    done = subprocess.run(
        [sys.executable, *way, __file__, "--run", *names],
        # Default seeds of pyspark.ml are hashes of words. With 0 cross_validator has a fold of one class, and fails.
        env={**os.environ, "PYTHONHASHSEED": "1", "PYSPARK_SUBMIT_ARGS": settings, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"'))
    return {found["name"]: found for found in lines}


def furthest(ours, theirs):
    """Between two outputs, how far two numbers at one place are apart at most; None where they differ in more."""
    ours, theirs = _UID.sub("", ours), _UID.sub("", theirs)
    if _NUMBER.sub("#", ours) != _NUMBER.sub("#", theirs):
        return None
    pairs = zip(map(float, _NUMBER.findall(ours)), map(float, _NUMBER.findall(theirs)), strict=True)
    return max((abs(a - b) / max(1.0, abs(a), abs(b)) for a, b in pairs), default=0.0)


def objective(said):
    """The last value that an example prints of its objective; None where it prints none."""
    found = _HISTORY.search(said)
    return float(re.split(r"[,\s]+", found[1].strip(", \n"))[-1]) if found else None


def compared(name, ours, theirs):
    """The outputs of an example in words."""
    if name not in DIFFERS:
        return f"the same to {furthest(ours, theirs):.0e}"
    before, after = objective(theirs), objective(ours)
    return DIFFERS[name] + (f"; objective {after:.9g} for {before:.9g}" if before is not None else "")


def table(plain, accelerated):
    lines = ["| example | Spark's, s | accelerated, s | what ran how | output |", "|---|---:|---:|---|---|"]
    for name in EXAMPLES:
        same = compared(name, accelerated[name]["said"], plain[name]["said"])
        ways = "; ".join(
            f"{what} native" if native else f"{what} Spark's: {why}" for what, native, why in accelerated[name]["ways"]
        )
        lines.append(f"| {name} | {plain[name]['s']:.1f} | {accelerated[name]['s']:.1f} | {ways} | {same} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--run", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the table into docs/accelerate.md")
    options = parser.parse_args()
    if options.run:
        return run(options.run)
    made = table(results(accelerated=False), results(accelerated=True))
    print(made)
    if options.write:
        before, begin, rest = PAGE.read_text().partition("<!-- examples -->\n")
        _, end, behind = rest.partition("<!-- /examples -->")
        PAGE.write_text(f"{before}{begin}{made}\n{end}{behind}")


if __name__ == "__main__":
    main()
