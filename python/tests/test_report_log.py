# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Event logs as files: every form that Spark writes, and what is no log, half a log, or more than one."""

import json
import os
import re
import subprocess
import sys

import event_log
import pytest
from event_log import Log, drawn

from sparkgap import ArgumentError, DataError, report
from sparkgap.cli.app import main

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
PACKED = [event_log.zstd, event_log.lz4, event_log.snappy, event_log.lzf]


@pytest.mark.parametrize("packed", PACKED, ids=lambda each: each.__name__)
def test_every_form_tells_the_same(tmp_path, packed):
    log = drawn(7)
    plain, other = tmp_path / "plain", tmp_path / "log"
    log.write(plain)
    other.write_bytes(packed(plain.read_bytes()))
    assert report.load(other).as_json() == report.load(plain).as_json()


@pytest.mark.parametrize("packed", [*PACKED, bytes], ids=lambda each: each.__name__)
def test_a_log_that_is_cut_gives_what_is_whole(tmp_path, packed):
    data = packed(drawn(8).text().encode())
    whole = len(report.load(drawn(8).write(tmp_path / "whole")).application.tasks)
    for share in (0.3, 0.6, 0.9):
        path = tmp_path / "log.inprogress"
        path.write_bytes(data[: int(share * len(data))])
        found = report.load(path)
        assert 0 < len(found.application.tasks) <= whole
        assert found.warnings[0].startswith("The log is unfinished")
        assert sum(found.breakdown["seconds"].to_pylist()) == pytest.approx(found.wall_s)


@pytest.mark.parametrize("packed", PACKED, ids=lambda each: each.__name__)
def test_bytes_that_are_damaged_are_no_crash(tmp_path, packed):
    data = bytearray(packed(drawn(9).text().encode()))
    for at in range(8, len(data), max(1, len(data) // 60)):
        path = tmp_path / "log"
        path.write_bytes(bytes(data[:at]) + bytes([data[at] ^ 0x55]) + bytes(data[at + 1 :]))
        try:
            report.load(path)
        except DataError as e:
            assert FORM.fullmatch(str(e))


def rolling(folder, log, parts=3, finished=True):
    folder.mkdir()
    lines = log.lines()
    for n in range(parts):
        part = lines[n * len(lines) // parts : (n + 1) * len(lines) // parts]
        (folder / f"events_{n + 1}_app-1").write_text("".join(f"{line}\n" for line in part))
    (folder / f"appstatus_app-1{'' if finished else '.inprogress'}").touch()
    return folder


def test_a_rolling_folder(tmp_path):
    log = drawn(10)
    plain = report.load(log.write(tmp_path / "plain")).as_json()
    folder = rolling(tmp_path / "eventlog_v2_app-1", log, parts=11)  # the 10th comes after the 9th
    assert report.load(folder).as_json() == plain
    assert report.load(rolling(tmp_path / "other", log, finished=False)).warnings[0].startswith("The log is unfinished")
    (folder / "events_3_app-1").unlink()
    assert "Files of the rolling log are missing: number 3." in report.load(folder).warnings


def test_a_compacted_folder_begins_with_what_is_left(tmp_path):
    log = drawn(11)
    folder = rolling(tmp_path / "eventlog_v2_app-1", log, parts=4)
    early = [(folder / f"events_{n}_app-1") for n in (1, 2)]
    (folder / "events_2_app-1.compact").write_text("".join(path.read_text() for path in early))
    early[0].unlink()
    assert report.load(folder).as_json() == report.load(log.write(tmp_path / "plain")).as_json()


def test_a_folder_of_logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    drawn(1).write(folder / "app-1")
    assert report.load(folder).wall_s > 0
    drawn(2).write(folder / "app-2")
    with pytest.raises(ArgumentError, match="the log of one application, found 2: app-1, app-2") as error:
        report.load(folder)
    assert FORM.fullmatch(str(error.value))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "an empty file"),
        (b"\n\n", "an empty file"),
        (b"hello\n", "1 lines that are none"),
        (b'{"a": 1}\n[1, 2]\n', "2 lines that are none"),
        (b'{"traceEvents": [{"name": "x", "ph": "X"}]}', "1 lines that are none"),
        (b'{"Event":"SparkListenerTask', "1 lines that are none"),
        (b"\x28\xb5\x2f\xfd broken", "a file that is damaged or cut off before the first"),
        (b"\x00\xff" * 1000, "1 lines that are none"),
        (b'{"Event":"of another tool"}\n', "1 lines that are none"),
    ],
)
def test_what_is_no_event_log(tmp_path, content, said):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"expected events of a Spark application, found {said}") as error:
        report.load(path)
    assert FORM.fullmatch(str(error.value))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match=r"expected a file or a folder, found .*, which is neither"):
        report.load(tmp_path / "pipe")
    with pytest.raises(DataError, match="expected the log of a Spark application, found none"):
        report.load(tmp_path)


def test_no_path_and_an_empty_folder(tmp_path):
    with pytest.raises(ArgumentError, match="expected a file or folder that exists"):
        report.load(tmp_path / "none")
    with pytest.raises(DataError, match="expected the log of a Spark application, found none"):
        report.load(tmp_path)


def test_what_a_log_lacks_is_said(tmp_path):
    lines = drawn(12).lines()
    for name, said in [
        ("ApplicationStart", "The start of the application is missing"),
        ("ApplicationEnd", "The end of the application is missing"),
        ("JobStart", "The start of 4 jobs is missing"),
        ("TaskStart", r"Events of \d+ tasks were dropped"),
        ("TaskEnd", r"\d+ tasks have no end in the log"),
        ("ExecutorAdded", "The cores of an executor are not in the log"),
    ]:
        kept = [line for line in lines if not line.startswith(f'{{"Event":"SparkListener{name}"')]
        (tmp_path / "log").write_text("\n".join([*kept, '{"Event":"SparkListenerTaskEnd","Sta']))
        found = report.load(tmp_path / "log").warnings
        assert any(re.match(said, text) for text in found), (name, found)
        assert any("no whole events" in text for text in found)
    two = Log().lines() + [line.replace("app-1", "app-2") for line in lines]
    (tmp_path / "log").write_text("\n".join(two))
    assert any("several applications (app-1, app-2)" in text for text in report.load(tmp_path / "log").warnings)


HOSTILE = "<script>alert(1)</script>&\"'\x1b[31m\u202eevil\x00"


def test_text_stays_text(tmp_path):
    log = Log(name=HOSTILE)
    log.job(0, [(0, [(0, 10, {})], 10)], 10, **{"spark.job.description": HOSTILE})
    page = tmp_path / "page.html"
    report.load(log.end(20).write(tmp_path / "log")).write_html(page)
    text = page.read_text()
    assert "<script>alert" not in text and "\x1b" not in text and "\u202e" not in text and "\0" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = Log(cores=2, name=HOSTILE)
    log.job(0, [(0, [(0, 1000, {"cpu": 1000}), (0, 4000, {"cpu": 4000})], 4000)], 4000)
    log.end(4000).write(tmp_path / "log")
    assert main(["report", "log"]) == 0
    out = capsys.readouterr().out
    assert "idle: stage tail" in out and "37.5 %" in out and "\x1b[31m" not in out
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert main(["report", "log", "-o", "b.html", "--json", "b.json", "--fail-on", "tail > 0.5"]) == 0
    assert json.loads((tmp_path / "b.json").read_text())["wall_s"] == 4.0
    assert main(["report", "log", "--json", "-", "--fail-on", "gc > 1", "--fail-on", "stage.tail > 30 %"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[-1])["version"] == 1
    assert said.err == (
        "report: expected not stage.tail > 30 %, found tail of stage 0 is 0.375. Look at report.html.\n"
    )
    (tmp_path / "mine.html").write_text("mine")
    for words, text in [
        (["report", "log", "-o", "mine.html"], "a new file, or a report to write over, found mine.html"),
        (["report", "log", "-o", "none/page.html"], "a file in a folder that exists"),
        (["report", "none"], "event log: expected a file or folder that exists"),
        (["report", "log", "--fail-on", "x"], "fail_on: expected NAME > NUMBER"),
        (["report", "log", "-o", "c.html", "--json", "c.html"], "a file of its own for each output, found c.html"),
        (["report", "log", "log"], "report: expected one log, or two sets of them, found 2 of one set"),
        (["report", "log", "--against", "log", "--fail-on", "gc > 1"], "expected neither --fail-on, --trace"),
        (["report", "log", "--against", "none"], "event log: expected a file or folder that exists"),
    ]:
        assert main(words) == 2
        error = capsys.readouterr().err
        assert text in error and FORM.fullmatch(error.strip())
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_names_in_warnings_are_text_too(tmp_path, capsys):
    other = [line.replace("app-1", "app\\u001b[31m-2") for line in drawn(1).lines()]
    (tmp_path / "log").write_text("\n".join(Log().lines() + other))
    assert main(["report", str(tmp_path / "log"), "-o", str(tmp_path / "page.html")]) == 0
    out = capsys.readouterr().out
    assert "several applications" in out and "\x1b[31m" not in out


def test_a_line_of_any_length(tmp_path):
    log = Log(name="x" * 5_000_000)
    assert len(report.load(log.end(10).write(tmp_path / "log")).application.name) == 5_000_000


def test_no_spark_is_started_nor_imported(tmp_path):
    drawn(1).write(tmp_path / "log")
    code = "import sys; from sparkgap import report; report.load('log').write_html('p.html');" + (
        " print([m for m in ('pyspark', 'py4j') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
