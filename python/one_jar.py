# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes dist/sparkgap-spark_2.13-VERSION.jar: sparkgap.jar with the programs and the MPI that it starts inside, so that
a Spark needs nothing else. Beside it lies its POM, for `mvn install:install-file` and repositories.

`--native ARCHITECTURE=FOLDER=MPI` adds another architecture: its programs, and a wheel of mpich for it.
"""

import argparse
import hashlib
import importlib.metadata
import platform
import re
import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JAR = ROOT / "build" / "jars" / "sparkgap.jar"
INSIDE = "sparkgap/native"  # CarriedPrograms.ROOT
SPARK_OLDEST = "4.0.0"
TIME = (2026, 1, 1, 0, 0, 0)  # the same jar from the same files

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.sparkgap</groupId>
  <artifactId>sparkgap-spark_2.13</artifactId>
  <version>{version}</version>
  <name>sparkgap</name>
  <description>Native MPI + OpenMP kernels on Spark DataFrames, with their programs and the MPI</description>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0</url>
    </license>
  </licenses>
  <developers>
    <developer>
      <name>the sparkgap authors</name>
    </developer>
  </developers>
  <dependencies>
    <dependency>
      <groupId>org.apache.spark</groupId>
      <artifactId>spark-sql_2.13</artifactId>
      <version>{spark}</version>
      <scope>provided</scope>
    </dependency>
    <dependency>
      <groupId>org.apache.spark</groupId>
      <artifactId>spark-mllib_2.13</artifactId>
      <version>{spark}</version>
      <scope>provided</scope>
    </dependency>
  </dependencies>
</project>
"""


def programs(folder):
    """{path in the jar: (file, whether it runs)} of a folder with kernels."""
    found = sorted(Path(folder).glob("sparkgap-*"))
    if not any(file.name == "sparkgap-rank" for file in found):
        sys.exit(f"one_jar: expected programs in {folder}, found no sparkgap-rank. Run make first.")
    return {file.name: (file.read_bytes(), file.suffix != ".json") for file in found}


def mpi(wheel=None):
    """The same of the launcher, its proxy, the library and its licences: of the mpich package here, or of a wheel."""
    if wheel is None:
        package = importlib.metadata.distribution("mpich")
        read = {str(f): Path(str(package.locate_file(f))).read_bytes for f in package.files or []}
    else:
        archive = zipfile.ZipFile(wheel)
        read = {name: (lambda name=name: archive.read(name)) for name in archive.namelist()}
    found = {}
    for name, content in read.items():
        # "../../../bin/mpiexec" where it is installed, "mpich-5.0.2.data/data/bin/mpiexec" in the wheel.
        place = re.sub(r"^(\.\./)+|^mpich-[^/]*\.data/(data|purelib|platlib)/", "", name).removeprefix("lib/")
        if place in ("bin/mpiexec", "bin/hydra_pmi_proxy"):
            found[f"mpi/{place}"] = (content(), True)
        elif place == "libmpi_abi.so.1" or place.startswith("mpich/"):
            found[f"mpi/lib/{place}"] = (content(), False)
        elif "/licenses/" in place:
            found[f"mpi/{Path(place).name}"] = (content(), False)
    lacking = {"mpi/bin/mpiexec", "mpi/bin/hydra_pmi_proxy", "mpi/lib/libmpi_abi.so.1"} - set(found)
    if lacking:
        sys.exit(f"one_jar: expected {', '.join(sorted(lacking))} of mpich, found none. Do pip install mpich==5.0.2.")
    return found


def index(files):
    """What CarriedPrograms checks: SHA-256, x or -, bytes, path, a line each."""
    return "".join(
        f"{hashlib.sha256(content).hexdigest()} {'x' if runs else '-'} {len(content)} {path}\n"
        for path, (content, runs) in sorted(files.items())
    )


def write(jar, target, architectures):
    """`jar` with what each architecture has, as `target`, written aside and renamed.

    Parameters
    ----------
    architectures : dict
        By what `uname -m` says: programs() | mpi().
    """
    aside = target.with_suffix(".part")
    shutil.copyfile(jar, aside)
    with zipfile.ZipFile(aside, "a", zipfile.ZIP_DEFLATED) as archive:
        for architecture, files in sorted(architectures.items()):
            for path, content in [("index", index(files).encode()), *((p, c) for p, (c, _) in sorted(files.items()))]:
                info = zipfile.ZipInfo(f"{INSIDE}/{architecture}/{path}", TIME)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, content)
    aside.rename(target)


def main(words=None):
    parser = argparse.ArgumentParser(prog="python python/one_jar.py", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="its folder (dist)")
    parser.add_argument("--native", action="append", default=[], metavar="ARCHITECTURE=FOLDER=MPI")
    args = parser.parse_args(words)
    version = (ROOT / "VERSION").read_text(encoding="ascii").strip()
    here = {platform.machine(): programs(ROOT / "build" / "native" / "bin") | mpi()}
    for word in args.native:
        architecture, folder, wheel = word.split("=")
        here[architecture] = programs(folder) | mpi(wheel)
    args.out.mkdir(parents=True, exist_ok=True)
    target = args.out / f"sparkgap-spark_2.13-{version}.jar"
    write(JAR, target, here)
    target.with_suffix(".pom").write_text(POM.format(version=version, spark=SPARK_OLDEST))
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
