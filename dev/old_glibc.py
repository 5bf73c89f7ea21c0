# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Makes what programs are linked against to run on every Linux: the symbols of an old glibc, without any code.

    python dev/old_glibc.py FOLDER [--arch aarch64]

Zig knows which symbols each glibc had and makes libraries of them, of which a linked program only keeps the names. So a
symbol that is younger is an error of the linker here, and not one of the loader at a user's. The compiler stays GCC.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import ziglang

GLIBC = "2.28"  # as the wheel's tag says (python/wheel_contents.py)
LIBRARIES = ("libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1")


def link_line(arch: str, cache: Path) -> list[str]:
    """The words by which zig links a program, which name all that it has made in the cache."""
    (cache / "main.c").write_text("int main(void) { return 0; }\n")
    zig = Path(ziglang.__file__).with_name("zig")
    words = [zig, "cc", "-target", f"{arch}-linux-gnu.{GLIBC}", "-pie", "-fPIE", "-fno-sanitize=all", "-v", "main.c"]
    environ = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, cwd=cache, env=environ, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:]
        sys.exit(f"build: expected zig to link a program, found {last}. Do install dev/requirements.txt again.")
    return [line for line in done.stderr.splitlines() if line.startswith("ld.lld")][-1].split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", default=platform.machine(), choices=("x86_64", "aarch64"))
    given = parser.parse_args()
    given.folder.parent.mkdir(parents=True, exist_ok=True)
    # Aside and renamed: in place of a file that is missing, GCC would take this machine's own without a word.
    with tempfile.TemporaryDirectory(dir=given.folder.parent) as scratch:
        cache, made = Path(scratch, "cache"), Path(scratch, "made")
        cache.mkdir()
        made.mkdir()
        wanted = {*LIBRARIES, "Scrt1.o", "libc_nonshared.a"}
        for file in map(Path, link_line(given.arch, cache)):
            if file.name in wanted:
                shutil.copy(cache / file, made)
                wanted.remove(file.name)
        if wanted:
            names = ", ".join(sorted(wanted))
            sys.exit(f"build: expected zig to make {names}, found none. Do install dev/requirements.txt again.")
        for library in LIBRARIES:
            name = library.split(".so")[0] + ".so"
            (made / name).write_text(f"INPUT({library}{' libc_nonshared.a' if name == 'libc.so' else ''})\n")
        for name in ("crti.o", "crtn.o"):  # GCC names them, and they hold nothing any more
            compiler = "gcc" if given.arch == platform.machine() else f"{given.arch}-linux-gnu-gcc-12"
            subprocess.run([compiler, "-x", "c", "-c", "/dev/null", "-o", made / name], check=True, timeout=60)
        shutil.rmtree(given.folder, ignore_errors=True)
        made.rename(given.folder)


if __name__ == "__main__":
    main()
