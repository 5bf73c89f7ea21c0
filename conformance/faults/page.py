# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md from what the trials have found."""

import statistics
from collections import Counter

from cluster.standalone import WORKER_TIMEOUT_S

from .faults import FAULTS
from .matrix import SETTINGS
from .work import DEGREE, VERTICES

HEAD = """# What dies, and what comes of it

Written by `make faults` from what its trials found; do not edit. `conformance/faults/faults.py` is\
 the list of what strikes, for this page and for the tests.
"""
DRIVERS = {"driver-interrupt": "Ctrl-C at the driver", "driver-kill": "`kill -9` of the driver"}
PROGRAMS = {
    "program-exit": "one rank exits with 3",
    "program-abort": "one rank calls `MPI_Abort`",
    "program-segfault": "one rank crashes",
    "program-fill": "it fills the store's file system",
}


def markdown(found):
    parts = [HEAD, conditions(found)]
    if found.get("jobs"):
        parts.append(jobs(found))
    if found.get("drivers"):
        parts.append(drivers(found["drivers"]))
    if found.get("programs"):
        parts.append(programs(found["programs"]))
    if found.get("factors"):
        parts.append(lineage(found))
    if found.get("rounds"):
        parts.append(rounds(found))
    return "\n".join(parts)


def conditions(found):
    m = found["machine"]
    loads = [o["load"] for part in ("jobs", "drivers", "programs", "lineage") for o in found.get(part, [])]
    settings = ", ".join(f"`{k}={v}`" for k, v in SETTINGS.items())
    return (
        f"{m['processor']}, {m['cores']} cores, {m['memory_bytes'] >> 30} GiB; Linux {m['kernel']}, Java {m['java']},"
        f" Spark {m['packages']['pyspark']}, MPICH {m['packages']['mpich']}; commit"
        f" {m['commit']}{' with changes' if m['changed'] else ''}; load {min(loads):g} to {max(loads):g}. Three hosts"
        " are namespaces of this one machine, each with one executor of two cores; one trial each, so read times as"
        f" sizes.\n\nSpark's own detection was made quick, for ours and for plain Spark alike: {settings}, and"
        f" `spark.worker.timeout={WORKER_TIMEOUT_S}` on master and workers. With Spark's defaults (60 s and 120 s)"
        " plain Spark takes longer where nobody closes a connection (a hang, a cut).\n"
    )


def jobs(found):
    usual = found["usual"]
    by = {(o["fault"], o["engine"]): o for o in found["jobs"]}
    lines = [
        "## A job on three hosts\n",
        (
            f"PageRank of {VERTICES:,} vertices and {VERTICES * DEGREE:,} edges: the native kernel with a rank on each"
            f" host ({usual['native']:.1f} s without a fault) and GraphX with the same rows ({usual['spark']:.1f} s)."
            " Struck in the middle. *after*: seconds from the strike until the caller has the result, or its"
            " exception. A dash: plain Spark does not know it.\n"
        ),
        "| what strikes | what comes | after s | left | session goes on | plain Spark | after s |",
        "|---|---|---:|---|---|---|---:|",
    ]
    for fault in FAULTS:
        ours, theirs = by.get((fault.name, "native")), by.get((fault.name, "spark"))
        if ours:
            lines.append(
                f"| {fault.what} | {came(ours)} | {seconds(ours)} | {remains(ours)} | {goes_on(ours)} |"
                f" {came(theirs, short=True)} | {seconds(theirs)} |"
            )
    lines += ["", "What the errors say:", ""]
    lines += [
        f"- {f.what}: {quoted(by[f.name, 'native'])}"
        for f in FAULTS
        if by.get((f.name, "native"), {}).get("came") == "one error"
    ]
    return "\n".join([*lines, ""])


def drivers(outcomes):
    lines = [
        "## The driver\n",
        "With ranks on three hosts; *after*: seconds until no rank, proxy or mpiexec is on any host.\n",
        "| what | what comes | after s | left |",
        "|---|---|---:|---|",
    ]
    for o in outcomes:
        comes = (
            "one error, the session goes on"
            if o["fault"] == "driver-interrupt"
            else f"executors gone after {o['took']:.1f} s, files with the next start at the latest"
        )
        comes = "; ".join(o["problems"]) or comes
        lines.append(f"| {DRIVERS[o['fault']]} | {comes} | {seconds(o)} | {remains(o)} |")
    return "\n".join([*lines, ""])


def programs(outcomes):
    lines = [
        "## Programs of anybody's\n",
        (
            "`sparkgap.mpi.run`, two ranks on the driver's host; *after*: seconds from the end of the rank to the"
            " exception.\n"
        ),
        "| what | the exception | after s | left |",
        "|---|---|---:|---|",
    ]
    lines += [f"| {PROGRAMS[o['fault']]} | {quoted(o)} | {seconds(o)} | {remains(o)} |" for o in outcomes]
    return "\n".join([*lines, ""])


def lineage(found):
    lines = [
        "## Run again, or made anew from its lineage\n",
        (
            "An executor dies in the middle. The native job is run again from its inputs, on the hosts that are left;"
            f" GraphX computes what was lost from its lineage. Medians of {found['factors']['native']['rounds']}"
            " interleaved rounds; the paper on Spark and MPI measured 2.7 for the one and 27 for the other, on graphs"
            " so large that GraphX had much to make anew.\n"
        ),
        "| | iterations | without s | with the fault s | times |",
        "|---|---:|---:|---:|---:|",
    ]
    for engine, name in (("native", "native, run again"), ("spark", "GraphX, lineage")):
        f = found["factors"][engine]
        times = f"{f['with'] / f['without']:.1f}" if f["with"] else "did not end"
        lines.append(f"| {name} | {f['iterations']} | {f['without']:.1f} | {f['with'] or float('nan'):.1f} | {times} |")
    return "\n".join([*lines, ""])


def rounds(found):
    trials = found["rounds"]
    struck = [o for o in trials if o["seconds"] is not None]
    kinds = Counter(o["fault"] for o in struck)
    ends = [o["seconds"] for o in struck]
    bad = [o for o in trials if o["problems"]]
    what = ", ".join(f"{name} {n}" for name, n in sorted(kinds.items()))
    return (
        "## Random faults at random moments\n\n"
        f'`make faults ARGS="--rounds {len(trials)} --seed {found.get("seed", "")}"`: {len(trials)} rounds on one'
        f" session, inputs computed or cached, {len(trials) - len(struck)} of them after the "
        f"job's end or where nobody was to be struck. Struck: {what}. Hangs, leaks and wrong results: {len(bad)}. From"
        " the strike to the end: median "
        f"{statistics.median(ends):.1f} s, slowest {max(ends):.1f} s.\n"
    )


def came(outcome, short=False):
    if outcome is None:
        return "-"
    if outcome["came"] == "the result":
        return "the right result"
    if outcome["came"] != "one error" or short:
        return outcome["came"] if outcome["came"] != "one error" else "an error"
    facts = [
        f"rank {outcome['rank']}" if outcome["rank"] is not None else "",
        (outcome["host"] or "") if outcome["rank"] is not None or outcome["signal"] else "",
        f"signal {outcome['signal']}" if outcome["signal"] else "",
        "log" if outcome["logged"] else "",
    ]
    named = ", ".join(f for f in facts if f)
    return "one error" + (f" with {named}" if named else "")


def seconds(outcome):
    return "-" if outcome is None or outcome["seconds"] is None else f"{outcome['seconds']:.1f}"


def remains(outcome):
    found = [p for p in outcome["problems"] if "nothing left" in p or p.startswith("left")]
    return found[0] if found else "nothing"


def goes_on(outcome):
    found = [p for p in outcome["problems"] if p.startswith("the next job")]
    return found[0] if found else "yes"


def quoted(outcome):
    """As the caller reads it, without the folder of this checkout."""
    return f"`{outcome['text']}`"
