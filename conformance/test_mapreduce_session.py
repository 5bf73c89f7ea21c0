# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A session that several programs bring their MapReduce jobs to: who starts it, who may not use it, how it ends."""

import contextlib
import fcntl
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import pytest
from conftest import wait_for
from test_mapreduce import JARS, JOB_S, LINES, OPENS, counts, environment, left, made_input, made_job

from sparkgap import environment as found
from sparkgap import spec

MASTER = "local[2]"
# Longer than a client takes to start on a busy host.
IDLE = "15s"
USER = pwd.getpwuid(os.getuid()).pw_name


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return made_job(tmp_path_factory.mktemp("job"))


class Session:
    """A session of one test, and the programs that come to it."""

    def __init__(self, place):
        self.place = place
        self.name = uuid.uuid4().hex
        self.folder = Path(tempfile.gettempdir()) / f"sparkgap-mapreduce-{USER}" / self.name
        self.environment = environment(place)
        self.seen = 0

    def words(self, job, out, *options):
        own = ["--session", self.name, "--idle", IDLE, "--master", MASTER, *options]
        return [sys.executable, "-m", "sparkgap", "mapreduce", *own, job, self.place / "in", self.place / out]

    def start(self, *words, **pipes):
        return subprocess.Popen([*map(str, words)], env=self.environment, cwd=self.place, text=True, **pipes)

    def run(self, job, out, *options):
        words = [*map(str, self.words(job, out, *options))]
        done = subprocess.run(
            words, env=self.environment, cwd=self.place, capture_output=True, text=True, timeout=JOB_S
        )
        self.pid()
        return done

    def client(self, *words):
        """What `mapred job` runs."""
        own = [f"-Dsparkgap.mapreduce.session={self.name}", f"-Dspark.master={MASTER}", *map(str, words)]
        framework = "-Dmapreduce.framework.name=sparkgap"
        java = [found.java(), *OPENS, "-cp", f"{spec.JAR}:{JARS}/*", "org.apache.hadoop.mapred.JobClient", framework]
        environment = {**self.environment, "SPARK_HOME": str(JARS.parent)}
        done = subprocess.run([*java, *own], env=environment, capture_output=True, text=True, timeout=JOB_S)
        return done.stdout + done.stderr

    def pid(self):
        """Of its process, or of the last one that was seen."""
        with contextlib.suppress(FileNotFoundError):
            self.seen = int((self.folder / "pid").read_text())
        return self.seen

    def lives(self):
        return (self.folder / "socket").exists()

    def gone(self):
        pid = self.pid()
        wait_for("the session's end", lambda: not Path(f"/proc/{pid}").exists(), 60)

    def ends(self):
        self.gone()
        assert {file.name for file in self.folder.iterdir()} == {"lock", "log"}
        assert not left(self.place)
        assert not list((self.place / "staging").glob("*/.staging/*"))


@pytest.fixture
def session(tmp_path):
    made_input(tmp_path)
    session = Session(tmp_path)
    yield session
    if session.lives() and session.pid():
        os.kill(session.pid(), signal.SIGTERM)
        session.gone()
        assert not list(session.folder.glob("client.jsa*"))
    shutil.rmtree(session.folder, ignore_errors=True)


def many(place):
    """Two minutes of input for one map."""
    (place / "in" / "many").write_text("line\n" * 60_000)


def test_programs_share_it_and_it_ends_when_idle(job, session):
    first, second = (session.start(*session.words(job, out), stderr=subprocess.PIPE) for out in ("out", "other"))
    said = [process.communicate(timeout=JOB_S)[1] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert sum("starts; its log is" in text for text in said) == 1
    third = session.run(job, "third")
    assert third.returncode == 0 and "starts" not in third.stderr, third.stderr
    assert "Map input records=1000" in third.stderr and "map 100%" in third.stderr
    for out in ("out", "other", "third"):
        found = sorted((session.place / out).glob("part-m-*"))
        assert sorted(int(part.read_text().split("\t")[1]) for part in found) == sorted(LINES)
    jobs = {re.search(r"Running job: (job_\d+_\d+)", text)[1] for text in [*said, third.stderr]}
    assert len(jobs) == 3 and len({name.rpartition("_")[0] for name in jobs}) == 1
    session.ends()


def test_clients_find_their_classes_kept(job, session):
    """The first client says what it loads; the session makes Java's archive of that when it is idle."""
    stays = ("--idle", "10m")  # it would not end before the archive is there
    assert session.run(job, "out", *stays).returncode == 0
    archive = session.folder / "client.jsa"
    wait_for("the archive of clients' classes", archive.exists, JOB_S)
    log = session.place / "loaded"
    session.environment["JAVA_TOOL_OPTIONS"] = f"-Xlog:class+load:file={log}"
    shutil.rmtree(session.place / "out")
    done = session.run(job, "out", *stays)
    assert done.returncode == 0, done.stderr
    assert counts(session.place) == sorted(LINES)
    classes = [line for line in log.read_text().splitlines() if " org.apache.hadoop." in line and "$$" not in line]
    kept = [line for line in classes if "source: shared objects file" in line]
    assert len(kept) > 0.9 * len(classes) > 300, classes[:5]
    # Who comes with other jars gets them, though the archive does not fit.
    session.environment["JAVA_TOOL_OPTIONS"] = ""
    archive.unlink()
    archive.write_bytes(b"no archive")
    assert session.run(job, "other", *stays).returncode == 0
    assert not list(session.folder.glob("classes.*"))


def test_files_of_another_default_file_system(job, session):
    """The staging area of a session that is all on this host is in its own file system."""
    top = f"/{session.place.parts[1]}"
    properties = {"fs.defaultFS": "viewfs://mounts/", f"fs.viewfs.mounttable.mounts.link.{top}": f"file://{top}"}
    properties["mapreduce.map.java.opts"] = "-Xmx1g -Dmine=1"
    lines = (f"<property><name>{k}</name><value>{v}</value></property>" for k, v in properties.items())
    core = session.place / "conf" / "core-site.xml"
    core.write_text(f"<configuration>{''.join(lines)}</configuration>")
    done = session.run(job, "out", "--conf", "spark.sparkgap.mapreduce.chain=memory")
    assert done.returncode == 0 and "has no effect on files of viewfs" in done.stderr, done.stderr
    assert "mapreduce.map.java.opts: [-Dmine=1] have no effect" in done.stderr, done.stderr
    assert counts(session.place) == sorted(LINES)
    session.ends()


def test_others_ask_it_and_end_its_jobs(job, session):
    assert "job" not in session.client("-list", "all").replace("Total jobs:0", "").lower().split("jobid")[0]
    assert not session.lives()  # a question starts none
    many(session.place)
    with (session.place / "said").open("wb") as said:
        process = session.start(*session.words(job, "out"), stderr=said)
        wait_for("a task's output", lambda: list(session.place.glob("out/_temporary/0/_temporary/*")))
        (name,) = re.findall(r"Running job: (job_\S+)", (session.place / "said").read_text())
        assert re.search(rf"{name}\s.*RUNNING", session.client("-list"))
        assert "map() completion" in session.client("-status", name)
        assert "Killed job" in session.client("-kill", name)
        assert process.wait(JOB_S) != 0
    assert "state KILLED" in (session.place / "said").read_text()
    assert re.search(rf"{name}\s.*KILLED", session.client("-list", "all"))
    assert "Job state: KILLED" in session.client("-status", name)
    assert not (session.place / "out" / "_temporary").exists()
    session.ends()


def test_a_job_goes_on_when_its_client_is_killed(job, session):
    (session.place / "in" / "more").write_text("line\n" * 1_500)
    process = session.start(*session.words(job, "out"), stderr=subprocess.DEVNULL)
    wait_for("a task's output", lambda: list(session.place.glob("out/_temporary/0/_temporary/*")))
    process.kill()
    assert session.pid() and not (session.place / "out" / "_SUCCESS").exists()
    wait_for("the job's end", lambda: (session.place / "out" / "_SUCCESS").exists(), JOB_S)
    assert counts(session.place) == sorted([*LINES, 1_500])
    session.ends()


def test_one_that_is_killed(job, session):
    """Its clients hear of it; the next starts another, which removes what is left."""
    many(session.place)
    with (session.place / "said").open("wb") as said:
        process = session.start(*session.words(job, "out"), stderr=said)
        wait_for("a task's output", lambda: list(session.place.glob("out/_temporary/0/_temporary/*")))
        assert session.pid()
        os.kill(session.pid(), signal.SIGKILL)
        assert process.wait(JOB_S) != 0
    assert f"session {session.name}: expected an answer" in (session.place / "said").read_text()
    assert left(session.place)
    (session.place / "in" / "many").unlink()
    again = session.run(job, "again")
    assert again.returncode == 0, again.stderr
    session.ends()


def test_other_settings_are_refused(job, session):
    assert session.run(job, "out").returncode == 0
    done = session.run(job, "other", "--conf", "spark.task.cpus=2")
    assert done.returncode == 1
    line = f"session {session.name}: expected spark.task.cpus=, with which it runs, found spark.task.cpus=2."
    assert line in done.stderr, done.stderr
    settings = session.folder / "settings"
    own = settings.read_text()
    settings.write_text(re.sub("(?m)^sparkgap=.*$", "sparkgap=0.0.9 cafe", own))
    done = session.run(job, "other")
    assert "expected sparkgap=0.0.9 cafe, with which it runs, found sparkgap=0." in done.stderr, done.stderr
    settings.write_text(own)
    assert session.run(job, "other").returncode == 0


def test_a_client_says_that_it_waits_for_another(job, session):
    session.folder.mkdir(mode=0o700, parents=True)
    session.folder.parent.chmod(0o700)
    with (session.folder / "lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        client = session.start(*session.words(job, "out"), stderr=subprocess.PIPE)
        assert any("waits for another program, which starts it" in line for line in client.stderr)
    said = client.communicate(timeout=JOB_S)[1]
    assert client.returncode == 0 and "starts; its log is" in said, said


@pytest.mark.parametrize("name", ["../x", "a" * 41])
def test_names_that_are_none(job, session, name):
    session.name = name
    done = session.run(job, "out")
    assert done.returncode == 1 and "expected up to 40 letters" in done.stderr, done.stderr


def test_a_folder_that_others_may_enter(job, session):
    session.folder.mkdir(mode=0o755, parents=True)
    session.folder.parent.chmod(0o700)
    done = session.run(job, "out")
    assert done.returncode == 1 and f"{session.folder}: expected a folder of this user's alone" in done.stderr
    session.folder.rmdir()


def test_spark_that_does_not_start(job, session):
    done = session.run(job, "out", "--conf", "spark.executor.memory=nothing")
    assert done.returncode == 1, done.stderr
    assert f"session {session.name}: expected Spark within" in done.stderr and "has ended" in done.stderr
    assert not session.lives()


def test_idle_time_of_no_session(job, session):
    words = [sys.executable, "-m", "sparkgap", "mapreduce", "--idle", "3s", job, session.place / "in", "out"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=JOB_S)
    assert done.returncode != 0 and "--idle: expected --session beside it, found none." in done.stderr, done.stderr
    done = session.run(job, "out", "--idle", "soon")
    assert done.returncode == 1 and 'expected a time such as 30s or 10m, found "soon"' in done.stderr, done.stderr
