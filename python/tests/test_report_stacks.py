# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What recordings of a profile say: stacks by stage, collections, heaps, and how the page shows them."""

import json
import re
import sys
import zipfile
from html import unescape

import pytest
from event_log import BEGIN, Log
from test_profile import profile

from sparkgap import ArgumentError, report
from sparkgap.profile import recordings
from sparkgap.profile import run as profiles

FRAMES = ["java.lang.Thread.run", "org.example.Job.work", "org.example.<b>.hot", "org.apache.spark.scheduler.DAG.loop"]
GC = {"executor": "0", "collector": "G1New", "cause": "G1 Evacuation Pause"}


def sample(at, stack, n=1, **given):
    return {"at_ms": BEGIN + at, "executor": "0", "task": True, "of_stack": stack, "n": n, **given}


def recorded(folder, *lines, stacks=((0, 1), (0, 1, 2), (0, 3))):
    """A profile of two stages, of which the second has a half beside a third one."""
    log = Log(cores=4)
    log.job(0, [(0, [(0, 1000, {})] * 2, 1000), (1000, [(1000, 3000, {})] * 2, 3000)], 3000)
    log.job(2000, [(2000, [(2000, 3000, {})] * 2, 3000)], 3000)
    made = profile(folder, log.end(3000), [])
    all_lines = [*({"frame": name} for name in FRAMES), *({"stack": list(stack)} for stack in stacks), *lines]
    (made / "stacks.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in all_lines))
    return made


def test_samples_belong_to_the_stage_that_ran(tmp_path):
    found = report.load(
        recorded(
            tmp_path / "p",
            sample(100, 0, 3),
            sample(800, 0, 2),
            sample(1500, 1, 4),
            sample(2500, 1, 5),  # two stages run
            sample(2500, 1, 6, stage=100, attempt=0),
            sample(100, 2, 7, task=False),
            sample(100, 0, 1, executor="nobody"),
        )
    )
    work, hot, loop = tuple(FRAMES[:2]), tuple(FRAMES[:3]), (FRAMES[0], FRAMES[3])
    rows = {(r["task"], r["stage"], r["attempt"], r["samples"], tuple(r["frames"])) for r in found.stacks.to_pylist()}
    assert rows == {
        (False, None, None, 7, loop),
        (True, 100, 0, 6, hot),
        (True, 0, 0, 5, work),
        (True, None, None, 5, hot),
        (True, 1, 0, 4, hot),
        (True, None, None, 1, work),
    }
    assert found.stacks["samples"].to_pylist() == sorted(found.stacks["samples"].to_pylist(), reverse=True)


def test_collections_and_heaps_are_in_the_order_of_time(tmp_path):
    gigabyte = 10**9
    heap = {"executor": "0", "heap_committed": 2 * gigabyte, "heap_most": 4 * gigabyte}
    found = report.load(
        recorded(
            tmp_path / "p",
            {"at_ms": BEGIN + 900, **GC, "pause_ms": 30.0, "longest_ms": 20.0},
            {"at_ms": BEGIN + 500, **GC, "pause_ms": 10.0, "longest_ms": 10.0},
            {"at_ms": BEGIN + 500, "heap_used": gigabyte, **heap},
            {"at_ms": BEGIN + 510, "heap_used": gigabyte // 2, **heap},
        )
    )
    assert found.collections["at_s"].to_pylist() == [0.5, 0.9]
    assert found.collections["pause_s"].to_pylist() == pytest.approx([0.01, 0.03])
    assert found.heaps["used_bytes"].to_pylist() == [gigabyte, gigabyte // 2]
    assert found.as_json()["collections"][1]["longest_pause_s"] == pytest.approx(0.02)
    found.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "0: at most 1 GB, of 4 GB." in page
    assert re.search("G1New</td><td[^>]*>2</td><td[^>]*>40 ms</td><td[^>]*>1.3 %</td><td[^>]*>20 ms</td>", page)
    assert 'id="flame"' not in page, "no stack, no flame graph"


def test_a_damaged_line_leaves_stacks_out(tmp_path):
    folder = recorded(tmp_path / "p", sample(100, 0), {"at_ms": BEGIN, **GC, "pause_ms": 1.0, "longest_ms": 1.0})
    with open(folder / "stacks.jsonl", "a") as file:
        file.write('{"frame":"half a li\n{"of_stack":77,"n":1}\n')
    found = report.load(folder)
    assert found.warnings[1:] == ["2 of 11 lines of stacks are damaged, so stacks were left out."]
    assert (found.stacks.num_rows, found.collections.num_rows) == (0, 1)


def test_flame_graphs_of_the_page(tmp_path):
    found = report.load(recorded(tmp_path / "p", sample(100, 0, 30), sample(1500, 1, 70), sample(0, 2, 9, task=False)))
    found.write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    data = json.loads(unescape(re.search('<template id="flames">(.*?)</template>', page)[1]))
    assert "<b>" not in page, "names of frames are text"
    names, graphs = data["names"], {graph["name"]: graph["tree"] for graph in data["graphs"]}
    assert list(graphs) == [
        "everything",
        "all tasks",
        "outside of tasks: the driver, and what serves tasks",
        "job 0",
        "stage 0",
        "stage 1",
    ]

    def named(node):
        return names[node[0]] if node[0] >= 0 else "", node[1], [named(child) for child in node[2]]

    thread, work, hot, loop = FRAMES
    assert named(graphs["everything"]) == (
        "", 109, [(thread, 109, [(loop, 9, []), (work, 100, [(hot, 70, [])])])],
    )  # fmt: skip
    assert named(graphs["stage 1"]) == ("", 70, [(thread, 70, [(work, 70, [(hot, 70, [])])])])
    assert re.search(r"org.example.&lt;b&gt;.hot</td><td[^>]*>70</td><td[^>]*>64.2 %</td>", page)


def test_a_recording_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    """And the application's own end is what counts."""

    def why(text):
        (tmp_path / "recordings").mkdir()
        (tmp_path / "recordings" / "hotspot-pid-7-id-1-x.jfr").write_text(text)
        return recordings.collect(tmp_path, {7: ("driver", str(tmp_path))})

    assert why("no recording").startswith(str(tmp_path / "recordings" / "hotspot-pid-7-id-1-x.jfr") + ": ")
    assert not (tmp_path / "recordings").exists()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert why("x").startswith("JAVA_HOME: expected a folder with bin/java, found ")


@pytest.mark.parametrize(
    ("made", "found"), [("missing", "No such file"), ("text", "not a zip file"), ("other", "one without")]
)
def test_what_is_no_async_profiler(tmp_path, made, found):
    jar = tmp_path / "async-profiler.jar"
    if made == "text":
        jar.write_text("no jar")
    if made == "other":
        with zipfile.ZipFile(jar, "w") as packed:
            packed.writestr("solaris/libasyncProfiler.so", "")
    with pytest.raises(ArgumentError, match=f"--async-profiler: expected a jar with linux-.*/.*, found .*{found}"):
        profiles.run(["true"], tmp_path / "out", async_jar=jar)
    assert not (tmp_path / "out").exists()


def test_async_profiler_starts_with_the_driver(tmp_path, capfd, monkeypatch):
    """Where its library is; executors of other hosts record as ever."""
    jar = tmp_path / "async-profiler.jar"
    with zipfile.ZipFile(jar, "w") as packed:
        for machine in ("linux-x64", "linux-arm64"):
            packed.writestr(f"{machine}/libasyncProfiler.so", machine)
    show = "import glob, os; print(os.environ['PYSPARK_SUBMIT_ARGS']); print(glob.glob('*/recordings/lib*')[0])"
    monkeypatch.chdir(tmp_path)
    assert profiles.run([sys.executable, "-c", show], tmp_path / "out", async_jar=jar).status == 0
    said = capfd.readouterr().out
    library = f"{tmp_path}/out/recordings/libasyncProfiler.so"
    assert (
        f"defaultJavaOptions=-agentpath:{library}=start,event=cpu," in said
        and "spark.executor.defaultJavaOptions" in said
    )
    assert said.splitlines()[-1] == "out/recordings/libasyncProfiler.so"
    assert not (tmp_path / "out" / "recordings").exists()


def test_no_recording_is_said(tmp_path):
    """As where the JVM was killed; nothing of another process is taken."""
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings" / "hotspot-pid-9-id-1-x.jfr").write_text("another's")
    assert "no JVM has written a recording" in recordings.collect(tmp_path, {7: ("driver", str(tmp_path))})
    assert not (tmp_path / recordings.STACKS).exists()
    assert not (tmp_path / "recordings").exists()


@pytest.mark.parametrize("name", ["a b", "a,b", 'a"b', "a%p", "a\\b"])
def test_a_folder_that_javas_options_cannot_name_is_refused(tmp_path, name):
    with pytest.raises(ArgumentError, match="--out: expected with --stacks a path of letters"):
        profiles.run(["true"], tmp_path / name, stacks=True)
    assert list(tmp_path.iterdir()) == []


def test_without_stacks_no_folder_of_recordings_is_made(tmp_path):
    profiles.run(["true"], tmp_path / "p")
    assert not (tmp_path / "p" / "recordings").exists()
