# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""The built programs against another Arrow library (pyarrow) and under the contract of docs/program-contract.md.

Run by ctest as: python programs_test.py BIN MPIEXEC MPI_LIBRARY
"""

import collections
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import pyarrow as pa

BIN, MPIEXEC, MPI_LIBRARY = sys.argv[1:4]
# One host: no network, and no description of the machine in /tmp, which a killed mpiexec would leave there.
ENVIRONMENT = dict(
    os.environ, SPARKGAP_MPI_LIBRARY=MPI_LIBRARY, OMP_NUM_THREADS="2", UCX_TLS="self,posix", HWLOC_XMLFILE="/dev/null"
)
EDGES = {"src": [i * i % 91 * 10**12 for i in range(5000)], "dst": [i % 77 * 10**12 for i in range(5000)]}


def write_arrow(path, table, chunk=700, **options):
    with (
        pa.OSFile(path, "wb") as file,
        pa.ipc.new_file(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer,
    ):
        writer.write_table(table, max_chunksize=chunk)


def read_arrow(paths):
    """Every file mapped, checked in full and aligned as store/FORMAT.md says."""
    tables = []
    for path in paths:
        source = pa.memory_map(path)
        base = source.read_buffer().address
        reader = pa.ipc.open_file(source)
        for i in range(reader.num_record_batches):
            for column in reader.get_batch(i).columns:
                assert all(b is None or (b.address - base) % 64 == 0 for b in column.buffers()), path
        table = reader.read_all()
        table.validate(full=True)
        tables.append(table)
    return pa.concat_tables(tables)


def degrees(src, dst):
    outs, ins = collections.Counter(src), collections.Counter(dst)
    return {v: (ins[v], outs[v], ins[v] + outs[v]) for v in set(src) | set(dst)}


class Programs(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.folder = self.scratch.name
        self.addCleanup(self.scratch.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments, ranks=1, job=None, guard=False):
        command = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
        command += [f"{BIN}/sparkgap-rank", "--job", job, "--"] if guard else []
        environment = dict(ENVIRONMENT, SPARKGAP_JOB=job) if job else ENVIRONMENT
        done = subprocess.run(command + list(arguments), env=environment, capture_output=True, text=True, timeout=60)
        if job:
            self.wait_for_guards(job)
        return done

    def wait_for_guards(self, job):
        """mpiexec does not wait for the others when a rank has failed, and their guards still write."""
        deadline = time.monotonic() + 20
        while any(self.runs(pid, "sparkgap-rank", job) for pid in os.listdir("/proc") if pid.isdigit()):
            self.assertLess(time.monotonic(), deadline, "a guard stays")
            time.sleep(0.01)

    def check_degrees(self, segments, expected):
        table = read_arrow(segments)
        self.assertEqual(table.schema.names, ["id", "in_degree", "out_degree", "degree"])
        self.assertFalse(any(field.nullable for field in table.schema))
        columns = [table.column(i).to_pylist() for i in range(4)]
        self.assertEqual({row[0]: row[1:] for row in zip(*columns, strict=True)}, expected)
        self.assertEqual(table.num_rows, len(expected))

    def test_files_of_pyarrow_and_back(self):
        for ranks in (1, 2, 4):
            for name, convert in (("bigint", lambda v: v), ("string", lambda v: f"vertex-{v}")):
                with self.subTest(ranks=ranks, ids=name):
                    edges = {key: [convert(v) for v in values] for key, values in EDGES.items()}
                    write_arrow(self.path("edges.arrow"), pa.table(edges))
                    out = self.path(f"out-{name}-{ranks}")
                    done = self.run_program(
                        f"{BIN}/sparkgap-degree", self.path("edges.arrow"), "--out", out, ranks=ranks
                    )
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    line = json.loads(done.stdout)
                    self.assertEqual((line["rows_in"], line["ranks"]), (5000, ranks))
                    manifest = self.load(line["table"])
                    self.assertEqual([s["path"] for s in manifest["segments"]], sorted(glob.glob(out + "/*.arrow")))
                    self.check_degrees([s["path"] for s in manifest["segments"]], degrees(edges["src"], edges["dst"]))
                    again = self.run_program(
                        f"{BIN}/sparkgap-degree",
                        line["table"],
                        "--out",
                        self.path("again"),
                        "--src",
                        "id",
                        "--dst",
                        "id",
                        "--verify",
                        "true",
                    )
                    self.assertEqual((again.returncode, again.stderr), (0, ""))

    def test_refused_files(self):
        src = pa.array([1, 2, None, 4])
        cases = [
            (pa.table({"src": src, "dst": [1, 2, 3, 4]}), {}, "src"),
            (pa.table({"src": [1, 2], "dst": [1.5, 2]}), {}, "edges.dst: expected integers or strings, found double."),
            (
                pa.table({"from": [1], "to": [2]}),
                {},
                "edges.src: expected a column of this name, found columns from, to.",
            ),
            (
                pa.table(
                    {"src": ["a"], "dst": ["b"]},
                    schema=pa.schema([("src", pa.dictionary(pa.int32(), pa.string())), ("dst", pa.string())]),
                ),
                {},
                "edges",
            ),
        ]
        for codec in ("lz4", "zstd"):
            cases.append(
                (pa.table({"src": [1] * 9999, "dst": [2] * 9999}), {"compression": codec}, "found compressed buffers")
            )
        for table, options, text in cases:
            write_arrow(self.path("bad.arrow"), table, **options)
            done = self.run_program(f"{BIN}/sparkgap-degree", self.path("bad.arrow"), "--out", self.path("out"))
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(glob.glob(self.path("out") + "/*.arrow*"), [])

    def job(self, program, parameters, ranks, inputs):
        folder, out = self.path("job"), self.path("segments")
        os.makedirs(folder)
        os.makedirs(out)
        with open(folder + "/job.json", "w") as file:
            json.dump(
                {
                    "version": 1,
                    "job": "1",
                    "program": program,
                    "ranks": ranks,
                    "threads": 1,
                    "rank_hosts": ["here"] * ranks,
                    "parameters": parameters,
                    "inputs": inputs,
                    "output": {"directory": out, "segment_bytes": 1 << 20},
                    "progress": "progress.jsonl",
                    "done": "done-%d.json",
                },
                file,
            )
        return folder, out

    def text(self, path):
        with open(path) as file:
            return file.read()

    def load(self, path):
        return json.loads(self.text(path))

    def edges_input(self):
        write_arrow(self.path("edges.arrow"), pa.table(EDGES))
        size = os.path.getsize(self.path("edges.arrow"))
        return {
            "edges": {
                "rows": 5000,
                "segments": [{"host": "here", "path": self.path("edges.arrow"), "rows": 5000, "bytes": size}],
            },
            "vertices": None,
        }

    def test_contract(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.setUp()
                folder, _ = self.job(
                    "degree", {"src": "src", "dst": "dst", "directed": True}, ranks, self.edges_input()
                )
                done = self.run_program(f"{BIN}/sparkgap-degree", ranks=ranks, job=folder, guard=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                segments = []
                for rank in range(ranks):
                    self.assertEqual(self.load(f"{folder}/exit-{rank}.json")["code"], 0)
                    report = self.load(f"{folder}/done-{rank}.json")
                    self.assertEqual(report["rank"], rank)
                    self.assertGreaterEqual(report["peak_rss_bytes"], 1 << 20)
                    segments += [s["path"] for s in report["segments"]]
                    self.assertEqual(self.text(f"{folder}/rank-{rank}.log"), "")
                self.check_degrees(segments, degrees(**EDGES))
                phases = [json.loads(line)["phase"] for line in self.text(folder + "/progress.jsonl").splitlines()]
                self.assertEqual(phases[-1], "write")
                self.assertEqual(
                    sorted(os.listdir(folder)),
                    sorted(
                        ["job.json", "progress.jsonl"]
                        + [
                            f"{n}-{r}.{e}"
                            for r in range(ranks)
                            for n, e in (("done", "json"), ("exit", "json"), ("rank", "log"))
                        ]
                    ),
                )

    def test_contract_failure(self):
        folder, out = self.job("degree", {"src": "nope", "dst": "dst"}, 2, self.edges_input())
        done = self.run_program(f"{BIN}/sparkgap-degree", ranks=2, job=folder, guard=True)
        self.assertEqual(done.returncode, 3)
        errors = [self.load(path) for path in glob.glob(folder + "/error-*.json")]
        self.assertGreaterEqual(len(errors), 1)
        self.assertEqual(
            errors[0],
            {
                "code": 3,
                "message": (
                    "edges.nope: expected a column of this name, found columns src, dst. Name one of the columns of"
                    " edges."
                ),
            },
        )
        self.assertIn("edges.nope: expected", "".join(self.text(path) for path in glob.glob(folder + "/rank-*.log")))
        self.assertEqual(os.listdir(out), [])

    def asked(self, folder, *words, program="degree"):
        done = self.run_program(f"{BIN}/sparkgap-{program}", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_memory_before_a_run(self):
        inputs = self.edges_input()
        folder, _ = self.job("degree", {"src": "src", "dst": "dst", "directed": True}, 1, inputs)
        asked = self.asked(folder, "--memory", folder + "/job.json")["memory_bytes"]
        self.assertEqual(os.listdir(folder), ["job.json"])
        look = self.asked(folder, "--look", folder + "/job.json", "here")
        job = self.load(folder + "/job.json") | {"looks": [look]}
        with open(self.path("looked.json"), "w") as file:
            json.dump(job, file)
        os.rename(self.path("edges.arrow"), self.path("elsewhere"))
        self.assertEqual(self.asked(folder, "--memory", self.path("looked.json"))["memory_bytes"], asked)
        gone = self.run_program(f"{BIN}/sparkgap-degree", "--memory", folder + "/job.json")
        self.assertEqual((gone.returncode, gone.stdout), (3, ""))
        self.assertIn("edges.arrow", gone.stderr)
        os.rename(self.path("elsewhere"), self.path("edges.arrow"))
        done = self.run_program(f"{BIN}/sparkgap-degree", job=folder, guard=True)
        self.assertEqual(done.returncode, 0)
        peak = self.load(folder + "/done-0.json")["peak_rss_bytes"]
        self.assertTrue(peak - inputs["edges"]["segments"][0]["bytes"] <= asked <= peak + (16 << 20), (asked, peak))

    def test_more_ranks_than_rows(self):
        write_arrow(self.path("one.arrow"), pa.table({"src": [1], "dst": [2]}))
        done = self.run_program(f"{BIN}/sparkgap-degree", self.path("one.arrow"), "--out", self.path("out"), ranks=2)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ranks: expected at most 1 (the rows of edges), found 2.", done.stderr)

    def test_ranks_make_their_folder(self):
        for attempt in range(3):
            done = self.run_program(
                f"{BIN}/sparkgap-rmat", "--scale", "6", "--out", self.path(f"new-{attempt}/deep"), ranks=2
            )
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_missing_mpi(self):
        done = subprocess.run(
            [MPIEXEC, "-n", "2", f"{BIN}/sparkgap-degree", self.path(""), "--out", self.path("out")],
            env=dict(ENVIRONMENT, SPARKGAP_MPI_LIBRARY="/no/such/library.so"),
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertIn(done.returncode, (3, 5))
        write_arrow(self.path("edges.arrow"), pa.table(EDGES))
        done = subprocess.run(
            [MPIEXEC, "-n", "2", f"{BIN}/sparkgap-degree", self.path("edges.arrow"), "--out", self.path("out")],
            env=dict(ENVIRONMENT, SPARKGAP_MPI_LIBRARY="/no/such/library.so"),
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 5)
        self.assertIn("Do pip install mpich", done.stderr)

    def test_killed_rank(self):
        # Long enough to be killed in the middle; the other rank must not stay.
        folder, _ = self.job("rmat", {"scale": 22}, 2, {})
        command = [MPIEXEC, "-n", "2", f"{BIN}/sparkgap-rank", "--job", folder, "--", f"{BIN}/sparkgap-rmat"]
        job = subprocess.Popen(
            command, env=dict(ENVIRONMENT, SPARKGAP_JOB=folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(job.kill)
        deadline = time.monotonic() + 30
        while not os.path.exists(folder + "/progress.jsonl") and time.monotonic() < deadline:
            time.sleep(0.01)
        victims = [int(p) for p in os.listdir("/proc") if p.isdigit() and self.runs(p, "sparkgap-rmat", folder)]
        self.assertEqual(len(victims), 2)
        os.kill(victims[0], signal.SIGKILL)
        self.assertNotEqual(job.wait(timeout=20), 0)
        signals = [self.load(path)["signal"] for path in glob.glob(folder + "/exit-*.json")]
        self.assertIn(signal.SIGKILL, signals)
        while (
            any(os.path.exists(f"/proc/{v}") and self.runs(v, "sparkgap-rmat", folder) for v in victims)
            and time.monotonic() < deadline
        ):
            time.sleep(0.01)
        self.assertFalse([v for v in victims if self.runs(v, "sparkgap-rmat", folder)])
        self.wait_for_guards(folder)

    def runs(self, pid, program, folder):
        try:
            with open(f"/proc/{pid}/cmdline") as line, open(f"/proc/{pid}/environ") as environment:
                return line.read().split("\0")[0].endswith(program) and f"SPARKGAP_JOB={folder}" in environment.read()
        except OSError:
            return False

    @unittest.skipIf(os.environ.get("SPARKGAP_SANITIZE"), "a sanitizer's runtime is not linked in")
    def test_needs_nothing_but_glibc(self):
        for program in glob.glob(f"{BIN}/sparkgap-*[!n]"):
            if os.access(program, os.X_OK):
                needed = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=20).stdout
                for library in ("libstdc++", "libgomp", "libgcc_s", "libmpi", "not found"):
                    self.assertNotIn(library, needed, program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
