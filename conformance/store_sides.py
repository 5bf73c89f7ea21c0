# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The two programs that go by store/FORMAT.md, Java's and Python's, with the same words for both: who lays
something into a store, and who lists, drops and sweeps it.

Java's owner is org.sparkgap.store.StoreSide, a process with a home made by StoreHome. Python makes no homes: its
owner's files are laid out by hand, as the page
says, and a process holds their lock.
"""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "tests"))
from store_layout import HOLD, Place, folder  # noqa: E402

SOURCE = ROOT / "store/src/test/java/org/sparkgap/store/StoreSide.java"
NEEDED = ("jackson-core-*", "jackson-databind-*", "jackson-annotations-*", "arrow-format-*", "flatbuffers-java-*")
NAMES = [
    (re.compile(r"\.[0-9a-f]{8}-[0-9a-f-]{27}"), ".*"),
    (re.compile(r"/(\d+)-[0-9a-f]{16}"), r"/\1-*"),
    (re.compile(r"[^/]+\.arrow"), "*.arrow"),
]


class Java:
    """The command that runs StoreSide, and one such process for all tests that need no other: it starts in half a
    second.
    """

    def __init__(self, command):
        self.command, self._hand = command, None

    def hand(self):
        if self._hand is None or self._hand.n_unanswered:  # a test failed in between
            self.stop()
            self._hand = JavaProcess(self, "/none", "/none")
        return self._hand

    def stop(self):
        if self._hand is not None:
            self._hand.kill()


@pytest.fixture(scope="session")
def java(tmp_path_factory):
    """StoreSide is compiled against the jar: `make` builds no class of a test."""
    jar = ROOT / "build/jars/sparkgap.jar"
    if not jar.exists():
        pytest.fail(f"{jar}: expected the built jar, found none. Do make build.")
    jars = Path(importlib.util.find_spec("pyspark").origin).parent / "jars"
    classes = tmp_path_factory.mktemp("classes")
    path = ":".join(map(str, [classes, jar, *(found for name in NEEDED for found in jars.glob(f"{name}.jar"))]))
    subprocess.run(["javac", "-nowarn", "-proc:none", "-d", classes, "-cp", path, SOURCE], check=True, timeout=120)
    found = Java(["java", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", path, "org.sparkgap.store.StoreSide"])
    yield found
    found.stop()


class Answer:
    """What a side said: status, and one line where it refused."""

    def __init__(self, code, text, said=None):
        self.code, self.text, self.said = code, text, said

    @property
    def reason(self):
        """`expected X, found Y`. What comes before is what each side's user calls the store, what comes after what he
        can do there.
        """
        found = re.search(r"expected .*?, found [^.]*(?=\. )", self.text)
        return found[0] if found else self.text


class JavaProcess:
    """A JVM that does one thing after the other; its own homes are in the stores named here."""

    def __init__(self, java, memory, disk):
        self._process = subprocess.Popen(
            [*java.command, memory, disk], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid, self.n_unanswered = self._process.pid, 0

    def start(self, *words):
        self.n_unanswered += 1
        self._process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
        self._process.stdin.flush()

    def finish(self):
        line = self._process.stdout.readline()
        assert line, "the JVM ended"
        self.n_unanswered -= 1
        answer = json.loads(line)
        return Answer(answer["code"], answer.get("text", ""), answer.get("said"))

    def run(self, *words):
        self.start(*words)
        return self.finish()

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()


class JavaOwner:
    def __init__(self, scene, application):
        self._jvm = scene.jvm()
        self.home = Path(self._do("own", application))

    def _do(self, *words):
        answer = self._jvm.run(*words)
        assert answer.code == 0, answer.text
        return answer.said

    def table(self, name):
        self._do("table", name)

    def half(self, name):
        """Its segments are whole, its manifest is not yet renamed."""
        self._do("half", name)

    def move(self, name):
        """The segment goes to the disk tier."""
        self._do("move", name)

    def publish(self, name):
        self._do("publish", name)

    def kill(self):
        self._jvm.kill()


class PythonOwner:
    def __init__(self, scene, application):
        self._place, self._editions, self._paths = scene.place, {}, {}
        self.home = self._place.home(f"{application}.driver")
        self._held = [self._place.hold(self.home / "lock")]

    def table(self, name):
        self._paths[name] = self._place.table(self.home, name, 1)

    def half(self, name):
        self.table(name)
        manifest = self.home / "tables" / f"{name}.json"
        manifest.rename(manifest.with_name(manifest.name + ".part")).write_text("{")

    def move(self, name):
        on_disk = self._place.home(self.home.name, self._place.disk)
        self._held.append(self._place.hold(on_disk / "lock"))
        (segment,) = self._paths[name]
        moved = on_disk / segment.relative_to(self.home)
        moved.parent.mkdir()
        shutil.move(segment, moved)
        segment.symlink_to(moved)

    def publish(self, name):
        self._editions[name] = self._editions.get(name, 0) + 1
        self._place.publish(name, self._editions[name], self._paths[name])

    def kill(self):
        for process in self._held:
            process.kill()
            process.wait()


class JavaHand:
    """Sweeps, drops and lists."""

    def __init__(self, scene, jvm=None):
        self._scene, self._jvm = scene, jvm or scene.java.hand()
        self.pid = self._jvm.pid

    def start_sweep(self):
        self._jvm.start("sweep", self._scene.memory, self._scene.disk)

    def finish_sweep(self):
        """Its `said` is the number of homes that went."""
        return self._jvm.finish()

    def start_drop(self, name):
        self._jvm.start("drop", self._scene.memory, self._scene.disk, name)

    def finish_drop(self):
        return self._jvm.finish()

    def list(self):
        """Of each published table the name, the rows, and the status of a look at its files."""
        answer = self._jvm.run("list", self._scene.memory, self._scene.disk)
        return answer.code or answer.said

    def read(self, files):
        return self._jvm.run("read", *files).said


class PythonHand:
    def __init__(self, scene):
        self._scene, self._running = scene, None

    @property
    def pid(self):
        return self._running.pid

    def _start(self, *words):
        where = ["--store", self._scene.memory, "--disk-store", self._scene.disk, "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", "sparkgap", "store", *words, *where],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._scene.processes.append(process)
        return process

    def _finish(self, process):
        out, err = process.communicate(timeout=120)
        return Answer(process.returncode, err, json.loads(out) if out else None)

    def start_sweep(self):
        self._running = self._start("sweep")

    def finish_sweep(self):
        answer = self._finish(self._running)
        answer.said = answer.said and sum(item["what"] == "home" for item in answer.said["removed"])
        return answer

    def start_drop(self, name):
        self._running = self._start("rm", f"published.{name}")

    def finish_drop(self):
        return self._finish(self._running)

    def list(self):
        answer = self._finish(self._start("ls"))
        tables = [t for t in answer.said["tables"] if t["kind"] == "published"] if answer.code == 0 else []
        return answer.code or [
            [t["name"], "damaged", 3] if t["damage"] else [t["name"], t["rows"], self._stat(t["name"])] for t in tables
        ]

    def _stat(self, name):
        return self._finish(self._start("stat", f"published.{name}")).code

    def read(self, files):
        from sparkgap.errors import DataError
        from sparkgap.store_files import manifests

        found = []
        for file in files:
            with contextlib.suppress(DataError):
                table = manifests.read(file)
                n_bytes = sum(s.bytes for s in table.segments if s.role == "rows")
                found.append([table.rows, n_bytes, table.is_graph, table.folder or ""])
                continue
            found.append(None)
        return found


class Scene:
    """Two stores in a folder, the owners of what is in them, and all that lies in that folder."""

    def __init__(self, java, root):
        self.java, self.root, self.place = java, root, Place(root, None).make()
        self.memory, self.disk, self.published = self.place.memory, self.place.disk, self.place.memory / "published"
        self.outside = root / "outside"
        self.processes, self._jvms = self.place.processes, []
        self.owner = None

    def own(self, application="app"):
        return self.owner(self, application)

    def jvm(self):
        self._jvms.append(JavaProcess(self.java, self.memory, self.disk))
        return self._jvms[-1]

    def edition(self, name, number, store=None):
        """An edition's folder with a segment, and no manifest."""
        made = (store or self.memory) / "published" / name / folder(number)
        self.place.segment(made / "part.arrow")
        return made

    def hold(self, lock, user=None):
        """A process, of another user where one is said, that holds a lock."""
        program = HOLD.replace("print(", f"import os; os.setuid({user}); print(") if user else HOLD
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.processes.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    def end(self):
        for jvm in self._jvms:
            jvm.kill()
        for process in self.processes:
            process.kill()
            process.communicate()

    def tree(self):
        """Files, folders and links in the words of a sweep: new names are a star, and the stores' own
        locks are left out.
        """
        found = set()
        for top, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                path = os.path.relpath(os.path.join(top, name), self.root)
                for pattern, word in NAMES:
                    path = pattern.sub(word, path)
                if path not in ("memory", "disk", "memory/.lock", "disk/.lock"):
                    found.add(path)
        return found


@pytest.fixture
def scene(java, tmp_path):
    made = Scene(java, tmp_path)
    yield made
    made.end()


OWNERS = {"java": JavaOwner, "python": PythonOwner}
HANDS = {"java": JavaHand, "python": PythonHand}
