# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How programs of anybody's end badly: a C program with MPI that does it on a rank that it is told, and one that fills
the store.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from sparkgap import environment

MARK = "mpi_fault_of_a_test"
# How, what is said of it where there is one rank, and the signal.
ENDS = [
    ("exit", "exit 3", None),
    ("abort", "exit 7", None),
    ("segfault", "signal 11 (SIGSEGV)", signal.SIGSEGV),
    ("kill", "signal 9 (SIGKILL)", signal.SIGKILL),
]

# Arguments: how to end, the rank that does, and a file that it makes just before; with that one the others wait for
# ever, and see nothing of it.
SOURCE = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d is here\\n", rank);
  fflush(stdout);
  if (rank == atoi(argv[2])) {
    if (argc > 3) fclose(fopen(argv[3], "w"));
    if (!strcmp(argv[1], "exit")) exit(3);
    if (!strcmp(argv[1], "abort")) MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(argv[1], "segfault")) raise(SIGSEGV);
    if (!strcmp(argv[1], "kill")) raise(SIGKILL);
    if (!strcmp(argv[1], "return")) return 0;
  }
  if (!strcmp(argv[1], "hang") || argc > 3) pause();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""

FULL = """
import os, sys, time, sparkgap

s = sparkgap.session("local[1]", conf={**eval(sys.argv[2]), "spark.sparkgap.store.dir": sys.argv[1]})
files = lambda: sorted(f for _, _, names in os.walk(sys.argv[1]) for f in names if "lock" not in f)
before = files()


def fails(*words, **options):
    start = time.monotonic()
    try:
        sparkgap.mpi.run(*words, **options)
    except sparkgap.SparkGapError as e:
        print(
            type(e).__name__,
            "|",
            str(e).splitlines()[0],
            "|",
            files() == before,
            "|",
            time.monotonic() - start,
            flush=True,
        )


for words in (["head", "-c", "100000000", "/dev/zero"], ["sh", "-c", "cat /dev/zero > $TMPDIR/x"]):
    fails(["sh", "-c", '"$@" > "$0"', "{outputs.o}", *words], outputs={"o": "b tinyint"}, formats={"o": "raw"})
fails("true", inputs={"t": s.range(10**7)}, formats={"t": "csv"})
print(sparkgap.mpi.run("wc", ["-l", "{inputs.t}"], inputs={"t": s.range(10)}, formats={"t": "csv"}).printed.split()[0])
"""


def compile_to(folder, name=MARK, source=SOURCE):
    """The program of that name there, compiled from C."""
    (folder / f"{name}.c").write_text(source)
    subprocess.run(
        [Path(environment.mpiexec()).parent / "mpicc", folder / f"{name}.c", "-o", folder / name],
        check=True,
        timeout=60,
    )
    return folder / name


def fill_the_store(folder, conf):
    """Three calls whose output, temporary files or input find no room in a file system of 8 MB, then one that does:
    (kind, text, clean, seconds) of each, the last's output.

    Needs root or user namespaces to mount one.
    """
    memory = folder / "memory"
    memory.mkdir(mode=0o700)
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    mount = 'mount -t tmpfs -o size=8m,mode=700 none $0 && exec "$@"'
    words = [*unshare, "sh", "-c", mount, str(memory), sys.executable, "-c", FULL, str(memory), repr(conf)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200)
    lines = done.stdout.splitlines()
    if len(lines) != 4:
        raise RuntimeError(done.stdout + done.stderr[-2000:])
    calls = [line.split(" | ") for line in lines[:3]]
    return [(kind, text, clean == "True", float(seconds)) for kind, text, clean, seconds in calls], lines[3]
