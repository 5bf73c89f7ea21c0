# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Real Spark sessions, classic and Connect, one after the other, and the store that they write into."""

import os
import shutil
import signal
import tempfile
import time
import warnings
from pathlib import Path

import pytest

# A JVM of tests lives too short to earn back what its second compiler costs: half of all CPU time. Java's own tests, which move
# millions of rows, and the clean environment of test_wheel.py run with it.
os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), "-XX:TieredStopAtLevel=1"]).strip()

# Spark Connect imports pandas and says that it has not met its version yet.
warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)

import sparkgap  # noqa: E402
from sparkgap import processes  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SPARKGAP_DATA") or ROOT.parent / "shared" / "data")
CONF = {
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
}
TEST_TIMEOUT_S = 240
_without_data = []


class Store:
    """A store directory of the tests' own, and what lies in it."""

    def __init__(self, path):
        self.path = path

    def files(self):
        """Every file except locks, as text, sorted: the same before and after means that nothing was left."""
        return sorted(
            str(p.relative_to(self.path)) for p in self.path.rglob("*") if p.is_file() and "lock" not in p.name
        )

    def homes(self):
        return sorted(p.name for p in self.path.iterdir() if p.is_dir()) if self.path.is_dir() else []


@pytest.fixture(scope="session")
def store():
    root = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
    path = Path(tempfile.mkdtemp(prefix="sparkgap-test-", dir=root))
    yield Store(path)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session", params=["classic", "connect"])
def spark(request, store):
    """A session in each mode. Tests that ask for one mode say `@pytest.mark.parametrize("spark", ["classic"], indirect=True)`."""
    where = {"master": "local[2]"} if request.param == "classic" else {"remote": "local[2]"}
    session = sparkgap.session(**where, conf={**CONF, "spark.sparkgap.store.dir": str(store.path)})
    yield session
    session.stop()
    assert store.files() == [], "a session that stopped left files"


@pytest.fixture
def edges(spark):
    return spark.createDataFrame([(1, 2), (2, 3), (3, 1), (4, 1), (4, 4), (1, 2)], "src bigint, dst bigint")


@pytest.fixture(scope="session")
def data():
    """The folder of the shared data sets (SPARKGAP_DATA); without it tests do not run, and with CI=true they fail."""
    if DATA.is_dir():
        return DATA
    if os.environ.get("CI") == "true":
        pytest.fail(f"SPARKGAP_DATA: expected the folder of test data, found no {DATA}. Set it.")
    pytest.skip(f"no test data at {DATA}")


def ranks_of(root=None):
    """The living rank programs below a process, guards not counted."""
    return [p for p in processes.tree(root) if p.name.startswith("sparkgap-") and p.name != "sparkgap-rank"]


def wait_for(what, condition, timeout_s=30.0):
    """The first true value of `condition()`; fails with `what` at the deadline."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    pytest.fail(f"waited {timeout_s} s for {what}")


def pytest_runtest_logreport(report):
    if report.skipped and "no test data at" in str(report.longrepr):
        _without_data.append(report.nodeid)


def pytest_terminal_summary(terminalreporter):
    if _without_data:
        terminalreporter.write_line(
            f"{len(_without_data)} tests did not run: no test data at {DATA} (set SPARKGAP_DATA)"
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Every test has a deadline."""

    def late(_signal, _frame):
        pytest.fail(f"no end in {TEST_TIMEOUT_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(TEST_TIMEOUT_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
