# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Real Spark sessions, one after the other in one JVM, and the store that they write into.

A new JVM costs more than fifty calls in one that is warm. So a test asks for the cheapest of these that can still fail:
`spark` (the session that runs; the command line uses it too, by `cli.main`), `own` (a session with settings of its
own), `hosts` (the session whose executors are on the hosts of `cluster`), and a process only for what a process alone
shows: exit status, signals, a terminal, an output without Spark's words.
"""

import os
import re
import shutil
import signal
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

# A JVM of tests lives too short to earn back what its second compiler costs, half of all CPU time, or G1's threads, a
# third of the rest on two cores. The clean environment of test_wheel.py runs with both. With one compiler a JVM has
# 48 MB for code, and one of a thousand calls sweeps them all the time. `make` keeps Spark's classes as the JVM does
# (dev/class_archive.py).
JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=256m"]
if (JAVA := Path(__file__).resolve().parent.parent / "build" / "java").exists():
    os.environ["JAVA_HOME"] = str(JAVA)
os.environ["SPARK_LAUNCHER_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), *JVM]).strip()

# What every JVM of the tests has in its environment, and no program that it starts may find (test_servers.py).
CANARY = os.environ.setdefault("SPARKGAP_TEST_SECRET", f"canary-{os.urandom(8).hex()}")

# Spark Connect imports pandas and says that it has not met its version yet.
warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)

from cluster import Cluster, missing  # noqa: E402
from cluster.problem import PATIENCE  # noqa: E402
from learning_rows import rows  # noqa: E402, F401

import sparkgap  # noqa: E402
from sparkgap import processes  # noqa: E402
from sparkgap.session import running  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
HADOOP = ROOT / "build" / "hadoop-suite"  # jars of Hadoop's own
DATA = Path(os.environ.get("SPARKGAP_DATA") or ROOT / "data")
CONF = {
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executorEnv.SPARKGAP_TEST_SECRET": CANARY,
}
TEST_TIMEOUT_S = int(os.environ.get("SPARKGAP_TEST_TIMEOUT_S", "240"))
# In this order, those that need no session of this process first: each session is started once, whatever the files are
# called.
MODES = [None, "classic", "hosts", "own", "connect"]
NO_DATA, NO_CLUSTER = "no test data at", "no cluster of hosts:"
_did_not_run = {NO_DATA: [], NO_CLUSTER: []}


class Files(list):
    """Paths. `after == before` where nothing came; what may have gone are results that nobody refers to any more
    (UnnamedResults), whenever Python and the JVM find that out.
    """

    UNNAMED = re.compile(r"/(tables|segments)/\w+_\d+(_\w+)?\.")

    def __eq__(self, before):
        return set(self) <= set(before) and all(self.UNNAMED.search(f) for f in set(before) - set(self))

    __hash__ = None


class Store:
    """A store directory of the tests' own, and what lies in it."""

    def __init__(self, path):
        self.path = path

    def files(self):
        """Every file except locks, as text, sorted: `files() == before` means that nothing was left.

        Cached tables go a moment after Spark has said so, which test_cache.py waits for. The ranks' logs of kernels
        that failed stay, as errors say.
        """
        files = (Path(folder, name) for folder, _, names in os.walk(self.path) for name in names if "lock" not in name)
        kept = (p for p in files if not p.parent.name.startswith("cache-") and not p.parent.name.endswith("-logs"))
        return Files(sorted(str(p.relative_to(self.path)) for p in kept))

    def homes(self):
        """Folders of processes; `published` is nobody's."""
        found = [p.name for p in self.path.iterdir() if p.is_dir()] if self.path.is_dir() else []
        return sorted(name for name in found if name != "published")


@pytest.fixture(scope="session")
def store():
    root = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
    path = Path(tempfile.mkdtemp(prefix="sparkgap-test-", dir=root))
    yield Store(path)
    shutil.rmtree(path, ignore_errors=True)


class Sessions:
    """The one session that this process can have at a time; `folder` is where its JVM runs."""

    def __init__(self, store, folder):
        self._store, self._folder = store, folder
        self._mode = None
        self._has_jvm = False
        self.cluster = None

    def of(self, mode):
        """The session of a mode, started if another one ran before; None for mode `own`."""
        if mode != self._mode:
            self.stop()
            if mode == "own" and not self._has_jvm:  # what a JVM is started with are the defaults of all its sessions
                self._start("classic")
                self.stop()
            if mode != "own":
                self._start(mode)
            self._mode = mode
        return running()

    def _start(self, mode):
        before = Path.cwd()
        os.chdir(self._folder)
        try:
            conf = {**CONF, "spark.sparkgap.store.dir": str(self._store.path)}
            if mode == "hosts":
                # As many partitions as cores, so that what Python makes lies on all hosts.
                here = {"spark.driver.memory", "spark.driver.host", "spark.driver.bindAddress"}
                cores = len(self.cluster.hosts) * self.cluster.cores
                pool = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "96m"}
                self.cluster.session(
                    {**{k: v for k, v in conf.items() if k not in here}, **pool, "spark.default.parallelism": cores}
                )
            else:
                where = {"master": "local[2]"} if mode == "classic" else {"remote": "local[2]"}
                sparkgap.session(**where, conf=conf)
        finally:
            os.chdir(before)
        self._has_jvm = True

    def stop(self):
        session, mode, self._mode = running(), self._mode, None
        if session is not None:
            session.stop()
            assert self._store.files() == [], "a session that stopped left files"
            if mode == "hosts":
                nothing_left(self.cluster)


@pytest.fixture(scope="session")
def sessions(store, tmp_path_factory):
    found = Sessions(store, tmp_path_factory.mktemp("jvm"))
    yield found
    found.stop()


@pytest.fixture(params=["classic", "connect"])
def spark(request, sessions):
    """A session in each mode. Tests that ask for one mode say `@pytest.mark.parametrize("spark", ["classic"],
    indirect=True)`.
    """
    return sessions.of(request.param)


@pytest.fixture
def own(sessions):
    """No session runs: the test starts one with its own settings, or runs code that does; it is stopped after the
    test.
    """
    sessions.of("own")
    yield
    if running() is not None:
        running().stop()


def require_hosts():
    """Without root, tests of hosts do not run, and with CI=true they fail."""
    lacking = missing()
    if lacking is not None and os.environ.get("CI") == "true":
        pytest.fail(str(lacking))
    if lacking is not None:
        pytest.skip(f"{NO_CLUSTER} {lacking}")


@pytest.fixture(scope="session")
def cluster():
    """Three hosts with Spark's own master and workers."""
    require_hosts()
    with Cluster() as made:
        yield made


@pytest.fixture
def hosts(cluster, sessions):
    """The session whose executors are on the three hosts of `cluster`, and its driver here."""
    sessions.cluster = cluster
    return sessions.of("hosts")


LABELS = {
    "spark": "needs Spark: all of conformance/",
    "hosts": "needs root: hosts are network namespaces, with Spark's own master and workers",
    "faults": "kills processes, cuts hosts off, or fills what they write to",
    "wheel": "installs the wheel into an environment of its own",
}


def pytest_configure(config):
    config.addinivalue_line("markers", "deadline(times): may take so many times as long as others")
    for label, meaning in LABELS.items():
        config.addinivalue_line("markers", f"{label}: {meaning}")


def labels(item):
    """What `-m` chooses a test by: `make test-python ARGS='-m "not hosts"'`."""
    if item.path.parent != Path(__file__).parent:
        return
    yield "spark"
    if {"cluster", "hosts", "slurm"} & set(item.fixturenames) or "require_hosts" in item.obj.__code__.co_names:
        yield "hosts"
    if item.path.stem.endswith("_faults") or item.path.stem in {"test_faults", "test_soak", "test_schedules"}:
        yield "faults"
    if item.path.stem == "test_wheel":
        yield "wheel"


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items):
    def mode(item):
        for name in ("own", "hosts"):
            if name in item.fixturenames:
                return name
        return getattr(item, "callspec", None) and item.callspec.params.get("spark")

    items.sort(key=lambda item: MODES.index(mode(item)))
    # `make test` runs two processes of tests. A file's tests of one mode go to one of them, and all that need the
    # cluster: there is one.
    for item in items:
        for label in labels(item):
            item.add_marker(label)
        # And not beside those that have one of their own for minutes.
        with_hosts = mode(item) == "hosts" or item.path.stem == "test_yarn"
        item.add_marker(pytest.mark.xdist_group("hosts" if with_hosts else f"{mode(item)}-{item.path.stem}"))


def pytest_collection_finish(session):
    if getattr(session.config.option, "loadgroup", False) and not all("@" in item.nodeid for item in session.items):
        pytest.exit(
            "--dist loadgroup: expected pytest-xdist to send each group to one process, found names without one."
            " Install the versions of dev/requirements.txt.",
            4,
        )


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
    pytest.skip(f"{NO_DATA} {DATA}")


def ranks_of(root=None):
    """The living rank programs below a process, guards not counted."""
    return [p for p in processes.tree(root) if p.name.startswith("sparkgap-") and p.name != "sparkgap-rank"]


def wait_for(what, condition, timeout_s=30.0, found=None):
    """The first true value of `condition()`; at the deadline fails with `what` and, where given, what `found()`
    says.
    """
    timeout_s *= PATIENCE
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    pytest.fail(f"waited {timeout_s} s for {what}" + (f", found {found()}" if found else ""))


@contextmanager
def installed(cluster, *parts):
    """A folder below /tmp at the same path here and on every host; `parts` are called with it before it is copied."""
    folder = Path(tempfile.mkdtemp(prefix="sparkgap-mpi-"))
    everywhere = [folder, *(h.root / folder.relative_to("/") for h in cluster.hosts)]
    try:
        for part in parts:
            part(folder)
        for place in everywhere[1:]:
            shutil.copytree(folder, place)
        yield folder
    finally:
        for place in everywhere:
            shutil.rmtree(place, ignore_errors=True)


def nothing_left(cluster):
    """Waits until no host has an executor any more, nor anything but Spark's daemons, the store's lock files and the
    library that a killed JVM had unpacked.
    """

    def left():
        files = [
            f"{h.name}:{f}"
            for h in cluster.hosts
            for f in h.files()
            if "lock" not in Path(f).name and "liblz4-java" not in f
        ]
        return files + [
            f"{h.name}:{p}" for i, h in enumerate(cluster.hosts, 1) for p in h.pids() if p != cluster.worker_pid(i)
        ]

    def last_words():
        """Of the executors on hosts where something is left: there is no other way to learn why."""
        names = {entry.partition(":")[0] for entry in left()}
        logs = [
            log
            for h in cluster.hosts
            if h.name in names
            for log in sorted((h.root / "run/spark").rglob("app-*/*/stderr"))
        ]
        return [*left(), *(f"{log}:\n{log.read_text(errors='replace')[-3000:]}" for log in logs[-2:])]

    wait_for("nothing but the workers on any host", lambda: not left(), found=last_words)


def pytest_runtest_logreport(report):
    for why, tests in _did_not_run.items():
        if report.skipped and why in str(report.longrepr):
            tests.append((report.nodeid, str(report.longrepr[2]).partition(why)[2].strip()))


def pytest_terminal_summary(terminalreporter):
    for why, tests in _did_not_run.items():
        if tests:
            terminalreporter.write_line(f"{len(tests)} tests did not run: {why} {tests[0][1]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Every test has a deadline; a long one says how many times that of others its own is: `deadline(times)`."""
    own = item.get_closest_marker("deadline")
    seconds = TEST_TIMEOUT_S * (own.args[0] if own else 1)

    def late(_signal, _frame):
        pytest.fail(f"no end in {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
