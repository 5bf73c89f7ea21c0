# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Programs that are not ours on three hosts of a real Spark cluster: what they find and leave is what it would be on a
file system that all share.
"""

import re
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, installed, wait_for
from faults.programs import MARK, compile_to
from test_cluster import ours
from test_mpi_faults import FORM

import sparkgap
from sparkgap import ArgumentError, DataError, LaunchError, ResourceError, cli

STANDARDISE = ROOT / "examples" / "mpi" / "standardise.py"

# The whole CSV on every host, a share of the lines for each rank; rank 0 writes a .npy of the sum and of the ranks.
SUM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  double x, sum = 0, found[2];
  long id;
  int rank, ranks;
  MPI_Init(&argc, &argv), MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  FILE* in = fopen(argv[1], "r");
  for (long line = 0; fscanf(in, "%ld,%lf", &id, &x) == 2; ++line)
    if (line % ranks == rank) sum += x * (line == id ? 1 : 1e9);
  MPI_Reduce(&sum, found, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    FILE* out = fopen(argv[2], "wb");
    found[1] = ranks;
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fprintf(out, "%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }");
    fwrite(found, sizeof *found, 2, out), fclose(out);
  }
  return MPI_Finalize();
}
"""

SEEN = """
import socket, sys
import pyarrow as pa
from mpi4py import MPI
from sparkgap import program

with program.job() as job:
    points, few = job.input("points"), job.input("few")
    everywhere = MPI.COMM_WORLD.allgather(socket.gethostname())
    job.progress(1, 2)
    job.write(
        "seen",
        pa.table(
            {
                "rank": [job.rank],
                "host": [everywhere[job.rank]],
                "points": [points.num_rows],
                "few": [few.num_rows],
                "words": [str(few.schema.names)],
            }
        ),
    )
"""


@pytest.fixture(scope="module")
def programs(cluster):
    """Installed at the same path on every host."""
    with installed(
        cluster, lambda f: compile_to(f, "sum", SUM), compile_to, lambda f: (f / "seen.py").write_text(SEEN)
    ) as folder:
        yield folder


@pytest.fixture
def far(hosts, cluster):
    """After the test the hosts are as they were."""

    def left():
        return {f for f in ours(cluster) if "/segments/fetched-" not in f}  # which stay for a while

    before = left()
    yield hosts
    wait_for(
        "its processes to end",
        lambda: not any(h.pids(f"{MARK}|seen.py|sparkgap-rank|hydra|mpiexec") for h in cluster.hosts),
    )
    wait_for("its files to go", lambda: left() <= before, found=lambda: left() - before)


def points(spark):
    return spark.range(0, 1000, 1, 6).selectExpr("id", "sqrt(id) x")


def drop(spark, done):
    for table in done.sparkgap.table.split(", "):
        spark.sql(f"DROP TABLE {table}")


@pytest.mark.parametrize("ranks", [None, 1, 5])
def test_a_script_that_knows_us(far, cluster, ranks):
    given = points(far).selectExpr("x", "cast(id as double) id")
    done = sparkgap.mpi.run(
        STANDARDISE,
        inputs={"points": given},
        ranks=ranks,
        threads=1,
        outputs={"scaled": given.schema, "moments": "name string, mean double, deviation double"},
    )
    call = done.sparkgap
    assert (call.ranks, call.threads, call.rows_in, call.rows_out) == (ranks or 3, 1, 1000, 1002)
    assert ("fetch_s" in call.phases) == (ranks == 1)
    assert call.peak_rss_bytes > 0
    values, scaled = np.array(given.collect()), np.array(done.scaled.collect())
    expected = (values - values.mean(axis=0)) / values.std(axis=0)
    np.testing.assert_allclose(scaled[scaled[:, 1].argsort()], expected[values[:, 1].argsort()], atol=1e-12)
    written = Counter(f.partition(":")[0] for f in ours(cluster) if "_scaled." in f)
    assert len(written) == min(ranks or 3, 3), "each host with ranks has its part"
    assert sparkgap.mpi.run("true", inputs={"again": done.scaled}).sparkgap.bytes_copied == 0, (
        "a result is an input where it lies"
    )
    drop(far, done)


def test_ranks_are_where_rows_of_any_input_are(far, programs, cluster):
    few = far.createDataFrame([(1, "a"), (2, "b")], "n bigint, w string").coalesce(1)
    done = sparkgap.mpi.run(
        programs / "seen.py",
        inputs={"points": points(far), "few": few},
        outputs={"seen": "rank int, host string, points bigint, few bigint, words string"},
        threads=1,
    )
    rows = done.seen.orderBy("rank").collect()
    assert sorted(r.host for r in rows) == [h.name for h in cluster.hosts]
    assert sum(r.points for r in rows) == 1000
    assert min(r.points for r in rows) > 0
    assert sorted(r.few for r in rows) == [0, 0, 2]
    assert {r.words for r in rows} == {"['n', 'w']"}
    drop(far, done)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_program_in_c_finds_the_whole_file_on_each_host(far, programs, ranks):
    done = sparkgap.mpi.run(
        programs / "sum",
        ["{inputs.x}", "{outputs.found}"],
        {"x": points(far)},
        {"found": "v double"},
        formats={"x": "csv", "found": "npy"},
        ranks=ranks,
        threads=1,
    )
    assert [r.v for r in done.found.collect()] == pytest.approx([sum(i**0.5 for i in range(1000)), ranks])
    phases = done.sparkgap.phases
    assert {"export_s", "fetch_s", "render_s", "compute_s", "parse_s"} <= set(phases)
    assert (done.sparkgap.ranks, done.sparkgap.rows_in, done.sparkgap.rows_out) == (ranks, 1000, 2)
    drop(far, done)


def test_files_of_all_hosts_in_the_order_of_their_names(far, cluster):
    script = 'echo "$1,$(hostname)" > "$2"; test "$1" != 0 || echo "9,$(cat "$3"/*.arrow | wc -c)" > "$4"'
    done = sparkgap.mpi.run(
        ["sh", "-c", script, "sh", "{rank}", "{outputs.parts}/{rank}.csv", "{inputs.t}", "{outputs.one}"],
        inputs={"t": points(far)},
        outputs={"parts": "rank int, host string", "one": "nine int, bytes bigint"},
        formats={"parts": "csv", "one": "csv"},
        ranks=5,
    )
    rows = done.parts.collect()
    assert [r.rank for r in rows] == list(range(5))
    assert Counter(Counter(r.host for r in rows).values()) == Counter({2: 2, 1: 1})
    assert {r.host for r in rows} == {h.name for h in cluster.hosts}
    assert done.one.first().bytes > 16 * 1000, "the folder of an arrow input that is named holds all of the table"
    drop(far, done)


def test_what_the_program_gets_to_see(far, tmp_path):
    code = (
        "import os, sys; print(sys.argv[1:], os.environ['COLOUR'], os.environ['OMP_NUM_THREADS'], os.getcwd() =="
        " os.environ['SPARKGAP_JOB'], repr(sys.stdin.read()));sys.stdout.write('x' * 1500000 if sys.argv[1] == '2' else"
        " ''); print('last', end='')"
    )
    words = ["{rank}", "{ranks}x{threads}", "$HOME `id` * ;", "{{ranks}}", "{other}", "", "Grüße\n"]
    done = sparkgap.mpi.run(
        [sys.executable, "-c", code, *words], ranks=3, threads=2, env={"COLOUR": "dark red"}, logs=tmp_path
    )
    assert (
        done.printed == "['0', '3x2', '$HOME `id` * ;', '{ranks}', '{other}', '', 'Grüße\\n'] dark red 2 True ''\nlast"
    )
    assert sorted(done.logs) == [0, 1, 2]
    assert Path(done.logs[1]).read_text().startswith("['1', '3x2'")
    long = Path(done.logs[2]).read_text()
    assert (len(long), long[-5:]) == (1 << 20, "xlast")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exit", "exit 3"),
        ("abort", "MPI_Abort with 7"),
        ("segfault", "signal 11 (SIGSEGV)"),
        ("kill", "signal 9 (SIGKILL)"),
    ],
)
def test_an_end_on_another_host(far, programs, cluster, tmp_path, how, said):
    with pytest.raises(LaunchError) as caught:
        sparkgap.mpi.run(
            programs / MARK,
            [how, "2", "/dev/null"],
            {"t": points(far)},
            {"o": "id bigint"},
            formats={"t": "csv", "o": "csv"},
            ranks=3,
            threads=1,
            timeout=60,
            logs=tmp_path,
        )
    first = str(caught.value).splitlines()[0]
    assert FORM.fullmatch(first), first
    host = re.match(rf"rank 2 on host (\S+): expected exit 0, found {re.escape(said)}\. ", first).group(1)
    assert host in {h.name for h in cluster.hosts} | {h.address for h in cluster.hosts}
    assert (caught.value.rank, caught.value.host) == (2, host)
    assert "rank 2 is here" in caught.value.log
    assert first.endswith(f"Its log is in {tmp_path}/rank-2.log.")
    assert "rank 2 is here" in (tmp_path / "rank-2.log").read_text()


def test_a_program_that_never_ends(far, programs):
    for timeout in (3, 12, 48):
        start = time.monotonic()
        with pytest.raises(
            LaunchError, match=rf"timeout_s of {MARK}: expected the job to end within {timeout}\.0 s, found it running"
        ) as caught:
            sparkgap.mpi.run(programs / MARK, ["hang", "-1"], ranks=3, threads=1, timeout=timeout, spark=far)
        assert time.monotonic() - start < timeout + 17
        if "rank 0 is here" in caught.value.log:  # else the deadline came before the program had begun
            return
    pytest.fail(caught.value.log)


def test_a_program_that_one_host_lacks(far, programs, cluster):
    lost = programs / "sum"
    lacking = cluster.host(2)
    (lacking.root / lost.relative_to("/")).rename(lacking.root / "tmp/aside")
    try:
        with pytest.raises(ArgumentError) as caught:
            sparkgap.mpi.run(lost, ["{inputs.x}", "/dev/null"], {"x": points(far)}, formats={"x": "csv"}, ranks=3)
        assert (
            str(caught.value)
            == f"program: expected a program that can be run on host {lacking.address}, found nothing at {lost}. Do"
            " install it at the same path on every host."
        )
    finally:
        (lacking.root / "tmp/aside").rename(lacking.root / lost.relative_to("/"))


def test_outputs_that_are_none(far, cluster):
    def run(script, error=DataError):
        with pytest.raises(error) as caught:
            sparkgap.mpi.run(
                ["sh", "-c", script, "sh", "{rank}", "{outputs.o}"],
                outputs={"o": "id bigint"},
                formats={"o": "csv"},
                ranks=3,
                spark=far,
            )
        assert FORM.fullmatch(str(caught.value)), caught.value
        return str(caught.value)

    said = run("echo forgot it")
    assert said.startswith(
        "outputs.o: expected the file {outputs.o}, o.csv, when all ranks have ended, found none on 10.78."
    )
    assert said.count(", 10.78.") == 2
    assert "(its last line: forgot it)" in said
    assert re.match(
        r"outputs\.o on host 10\.78\.\S+ \(o\.csv line 2, column id\): expected bigint for id, found 'x'\. ",
        run('echo 1 > "$2"; echo x >> "$2"'),
    )
    # A file that another host has too, and that does not count, may be anything.
    done = sparkgap.mpi.run(
        ["sh", "-c", 'test $1 = 0 && echo 7 > "$2" || echo nonsense > "$2"', "sh", "{rank}", "{outputs.o}"],
        outputs={"o": "id bigint"},
        formats={"o": "csv"},
        ranks=3,
        spark=far,
    )
    assert [tuple(r) for r in done.o.collect()] == [(7,)]
    drop(far, done)


def test_a_program_that_fills_another_hosts_memory(far, cluster):
    victim = cluster.host(3)
    size = 1 << 26
    victim.run(f"mount -o remount,size={size} /dev/shm")
    try:
        with pytest.raises(
            ResourceError,
            match=(
                rf"^files of the program at /dev/shm/\S+ on host {re.escape(victim.address)}: expected room for what it"
                r" writes, found a full device"
            ),
        ):
            sparkgap.mpi.run(
                ["sh", "-c", 'test "$(hostname)" != host3 || cat /dev/zero > "$TMPDIR/x"'], ranks=3, spark=far
            )
    finally:
        victim.run("mount -o remount,size=2g /dev/shm")


def test_the_command(far, cluster, capfd):
    """In the session that runs, which is what --master would start."""
    words = [
        "mpirun",
        "--master",
        cluster.master,
        "-n",
        "3",
        "--threads",
        "1",
        "sh",
        "-c",
        'echo "rank $0 on $(hostname)"',
        "{rank}",
    ]
    assert cli.main(words) == 0
    assert re.fullmatch(r"rank 0 on host\d", capfd.readouterr().out.strip())
