# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own tests of MapReduce and Hadoop Streaming, as Hadoop publishes them, with every job on Spark.

The tests are those of its suite that run jobs in one process and need no cluster, but for what names Hadoop's local
runner itself.
"""

import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from conftest import HADOOP, PATIENCE
from test_mapreduce import JARS, OPENS

from sparkgap import spec

ALL_S = 240 * PATIENCE
OLD, NEW = "org.apache.hadoop.mapred", "org.apache.hadoop.mapreduce"
CLASSES = [
    f"{OLD}.TestLocalJobSubmission#testLocalJobArchivesOption",
    f"{OLD}.TestLocalJobSubmission#testLocalJobFilesOption",
    f"{OLD}.TestLocalJobSubmission#testLocalJobLibjarsOption",
    f"{OLD}.TestCollect",
    f"{OLD}.TestFieldSelection",
    f"{OLD}.TestJavaSerialization",
    f"{OLD}.TestLineRecordReaderJobs",
    f"{OLD}.TestMapRed",
    f"{OLD}.TestReporter",
    f"{OLD}.TestUserDefinedCounters",
    f"{OLD}.lib.TestChainMapReduce",
    f"{OLD}.lib.TestKeyFieldBasedComparator",
    f"{OLD}.lib.TestMultipleOutputs",
    f"{OLD}.lib.TestMultithreadedMapRunner",
    f"{NEW}.TestMapReduce",
    f"{NEW}.TestMapperReducerCleanup",
    f"{NEW}.TestMROutputFormat",
    f"{NEW}.TestValueIterReset",
    f"{NEW}.lib.chain.TestChainErrors",
    f"{NEW}.lib.chain.TestMapReduceChain",
    f"{NEW}.lib.input.TestMultipleInputs",
    f"{NEW}.lib.map.TestMultithreadedMapper",
    f"{NEW}.lib.output.TestMRMultipleOutputs",
    f"{NEW}.lib.partition.TestMRKeyFieldBasedComparator",
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What one JVM with all of them says."""
    place = tmp_path_factory.mktemp("suite")
    own = {
        "sparkgap.mapreduce.force": "true",
        "spark.master": "local[2]",
        "org.apache.logging.log4j.level": "INFO",
        "java.io.tmpdir": place,
        "test.build.data": place / "data",
    }
    flags = [f"-D{key}={value}" for key, value in own.items()]
    flags += ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    words = [shutil.which("java"), *OPENS, *flags, "-cp", f"{spec.JAR}:{HADOOP}/*:{JARS}/*"]
    words += ["org.junit.platform.console.ConsoleLauncher", "execute", "--details=tree", "--disable-ansi-colors"]
    words += [f"--select-{'method' if '#' in name else 'class'}={name}" for name in CLASSES]
    done = subprocess.run(words, capture_output=True, text=True, timeout=ALL_S, cwd=place)
    return done.stdout + done.stderr


def test_all_pass(said):
    failed = [line for line in said.splitlines() if "✘" in line]
    assert failed == [] and re.search(r"\[ +0 tests failed +\]", said), said[-3000:]
    (passed,) = re.findall(r"\[ +(\d+) tests successful +\]", said)
    assert int(passed) >= 4 * len(CLASSES) // 3


def test_no_job_ran_elsewhere(said):
    assert "job_local" not in said
    jobs = set(re.findall(r"\bjob_1\d{12}_\d{4}\b", said))
    assert len(jobs) > 2 * len(CLASSES)


MAPPER = """#!/usr/bin/env python3
import sys

for line in sys.stdin:
    for word in line.split():
        print(word + "\\t1")
"""
REDUCER = """#!/bin/sh
cut -f 1 | uniq -c | awk '{print $2 "\\t" $1}'
"""


def test_streaming(tmp_path):
    """Mappers and reducers in other languages, which a task finds in its working folder."""
    for name, text in {"mapper.py": MAPPER, "reducer.sh": REDUCER}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    words = [f"word{i * 7919 % 97}" for i in range(5000)]
    (tmp_path / "words.txt").write_text("\n".join(" ".join(words[i : i + 10]) for i in range(0, len(words), 10)) + "\n")
    (jar,) = HADOOP.glob("hadoop-streaming-*.jar")
    command = [sys.executable, "-m", "sparkgap", "mapreduce", "--master", "local[2]", str(jar)]
    options = ["-D", "mapreduce.job.reduces=2", "-files", "mapper.py,reducer.sh"]
    options += ["-mapper", "mapper.py", "-reducer", "reducer.sh", "-input", "words.txt", "-output", "out"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=ALL_S, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split("\t") for part in (tmp_path / "out").glob("part-*") for line in part.read_text().splitlines()]
    assert {word: int(count) for word, count in lines} == Counter(words)
    assert not (tmp_path / "mapper.py").is_symlink()
