# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Hadoop's own tests of MapReduce, as Hadoop publishes them, with every job on Spark.

Those of its suite that run jobs in one process and need no cluster, but for what names Hadoop's local runner itself.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pyspark
import pytest
from conftest import PATIENCE, ROOT

from sparkgap import spec

JARS = Path(pyspark.__file__).parent / "jars"
SUITE = ROOT / "build" / "hadoop-suite"
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
    if not list(SUITE.glob("hadoop-hdfs-*")):
        goal = ["dependency:copy-dependencies", "-DexcludeTransitive=true", f"-DoutputDirectory={SUITE}"]
        pom = ROOT / "conformance" / "hadoop_suite.pom.xml"
        subprocess.run(["mvn", "--batch-mode", "--quiet", "-f", pom, *goal], check=True, timeout=ALL_S)
    place = tmp_path_factory.mktemp("suite")
    opens = re.findall(r"--add-opens=[^\s<]+", (ROOT / "pom.xml").read_text())
    own = {
        "sparkgap.mapreduce.force": "true",
        "spark.master": "local[2]",
        "org.apache.logging.log4j.level": "INFO",
        "java.io.tmpdir": place,
        "test.build.data": place / "data",
    }
    flags = [f"-D{key}={value}" for key, value in own.items()]
    flags += ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    words = [shutil.which("java"), *opens, *flags, "-cp", f"{spec.JAR}:{SUITE}/*:{JARS}/*"]
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
