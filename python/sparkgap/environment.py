# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What this machine has of the things sparkgap stands on: Java, Spark, MPI, cores and memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .errors import LaunchError
from .profile import control_group

JAVA_OLDEST, JAVA_NEWEST = 17, 25
INSTALL_JAVA = "Run 'apt-get install openjdk-17-jre-headless' or set JAVA_HOME."
INSTALL_PYSPARK = "Run: pip install 'pyspark>=4.0,<5'."
INSTALL_NUMPY = "Run: pip install numpy."
INSTALL_CONNECT = "Run: pip install 'pyspark[connect]'."
INSTALL_MPICH = "Run: pip install mpich==5.0.2."

_RUN_TIMEOUT_S = 20
_JAVA_TMP = Path("/tmp")  # Java does not look at TMPDIR


def own_version() -> str:
    """The version of this package; of a source tree that is not installed the one that it says."""
    import importlib.metadata

    try:
        return importlib.metadata.version("sparkgap")
    except importlib.metadata.PackageNotFoundError:
        said = Path(__file__).resolve().parent.parent.parent / "VERSION"
        return said.read_text(encoding="ascii").strip() if said.is_file() else "0+source"


def java() -> str:
    """The `java` that Spark will start: that of JAVA_HOME, else the first on PATH.

    Raises
    ------
    LaunchError
        There is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        program = Path(home) / "bin" / "java"
        if os.access(program, os.X_OK):
            return str(program)
        raise LaunchError.of("JAVA_HOME", "a folder with bin/java", home, INSTALL_JAVA)
    found = shutil.which("java")
    if found is None:
        raise LaunchError.of(
            "java", f"Java {JAVA_OLDEST} to {JAVA_NEWEST} in JAVA_HOME or on PATH", "none", INSTALL_JAVA
        )
    return found


def java_version() -> int:
    """The major version of `java()`.

    Raises
    ------
    LaunchError
        There is no Java, it does not run, or it is not one that Spark 4 supports.
    """
    program = java()
    done = _run([program, "-version"])
    said = re.search(r'version "(\d+)(?:\.(\d+))?', done)
    if said is None:
        raise LaunchError.of("java", f"'{program} -version' to print a version", repr(done[:80]), INSTALL_JAVA)
    major = int(said.group(2)) if said.group(1) == "1" and said.group(2) else int(said.group(1))
    if not JAVA_OLDEST <= major <= JAVA_NEWEST:
        raise LaunchError.of("java", f"Java {JAVA_OLDEST} to {JAVA_NEWEST}", f"Java {major} at {program}", INSTALL_JAVA)
    return major


def pyspark_version() -> str:
    """The version of the pyspark beside us.

    Raises
    ------
    LaunchError
        There is none, or not a 4.x.
    """
    try:
        import pyspark
    except ImportError:
        raise LaunchError.of("pyspark", "pyspark 4.x", "none", INSTALL_PYSPARK) from None
    version = str(pyspark.__version__)
    if not version.startswith("4."):
        raise LaunchError.of("pyspark", "pyspark 4.x", version, INSTALL_PYSPARK)
    return version


def missing(error: ImportError, what: str, *, install: str | None = None) -> LaunchError:
    """The error for a package that something of ours stands on and that this Python lacks; `install` is what brings it,
    where it is not the package alone.

    Examples
    --------
    >>> str(missing(ModuleNotFoundError("x", name="numpy"), "pyspark.ml"))
    'pyspark.ml: expected the package numpy, found none in this Python. Run: pip install numpy.'
    """
    name = (error.name or "").partition(".")[0]
    if not name:
        return LaunchError.of(
            what, "packages that can be imported", str(error), "Install them anew, or run 'sparkgap doctor'."
        )
    if name in ("pyspark", "py4j"):
        return LaunchError.of(what, f"the package {name}", "none in this Python", INSTALL_PYSPARK)
    return LaunchError.of(what, f"the package {name}", "none in this Python", f"Run: pip install {install or name}.")


def mpiexec() -> str | None:
    """`mpiexec` of the mpich wheel, else beside this Python, else the first on PATH, else None."""
    import importlib.metadata

    places = []
    try:
        files = importlib.metadata.files("mpich") or []
        places += [Path(str(f.locate())) for f in files if f.name == "mpiexec"]
    except importlib.metadata.PackageNotFoundError:
        pass
    places.append(Path(sys.prefix) / "bin" / "mpiexec")
    for place in places:
        if os.access(place, os.X_OK):
            return str(place.resolve().parent / place.name)
    return shutil.which("mpiexec")


def mpiexec_version(program: str) -> str:
    """What `mpiexec --version` calls itself.

    Raises
    ------
    LaunchError
        It does not run.
    """
    lines = [line.strip() for line in _run([program, "--version"]).splitlines() if line.strip()]
    version = next((re.sub(r"\s+", " ", line) for line in lines if line.lower().startswith("version")), "")
    return version or (lines[0] if lines else "unknown version")


def cores() -> int:
    """The CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def memory_bytes() -> int:
    """The memory that this process may use: the machine's, or the cgroup's limit where that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            limit = Path(place).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if limit.isdigit():
            total = min(total, int(limit))
    return total


def available_bytes() -> int:
    """The memory that is free for more: what Linux can give without swapping, less where control groups allow less.
    Pages of files that stand on disk count as free.
    """
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    in_groups = control_group.free_memory()
    return free if in_groups is None else min(free, in_groups)


def store_dir() -> Path:
    """Where the store is when a session says nothing: as `spark-defaults.conf` says, else in memory."""
    said = spark_default("spark.sparkgap.store.dir")
    shm = Path("/dev/shm")
    return Path(said) if said else (shm if shm.is_dir() else _JAVA_TMP) / f"sparkgap-{os.getuid()}"


def huge_pages(folder: Path) -> tuple[Path, str] | None:
    """The mount point of the memory file system that a folder lies in, and for which files it takes huge pages: its
    option `huge`.

    Returns
    -------
    (Path, str) or None
        "never", "always", "within_size" or "advise"; None where the folder lies on no memory file system.
    """
    mounts: list[tuple[int, Path, str, str]] = []
    for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        before, _, behind = line.partition(" - ")
        kind, _, options = behind.split(" ", 2)
        place = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), before.split(" ")[4]))
        if folder.resolve().is_relative_to(place):
            option = re.search(r"\bhuge=(\w+)", options)
            mounts.append((len(place.parts), place, kind, option[1] if option else "never"))
    # Of mounts at one place the last one is seen; where the root is none, as in a change of root, there may be none at
    # all.
    _, (_, place, kind, huge) = max(
        enumerate(mounts), key=lambda at: (at[1][0], at[0]), default=(0, (0, folder, "", ""))
    )
    return (place, huge) if kind == "tmpfs" else None


def disk_dir() -> Path:
    """Where the disk tier's store is when a session says nothing: in the first of Spark's local folders."""
    said = spark_default("spark.sparkgap.store.diskDir")
    local = next((d.strip() for d in spark_default("spark.local.dir").split(",") if d.strip()), _JAVA_TMP)
    return Path(said) if said else Path(local) / f"sparkgap-{os.getuid()}.disk"


def lock_dir() -> Path:
    """Where executors and drivers lock the processors that they bind tasks and ranks to, when a session says
    nothing.
    """
    said = spark_default("spark.sparkgap.topology.lockDir")
    shm = Path("/dev/shm")
    return Path(said) if said else (shm if shm.is_dir() else _JAVA_TMP) / "sparkgap-cpus"


def spark_default(key: str, file: str | None = None) -> str:
    """What a file of settings sets a key to, by default `spark-defaults.conf` in SPARK_CONF_DIR, else in
    SPARK_HOME/conf; empty where it does not.
    """
    if file is None:
        home = os.environ.get("SPARK_HOME")
        folder = os.environ.get("SPARK_CONF_DIR") or (os.path.join(home, "conf") if home else None)
        if folder is None:
            return ""
        file = os.path.join(folder, "spark-defaults.conf")
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    pairs = (
        re.split(r"\s*[=:\s]\s*", line.strip(), maxsplit=1)
        for line in lines
        if not line.lstrip().startswith(("#", "!"))
    )
    return {pair[0]: pair[-1].strip() for pair in pairs if len(pair) == 2}.get(key, "")


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_RUN_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        raise LaunchError.of(Path(command[0]).name, "a program that runs", str(e), "Install it again.") from None
    return done.stdout
