# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes what programs are linked against to run on every Linux: the symbols of an old glibc, without any code.

    python dev/old_glibc.py FOLDER [--arch aarch64] [--glibc 2.28]

Zig knows which symbols each glibc had and makes libraries of them, of which a linked program only keeps the names. So a
symbol that is younger is an error of the linker here, and not one of the loader at a user's. The compiler stays GCC.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import ziglang

# Whatever uses all libraries; nothing of it is kept.
PROGRAM = "int main(void) { return 0; }\n"
LIBRARIES = ("libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1")


def link_line(arch: str, glibc: str, cache: Path) -> list[str]:
    """The words by which zig links a program, which name all that it has made in the cache."""
    (cache / "main.c").write_text(PROGRAM)
    zig = Path(ziglang.__file__).with_name("zig")
    words = [zig, "cc", "-target", f"{arch}-linux-gnu.{glibc}", "-pie", "-fPIE", "-fno-sanitize=all", "-v", "main.c"]
    environ = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, cwd=cache, env=environ, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"old_glibc: expected zig to link a program, found: {done.stderr.strip().splitlines()[-1]}")
    return [line for line in done.stderr.splitlines() if line.startswith("ld.lld")][-1].split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default=platform.machine(), choices=("x86_64", "aarch64"))
    parser.add_argument("--glibc", default="2.28")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cache = Path(scratch)
        wanted = re.compile(rf"/({'|'.join(map(re.escape, LIBRARIES))}|Scrt1\.o|libc_nonshared\.a|ld\.so\.2)$")
        files = [cache / word for word in link_line(given.arch, given.glibc, cache) if wanted.search(word)]
        shutil.rmtree(given.folder, ignore_errors=True)
        given.folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, given.folder)
    missing = {*LIBRARIES, "Scrt1.o", "libc_nonshared.a"} - {file.name for file in given.folder.iterdir()}
    if missing:
        sys.exit(f"old_glibc: expected zig to make {', '.join(sorted(missing))}, found none. Is it another zig?")
    for library in LIBRARIES:
        name = library.split(".so")[0] + ".so"
        text = f"INPUT({library}{' libc_nonshared.a' if name == 'libc.so' else ''})"
        (given.folder / name).write_text(text + "\n")
    for name in ("crti.o", "crtn.o"):  # GCC names them, and they hold nothing any more
        compiler = "gcc" if given.arch == platform.machine() else f"{given.arch}-linux-gnu-gcc"
        subprocess.run([compiler, "-x", "c", "-c", "/dev/null", "-o", given.folder / name], check=True, timeout=60)


if __name__ == "__main__":
    main()
