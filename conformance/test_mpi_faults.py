# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How programs that are not ours may end: each time one exception with rank, host and cause, nothing left behind, and
the session goes on.
"""

import os
import re
import signal
import threading

import pytest
from conftest import CONF, PATIENCE, wait_for
from faults import programs
from faults.programs import MARK

import sparkgap
from sparkgap import ArgumentError, DataError, LaunchError, processes

FORM = re.compile(r"[^:]+: expected .*, found .*\. .+")
pytestmark = pytest.mark.parametrize("spark", ["classic"], indirect=True)


@pytest.fixture(scope="session")
def faulty(tmp_path_factory):
    return programs.compile_to(tmp_path_factory.mktemp("faulty"))


@pytest.fixture
def untouched(spark, store):
    """After the test the store, the shared memory and the processes are as they were, and a call works."""
    files, shared = store.files(), shared_memory()
    yield
    wait_for("its processes to end", lambda: not living())
    assert store.files() == files
    new = shared_memory() - shared  # another process of tests has some too, as long as its ranks live
    wait_for("its shared memory to go", lambda: not new & shared_memory(), found=lambda: new & shared_memory())
    assert (
        sparkgap.mpi.run(
            "cp",
            ["{inputs.t}", "{outputs.o}"],
            {"t": spark.range(3)},
            {"o": "id bigint"},
            formats={"t": "csv", "o": "csv"},
        ).o.count()
        == 3
    )


def living():
    return [
        p for p in processes.tree() if MARK in p.command() or p.name in ("mpiexec", "hydra_pmi_proxy", "sparkgap-rank")
    ]


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if name.startswith(("mpich_shm_", "ucx_shm_posix_"))}


def fails(spark, *words, ranks=2, timeout=60, error=LaunchError, **options):
    with pytest.raises(error) as caught:
        sparkgap.mpi.run(
            *words,
            inputs={"t": spark.range(100)},
            outputs={"o": "id bigint"},
            formats={"t": "csv", "o": "csv"},
            ranks=ranks,
            timeout=timeout,
            **options,
        )
    assert FORM.fullmatch(str(caught.value).splitlines()[0]), str(caught.value)
    return caught.value


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(("how", "said", "number"), programs.ENDS)
def test_an_end_that_is_none_of_success(spark, untouched, faulty, how, said, number, ranks):
    error = fails(spark, faulty, [how, str(ranks - 1)], ranks=ranks)
    said = "MPI_Abort with 7" if how == "abort" and ranks > 1 else said
    assert (
        f"rank {ranks - 1} on host {error.host}: expected exit 0, found {said}. Do look at the log lines below and run"
        " again." in str(error)
    )
    assert (error.rank, error.signal) == (ranks - 1, number), error
    assert error.host
    assert f"rank {ranks - 1} is here" in error.log


def test_a_rank_that_leaves_without_finalize(spark, untouched, faulty):
    error = fails(spark, faulty, ["return", "1"], timeout=5)
    assert "expected" in str(error) and ("rank" in str(error) or "timeout_s" in str(error))


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_program_that_never_ends(spark, untouched, faulty, ranks):
    for timeout in (2, 8, 32, 128):
        error = fails(spark, faulty, ["hang", "-1"], ranks=ranks, timeout=timeout)
        assert f"timeout_s of {MARK}: expected the job to end within {timeout}.0 s, found it running" in str(error)
        if "rank 0 is here" in error.log:  # else the deadline came before the program had begun
            return
    pytest.fail(error.log)


@pytest.mark.parametrize("victim", ["rank", "mpiexec", "hydra_pmi_proxy"])
def test_a_kill_from_outside(spark, store, untouched, faulty, victim):
    caught = []

    def call():
        try:
            sparkgap.mpi.run(faulty, ["hang", "-1"], ranks=2, timeout=60, spark=spark)
        except LaunchError as e:
            caught.append(e)

    thread = threading.Thread(target=call)
    thread.start()
    # What they print comes after MPI_Init: then all is there that can be struck, and none of them ends by itself.
    wait_for(
        "two ranks that have begun",
        lambda: sum("is here" in log.read_text() for log in store.path.glob("*/jobs/*/rank-*.log")) == 2,
    )
    ranks = [p for p in processes.tree() if p.name == MARK[:15]]
    assert len(ranks) == 2
    target = ranks[-1] if victim == "rank" else next(p for p in processes.tree() if p.name == victim)
    os.kill(target.pid, signal.SIGKILL)
    thread.join(30 * PATIENCE)
    assert not thread.is_alive()
    assert FORM.fullmatch(str(caught[0]).splitlines()[0])
    if victim == "rank":
        assert caught[0].signal == signal.SIGKILL


def test_no_such_program(spark, untouched, tmp_path):
    assert f"found nothing at {tmp_path}/none." in str(fails(spark, tmp_path / "none", error=ArgumentError))
    assert "found no 'no-such-program' in PATH." in str(fails(spark, "no-such-program", error=ArgumentError))
    (tmp_path / "text").write_text("no program\n")
    assert f"found {tmp_path}/text, which may not be executed. Do chmod +x" in str(
        fails(spark, tmp_path / "text", error=ArgumentError)
    )
    (tmp_path / "text").write_bytes(b"\x7fELF of no machine")
    (tmp_path / "text").chmod(0o700)
    assert "expected exit 0, found exit 127" in str(fails(spark, tmp_path / "text"))


def test_no_output(spark, untouched):
    error = fails(spark, ["sh", "-c", "echo forgot it"], error=DataError)
    assert str(error).startswith(
        "outputs.o: expected the file {outputs.o}, o.csv, when all ranks have ended, found none (its last line: forgot"
        " it)."
    )


def test_an_exception_in_python_on_one_rank(spark, untouched, tmp_path):
    (tmp_path / f"{MARK}.py").write_text(
        "from mpi4py import MPI\nif MPI.COMM_WORLD.rank == 1: raise ValueError('of rank 1')\nMPI.COMM_WORLD.barrier()\n"
    )
    error = fails(spark, tmp_path / f"{MARK}.py")
    assert error.rank == 1
    assert "ValueError: of rank 1" in error.log


def test_the_newest_files_of_a_failed_call_are_gone_but_its_logs_stay_where_they_were_asked_for(
    spark, untouched, faulty, tmp_path
):
    fails(spark, faulty, ["exit", "1"], logs=tmp_path)
    assert (tmp_path / "rank-1.log").read_text() == "rank 1 is here\n"


def test_a_program_that_fills_the_store(spark, tmp_path):
    """With a file system of 8 MB as memory tier: needs root or user namespaces to mount one."""
    calls, last = programs.fill_the_store(tmp_path, CONF)
    for kind, text, clean, _ in calls:
        assert kind == "ResourceError"
        assert FORM.fullmatch(text), text
        assert clean, text
    assert last == "10"
