# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Studies without Spark: what their files may say, which runs follow, and what is concluded from rows."""

import importlib
import inspect
import os
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sparkgap import ArgumentError, DataError, spec
from sparkgap.cli.app import main
from sparkgap.lab import cost, design, inputs, study, workloads
from sparkgap.lab.application import Request
from sparkgap.lab.conduct import conduct
from sparkgap.lab.design import plan
from sparkgap.lab.findings import Verdict, judge
from sparkgap.lab.host import Host
from sparkgap.lab.mine import candidates
from sparkgap.lab.own import OwnApplication
from sparkgap.lab.page import html
from sparkgap.lab.results import Notebook, Results, load
from sparkgap.lab.run import Laboratory
from sparkgap.lab.workloads import learning

TEXT = """
title = "A study"
source = "Nobody"
question = "What of it?"
repeats = { tiny = 2, small = 3, full = 3 }
size = { tiny = "1m", small = "2m", full = "4m" }
base = { heap = "512m" }
[[experiments]]
name = "volume"
workloads = ["wordcount", "grep"]
factors = { data = [1, 2] }
[[experiments]]
name = "collectors"
workloads = ["grep"]
factors = { collector = ["CMS", "G1"] }
[[figures]]
name = "1"
title = "<b>Data</b>"
experiment = "volume"
x = "data"
y = "dps"
published = { grep = { 1 = 1e6, 2 = 2e6 } }
[[findings]]
name = "falls"
text = "It falls."
experiment = "volume"
metric = "dps"
factor = "data"
from = 1
to = 2
holds = "< -0.1"
published = -0.5
[untestable]
"2" = "Speed of light: nobody has it."
"""
TAKEN = {f"-XX:+Use{name}": name == "G1GC" for name in ("G1GC", "ParallelGC", "ZGC")}
HOST = Host([0, 1], [0, 1], 1 << 34, _taken=TAKEN)


def parsed(text=TEXT):
    return study.parse("mine", text)


def test_studies_that_come_with_sparkgap_are_sound(capsys):
    for name in study.names():
        assert main(["lab", "show", name]) == 0
        again = capsys.readouterr().out
        assert study.parse(name, again) == study.parse(*study.text_of(name))
    assert main(["lab", "list"]) == 0
    assert capsys.readouterr().out.startswith("affinity")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('base = { heap = "512m" }', 'base = { heep = "512m" }', "base: expected one of engine, cores,"),
        ("factors = { data = [1, 2] }", "factors = { data = [0] }", "experiment volume, data: expected a number above"),
        ('"CMS", "G1"', '"CMS", "G2"', "collector: expected one of Serial, Parallel, G1, ZGC, Shenandoah, CMS"),
        ('["wordcount", "grep"]', '["wordcounts"]', "expected one of wordcount, grep"),
        (
            '["wordcount", "grep"]',
            '{ tiny = ["grep"] }',
            "experiment volume: expected values for tiny, small, full, found tiny",
        ),
        ('tiny = "1m"', 'tiny = "one"', "size: expected sizes such as 512m or 4g, found 'one'"),
        ('heap = "512m"', 'heap = { tiny = "1g" }', "heap: expected values for tiny, small, full"),
        ("tiny = 2, ", "", "repeats: expected values for tiny, small, full, found small, full"),
        ('y = "dps"', 'y = "speed"', "figure 1: expected a metric of work_s"),
        ('x = "data"', 'x = "cores"', "figure 1: expected workload or a factor of volume, found 'cores'"),
        ('y = "dps"', 'y = "dps"\nby = "data"', "figure 1: expected a level of workload in where, found several"),
        ('factor = "data"', 'factor = "data"\nwhere = { cores = 1 }', "finding falls: expected workload or a factor"),
        ("data = [1, 2]", "data = [1, 2], cores = [1, 2]", "figure 1: expected a level of cores in where"),
        ("from = 1", "from = { tiny = 1 }", "finding falls: expected values for tiny, small, full"),
        ("tiny = 2, small", "tiny = 0, small", "repeats: expected numbers from 1, found 0"),
        ('holds = "< -0.1"', 'holds = "down"', "finding falls: expected in holds < or >"),
        ('y = "dps"', 'y = ["dps", "gc_s"]', "figure 1: expected one metric as y, where it is not stacked bars"),
        (
            '["CMS", "G1"] }',
            '["G1"] }\ntied = { data = {} }',
            "collectors, tied: expected one of collector, found 'data'",
        ),
        (
            '["CMS", "G1"] }',
            '["G1"] }\ntied = { collector = { G1 = { heep = 1 } } }',
            "tied collector: expected one of",
        ),
        ('["CMS", "G1"] }', '["G1"] }\ntied = { collector = { CMS = {} } }', "expected one of G1, found 'CMS'"),
        ('question = "What of it?"', "", "found Object missing required field `question`"),
        ('question = "What of it?"', 'quest = "?"', "found Object "),
        ("title =", "title", "expected a study as `sparkgap lab show` prints one"),
        ('name = "collectors"', 'name = "volume"', "expected one or more with names of their own"),
    ],
)
def test_files_that_are_wrong(before, after, said):
    assert before in TEXT
    with pytest.raises(DataError, match=r"^study mine") as e:
        parsed(TEXT.replace(before, after))
    assert said in str(e.value)


def test_no_such_study(capsys, tmp_path):
    for words in (["show", "nothing"], ["run", "nothing"], ["page", str(tmp_path / "nothing")]):
        assert main(["lab", *words]) == 2
    assert "expected one of affinity, colocation, data-volume, offload, stack" in capsys.readouterr().err


def test_runs_and_their_order():
    runs, left_out = plan(parsed(), "tiny", HOST, 1 << 40)
    assert [(each.run.workload, each.run.levels["collector"]) for each in left_out] == [("grep", "CMS")]
    assert left_out[0].why == "the collector CMS left Java with version 14"
    said = [(run.workload, run.levels["data"], run.repeat, run.input_bytes >> 20) for run in runs]
    first = [("wordcount", 1, 0, 1), ("wordcount", 2, 0, 2), ("grep", 1, 0, 1), ("grep", 2, 0, 2)]
    turned = [first[1], first[2], first[3], first[0]]
    assert said == first + [(name, data, 1, size) for name, data, _, size in turned]
    shared = [run for run in runs if len(run.experiments) == 2]
    assert {(run.workload, run.levels["data"]) for run in shared} == {("grep", 1)}, "one run serves both"
    assert len({run.key for run in runs}) == len(runs)
    blocked, _ = plan(parsed('order = "blocked"\n' + TEXT), "tiny", HOST, 1 << 40)
    assert [run.repeat for run in blocked] == [0, 1] * 4 and {r.key for r in blocked} == {r.key for r in runs}


@pytest.mark.parametrize(
    ("factors", "why"),
    [
        ("cores = [3]", "3 processors are asked for, and this machine has 2"),
        ("smt = [true, false]", "cores of this machine have one hardware thread each"),
        ('executors = ["2x2"]', "4 processors are asked for, and this machine has 2"),
        ('heap = ["40g"]', "a heap of 40g is asked for, and this machine has 17 GB"),
        ("instances = [64]", "heaps of 34.4 GB together, and this machine has 17.2 GB"),
        ("data = [1000]", "some 4.2 GB of disk, of which 1.1 GB are free"),
        ('engine = ["sparkgap"]', "sparkgap has no wordcount"),
        ('warm = [true], engine = ["mapreduce"]', "a job of MapReduce is an application, with nothing before it"),
        ('fault = ["executor"]', "wordcount has no moment at which a fault could strike"),
    ],
)
def test_what_a_machine_cannot_do_is_left_out(factors, why):
    text = TEXT.replace("factors = { data = [1, 2] }", f"factors = {{ {factors} }}").replace(
        "[[figures]]", "[[figure]]"
    )
    text = text[: text.index("[[figure]]")].replace('"wordcount", "grep"', '"wordcount"')
    _, left_out = plan(parsed(text), "tiny", HOST, 1 << 30)
    assert why in [each.why for each in left_out]


def test_what_needs_our_jar_is_left_out_before_anything_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(spec, "JAR", tmp_path / "sparkgap.jar")
    text = TEXT.replace("factors = { data = [1, 2] }", 'factors = { affinity = ["none", "core"] }')
    runs, left_out = plan(parsed(text[: text.index("[[figures]]")]), "tiny", HOST, 1 << 40)
    assert {run.levels.get("affinity", "none") for run in runs} == {"none"}
    lacking = [each.why for each in left_out if "affinity" in each.run.levels]
    assert set(lacking) == {f"no jar of sparkgap at {tmp_path}/sparkgap.jar"}


@pytest.mark.parametrize(("alone", "started", "limit"), [("false", 4, 4 << 30), ("true", 1, 1 << 30)])
def test_one_of_several_instances_has_its_part(alone, started, limit):
    factors = f'instances = [4], budget = ["4g"], heap_share = [0.4], cache = ["store"], alone = [{alone}]'
    text = TEXT.replace("factors = { data = [1, 2] }", f"factors = {{ {factors} }}")
    text = text[: text.index("[[figures]]")]
    start = plan(parsed(text), "tiny", HOST, 1 << 40)[0][0].start(HOST)
    assert (start.started, start.limit_bytes(), start.heap_of_instance()) == (started, limit, int(0.4 * (1 << 30)))
    settings = start.spark_settings()
    assert settings["spark.master"] == "local[1]" and settings["spark.driver.memory"] == "409m"
    assert int(settings["spark.sparkgap.store.memoryBytes"]) == int(0.5 * 0.6 * (1 << 30))


def test_levels_that_come_with_others():
    """Spark's own cache has twice the heap here, as the other half is no use to it."""
    tied = 'tied = { cache = { default = { heap = "1g", cores = 1 } } }'
    factors = f'factors = {{ cache = ["default", "store"] }}\n{tied}'
    text = TEXT.replace("factors = { data = [1, 2] }", factors).replace('"wordcount", "grep"', '"wordcount"')
    runs, _ = plan(parsed(text[: text.index("[[figures]]")]), "tiny", HOST, 1 << 40)
    found = {
        (run.levels["cache"], run.levels["heap"], run.levels["cores"]) for run in runs if "volume" in run.experiments
    }
    assert found == {("default", "1g", 1), ("store", "512m", "all")}


def submit(tmp_path):
    home = tmp_path / "spark"
    for name in ("bin", "jars", "conf"):
        (home / name).mkdir(parents=True)
    program = home / "bin" / "spark-submit"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return str(program)


def test_an_application_of_ones_own_is_changed_as_little_as_can_be(tmp_path, monkeypatch):
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS"):
        monkeypatch.delenv(name, raising=False)
    words = [submit(tmp_path), "--master", "local[2]", "--driver-memory", "3g", "app.py", "--master", "its own"]
    own = OwnApplication.of(words, "lab mine")

    def started(**levels):
        return own.started(levels, design.Run((), "own", {"cores": "all", **levels}, 0, 0, own).start(HOST), HOST)

    assert started() == (words, {})
    assert started(collector="G1") == (words, {"spark.driver.extraJavaOptions": "-XX:+UseG1GC"})
    # As an option it would win over the setting.
    assert started(heap="2g") == (words[:3] + words[5:], {"spark.driver.memory": "2048m"})
    assert started(cores=1) == ([words[0], *words[3:]], {"spark.master": "local[1]"})
    tried, left_out = candidates(own, HOST)
    assert [each.name for each in tried][:4] == ["collector=G1", "heap=6144m", "cache=store", "affinity=core"]
    assert ("collector=Parallel", "its Java has no Parallel") in left_out
    named = [words[0], "--conf", "spark.driver.extraJavaOptions=-Da=b -XX:+UseZGC", "app.py"]
    assert not any("collector" in each.levels for each in candidates(OwnApplication.of(named, "lab mine"), HOST)[0])
    assert main(["lab", "mine", "--", words[0], "--master", "yarn", "app.py"]) == 2
    assert main(["lab", "mine", "--", "no-such-program"]) == 2
    assert main(["lab", "mine", "--resume", "--", *words]) == 2


def test_what_a_result_costs(tmp_path, capsys):
    table = cost.prices()
    if "SPARKGAP_DATA" in os.environ:
        assert cost.prices(Path(os.environ["SPARKGAP_DATA"]) / "prices" / "instances.csv") == table
    assert cost.cheapest(table, 8, 1 << 30).usd_per_hour == min(each.usd_per_hour for each in table)
    assert cost.cheapest(table, 9, 1 << 30).vcpus == 16 and cost.cheapest(table, 99, 1) is None
    runs = [row("grep", 1, 1800.0, cpus=2, peak_bytes=1 << 30, instances=4), row("grep", 2, None, state="died")]
    file = tmp_path / "mine.csv"
    head = "cloud,instance,vcpu,mem_gib,usd_per_h,region,as_of\n"
    file.write_text(head + "here,small,2,0.5,0.1,room,2026-11-28\nhere,large,4,8,2.0,room,2026-11-28\n")
    cost.add_prices(runs, cost.prices(file))
    assert runs[0]["dollars"] == 2.0 / 2 / 4 and runs[0]["priced_as"] == "here large (room), 2026-11-28"
    assert "dollars" not in runs[1]
    for text, code in ((head + "here,small,2,0,0.1,room,today\n", 3), ("a,b\n1,2\n", 3), (None, 2)):
        file.unlink() if text is None else file.write_text(text)
        assert main(["lab", "run", "data-volume", "--out", str(tmp_path / "o"), "--prices", str(file)]) == code
        assert "--prices" in capsys.readouterr().err and not (tmp_path / "o").exists()


def test_workloads_are_there_for_their_engines():
    assert {each.kind for each in workloads.NAMES.values()} == set(inputs.KINDS)
    for name, each in workloads.NAMES.items():
        assert callable(getattr(importlib.import_module(f"sparkgap.lab.workloads.{each.module}"), name))
    for module, name in re.findall(r'_estimator\(request, "(\w+)", "(\w+)"\)', inspect.getsource(learning)):
        for engine in ("spark", "sparkgap"):
            request = Request("", engine, 1, "", "")
            assert learning._estimator(request, module, name).__name__ == name


def row(workload, data, seconds, repeat=0, **more):
    own = {
        "experiments": ["volume"],
        "levels": {"data": data, "heap": "512m"},
        "state": "done",
        "why": "",
        "begun": 1.0,
    }
    own |= {"key": f"{workload}-{data}-{repeat}", "repeat": repeat, "instances": 1, "cpus": 2}
    own |= {"data_bytes": data * 1000, "peak_bytes": 1 << 28}
    return {**own, "workload": workload, "work_s": seconds, "each_work_s": [seconds], "settings": {"a": "b"}, **more}


def rows(times):
    return [row(*key, t, n) for key, found in times.items() for n, t in enumerate(found)]


def results(found, scale="small"):
    machine = {
        "processor": "<i>",
        "cpus": 2,
        "cores": 2,
        "memory_bytes": 1 << 34,
        "java": 17,
        "pyspark": "4",
        "sparkgap": "0",
    }
    return Results("mine", TEXT, scale, machine, found)


FLAT = {("wordcount", 1): [1, 1.1, 0.9], ("wordcount", 2): [2, 2.1, 1.9]}
FALLING = {("grep", 1): [1, 1.1, 0.9], ("grep", 2): [4, 4.1, 3.9]}


@pytest.mark.parametrize(
    ("found", "verdict", "said"),
    [
        ({**FLAT, **FALLING}, Verdict.CONFIRMED, "data processed per second -25 %"),
        ({**FLAT, ("grep", 1): [1] * 3, ("grep", 2): [2] * 3}, Verdict.CONTRADICTED, "published: -50 %"),
        ({**FLAT, ("grep", 1): [1] * 3, ("grep", 2): [1, 2, 5]}, Verdict.NOT_TESTABLE, "leave it open"),
        ({**FLAT, ("grep", 1): [1], ("grep", 2): [4]}, Verdict.NOT_TESTABLE, "1 of 3 runs that an interval needs"),
        (FLAT, Verdict.NOT_TESTABLE, "grep with data=1 is not among the runs of scale small"),
    ],
)
def test_verdicts(found, verdict, said):
    (judged,) = judge(parsed(), results(rows(found)))
    assert judged.verdict is verdict and said in judged.sentence()


def test_a_run_that_died_leaves_a_finding_open():
    died = row("grep", 2, None, state="died", why="no room.")
    (judged,) = judge(parsed(), results([*rows({**FLAT, ("grep", 1): [1] * 3}), died]))
    assert judged.sentence() == "Not testable here: grep with data=2 died: no room."


def test_that_runs_die_may_be_what_was_found():
    """Published of applications that keep their tables on the heap."""
    ends = TEXT.replace('metric = "dps"', 'metric = "ended"\nkind = "difference"').replace("< -0.1", "> 0")
    died = [row(name, 1, None, n, state="died", why="no room.") for name in ("wordcount", "grep") for n in range(3)]
    found = results([*died, *rows({("wordcount", 2): [1] * 3, ("grep", 2): [1] * 3})])
    (judged,) = judge(parsed(ends), found)
    assert judged.sentence() == "Confirmed: runs that end +1 (+1 to +1; wordcount +1, grep +1); published: -0.5."
    found.rows[0].update(state="left out", why="no disk.")
    (judged,) = judge(parsed(ends), found)
    assert judged.sentence() == "Not testable here: wordcount with data=1 was left out: no disk."


def test_the_table_has_all_that_a_page_needs(tmp_path):
    notebook = Notebook(tmp_path / "out")
    before = results([*rows({**FLAT, **FALLING}), row("grep", 9, None, state="died", why="<script>")])
    notebook.begin("mine", TEXT, "small", before.machine, resume=False)
    for each in before.rows:
        notebook.add(each)
    table = notebook.write_table()
    assert sorted(pq.read_table(table)["level_data"].to_pylist()) == sorted(["1", "2"] * 6 + ["9"])
    found = [load(place) for place in (tmp_path / "out", table)]
    for each in found:
        cost.add_prices(each.rows, cost.prices())
    pages = [html(each) for each in found]
    assert pages[0] == pages[1] and "Confirmed" in pages[0]
    assert main(["lab", "page", str(table), "-o", str(tmp_path / "f.md")]) == 0
    assert "| falls | It falls. | Confirmed: data processed per second" in (tmp_path / "f.md").read_text()
    assert "<script>" not in pages[0] and "<b>Data" not in pages[0] and "<i>" not in pages[0]
    assert pages[0].count('class="hollow') == 2, "published values"
    for name in ("nothing.parquet", "wrong.parquet"):
        (tmp_path / "wrong.parquet").write_text("no table")
        assert main(["lab", "page", str(tmp_path / name)]) in (2, 3)


def test_interrupted_folders_are_refused_or_gone_on_in(tmp_path):
    (tmp_path / "mine.toml").write_text(TEXT)
    out = tmp_path / "out"
    Notebook(out).begin("mine", TEXT, "tiny", {}, resume=False)
    words = ["lab", "run", str(tmp_path / "mine.toml"), "--out", str(out)]
    assert main([*words, "--scale", "tiny"]) == 2, "it is not empty"
    assert main([*words, "--scale", "small", "--resume"]) == 2, "another scale"
    assert main([*words, "--scale", "huge"]) == 2
    assert main([*words, "--scale", "tiny", "--resume"]) == 2, "another machine began it"
    assert sorted(file.name for file in Path(out).iterdir()) == ["machine.json", "rows", "study.toml"]


def test_one_lab_works_in_a_folder(tmp_path):
    notebook = Notebook(tmp_path / "out")
    notebook.begin("mine", TEXT, "tiny", {}, resume=False)
    with notebook.held(), pytest.raises(ArgumentError, match="in which another lab works"), notebook.held():
        pass
    with notebook.held():
        pass


def test_a_run_that_is_there_is_not_left_out_again(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(TEXT)
    monkeypatch.setattr(Host, "here", lambda: HOST)
    monkeypatch.setattr(Host, "describe", lambda self: {})
    runs, left_out = plan(parsed(), "tiny", HOST, 1 << 40)
    notebook, asked = Notebook(tmp_path / "out"), []
    notebook.begin("mine", TEXT, "tiny", {}, resume=False)
    before = {"begun": 1.0, "state": "done", "why": "", "cpus": 1, "peak_bytes": 1, "work_s": 1.0, "instances": 1}
    for run in [*runs[1:], left_out[0].run]:
        notebook.add({**run.identity(), **before})
    again = {**runs[0].identity(), **before, "cpu_user_s": 1.0, "cpu_system_s": 0.0, "machine_busy_s": 1.0}
    monkeypatch.setattr(Laboratory, "run", lambda self, run: asked.append(run) or {**again, "elapsed_s": 1.0})
    conduct(str(tmp_path / "mine.toml"), "tiny", tmp_path / "out", lambda text: None, resume=True)
    assert asked == [runs[0]] and {row["state"] for row in notebook.rows().values()} == {"done"}
