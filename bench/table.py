# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A bench result as Markdown: the side by side, the budgets, the bound of the memory."""

PHASES = ("export_s", "memory_s", "launch_s", "build_s", "compute_s", "write_s", "readback_s")


def markdown(result):
    """The whole text for one result."""
    return "\n".join([*_head(result), "", *_engines(result), "", *_budgets(result)]).rstrip()


def into_readme(readme, name, text):
    """Replace what stands between the marks `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`."""
    before, opening, rest = readme.read_text().partition(f"<!-- bench:{name} -->")
    _, closing, after = rest.partition(f"<!-- /bench:{name} -->")
    if not opening or not closing:
        raise SystemExit(f"{readme.name}: expected the marks bench:{name}, found none. Add them.")
    readme.write_text(f"{before}{opening}\n{text}\n{closing}{after}")


def _head(result):
    m, g = result["machine"], result["graph"]
    edges = g["edge_factor"] << g["scale"]
    triad = f"{m['triad_gb_per_s']:.1f} GB/s triad" if m["triad_gb_per_s"] else "triad not measured"
    equal = all(r["ok"] for r in result["results_equal"].values())
    return [
        (
            f"PageRank, 20 iterations, R-MAT scale {g['scale']}, {edges / 1e6:.1f} M edges: from a cached, counted"
            f" DataFrame to a cached, counted result. Median (least to most) of {g['rounds']} interleaved rounds, a"
            " fresh process each, warmed up on a small graph."
        ),
        f"{m['processor']}, {m['cores']} cores, {m['memory_bytes'] / 2**30:.0f} GiB, {triad}; Java {m['java']}, Spark"
        f" {m['packages']['pyspark']}; load {m['load_1min']} at start; commit"
        f" {m['commit'] or 'none'}{' + changes' if m['changed'] else ''}; {result['date']}; `{result['command']}`. "
        + ("All results are equal within 1e-6 relative." if equal else "**RESULTS DIFFER.**"),
    ]


def _engines(result):
    lines = ["| engine | wall s | CPU s | " + " | ".join(p.removesuffix("_s") for p in PHASES) + " | peak memory |"]
    lines.append("|---" + "|---:" * (len(PHASES) + 3) + "|")
    for name, note in result["configuration"].items():
        m = result["median"].get(name)
        if m is None:
            lines.append(f"| {note} | failed |" + " |" * (len(PHASES) + 2))
            continue
        phases = [f"{m['phases'][p]['median']:.2f}" if p in m["phases"] else "" for p in PHASES]
        memory = f"{_memory(m) / 2**30:.2f} GiB"
        lines.append(f"| {note} | {_spread(m['wall_s'])} | {_spread(m['cpu_s'])} | {' | '.join(phases)} | {memory} |")
    return lines


def _budgets(result):
    """The issue's budgets, each reached or missed by how much."""
    median, g = result["median"], result["graph"]
    ours = median.get("native")
    if ours is None:
        return []
    phase = {p: v["median"] for p, v in ours["phases"].items()}
    edges = g["edge_factor"] << g["scale"]
    rows = []
    graphx = [median[n] for n in ("graphx-g1", "graphx-parallel") if n in median]
    if graphx:
        wall = min(m["wall_s"]["median"] for m in graphx) / ours["wall_s"]["median"]
        cpu = min(m["cpu_s"]["median"] for m in graphx) / ours["cpu_s"]["median"]
        rows += [
            ("faster than the better GraphX, wall", wall, 20, "x"),
            ("less CPU than the better GraphX", cpu, 30, "x"),
        ]
    rows += [("build", phase["build_s"], 0.8, "s"), ("compute", phase["compute_s"], 0.5, "s")]
    if "networkit" in median:
        rows.append(
            (
                "compute / NetworKit's",
                phase["compute_s"] / median["networkit"]["phases"]["compute_s"]["median"],
                1.0,
                "",
            )
        )
    around = sum(phase.get(p, 0) for p in ("export_s", "memory_s", "launch_s", "write_s", "readback_s"))
    beyond = (ours["peak_rss_bytes"]["median"] - ours["bytes_copied"]["median"]) / edges
    rows += [
        ("export + memory + launch + write + readback", around, 1.5, "s"),
        ("ranks' memory beyond the input", beyond, 60, "B/edge"),
    ]
    lines = ["| budget (set for scale 20 on a quiet machine of 2 cores) | wanted | measured | |", "|---|---:|---:|---|"]
    for what, value, limit, unit in rows:
        least = unit == "x"
        ok = value >= limit if least else value <= limit
        off = "reached" if ok else f"missed by {abs(value - limit) / limit:.0%}"
        lines.append(f"| {what} | {'at least' if least else 'at most'} {limit:g} {unit} | {value:.2f} {unit} | {off} |")
    return [*lines, "", _bound(result, phase["compute_s"], ours)]


def _bound(result, compute_s, ours):
    """What the memory alone would need for an iteration, and the part of its speed that was reached."""
    g, bandwidth = result["graph"], result["machine"]["triad_gb_per_s"]
    if not bandwidth or not ours["iterations"]["median"]:
        return ""
    edges, vertices = g["edge_factor"] << g["scale"], ours["rows_out"]["median"]
    moved = 4 * edges + 36 * vertices
    least_s, took_s = moved / (bandwidth * 1e9), compute_s / ours["iterations"]["median"]
    return (
        f"An iteration must move 4 B x {edges / 1e6:.1f} M edges + 36 B x {vertices / 1e6:.2f} M vertices ="
        f" {moved / 1e6:.0f} MB: {1e3 * least_s:.1f} ms at {bandwidth:.1f} GB/s. Measured {1e3 * took_s:.1f} ms:"
        f" {least_s / took_s:.0%} of the bound's speed."
    )


def _memory(m):
    """Ranks and JVM together where there are both."""
    return sum(m[k]["median"] for k in ("peak_rss_bytes", "jvm_peak_rss_bytes") if k in m)


def _spread(v):
    digits = 2 if v["median"] < 100 else 0
    return f"{v['median']:.{digits}f} ({v['least']:.{digits}f} to {v['most']:.{digits}f})"
