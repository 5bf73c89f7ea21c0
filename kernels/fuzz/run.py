# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Runs all fuzz targets for a time together and says what they did: make fuzz ARGS="--minutes 60".

Each starts from its inputs in corpus/, one in a line, in hexadecimal, and leaves new ones in build/fuzz. The first
lines of what it found, and the input that shows it, are printed; the exit status is then 1. To see one again: --again
TARGET FILE. With --keep the inputs of the last run go into corpus/: of a kernel's target the fewest that reach as much.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "kernels/fuzz/corpus"
NATIVE = ROOT / "build/sanitize-address/fuzz"
JVM = {
    "SegmentFuzz": "org.sparkgap.store.SegmentFuzz",
    "JsonFuzz": "org.sparkgap.store.JsonFuzz",
    "OutputFuzz": "org.sparkgap.spark.formats.OutputFuzz",
}
BYTES = 64  # of an input: five changes at most, because of more nobody can say which one mattered


def jazzer(name):
    """The command of a JVM target: the modules' classes, those of their tests, Spark's jars."""
    folders = [
        f"{ROOT}/{module}/target/{kind}"
        for module in ("store", "launch", "topology", "spark")
        for kind in ("classes", "test-classes")
    ]
    jars = next(ROOT.glob(".venv/lib/python3.*/site-packages/pyspark/jars"))
    local = pathlib.Path.home() / ".m2/repository/com/code-intelligence"
    own = [str(jar) for jar in sorted(local.rglob("*.jar"))]
    opens = [
        f"--add-opens=java.base/{p}=ALL-UNNAMED"
        for p in ("java.lang", "java.nio", "java.util", "sun.nio.ch", "sun.util.calendar", "jdk.internal.ref")
    ]
    return [
        "java",
        "-Xmx1g",
        "-XX:ErrorFile=/dev/null",
        "-XX:-CreateCoredumpOnCrash",
        *opens,
        f"-Dsparkgap.seeds={ROOT}/kernels/fuzz/seeds",
        "-Dsparkgap.fuzz.segments=org.sparkgap.spark.table.SegmentReading",
        "-Dsparkgap.fuzz.reports=org.sparkgap.launch.ReportReading",
        "-cp",
        ":".join([*folders, *own, f"{jars}/*"]),
        "com.code_intelligence.jazzer.Jazzer",
        f"--target_class={JVM[name]}",
        "--instrumentation_includes=org.sparkgap.**",
        "--custom_hook_includes=org.sparkgap.**",
        "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.*",
        "--keep_going=1",
    ]


def program(name):
    return jazzer(name) if name in JVM else [str(NATIVE / name)]


def unpacked(name, folder):
    """The corpus of a target as libFuzzer wants it: a file for each input."""
    there = folder / "corpus"
    there.mkdir()
    packed = CORPUS / f"{name}.txt"
    for number, line in enumerate(packed.read_text().splitlines() if packed.exists() else []):
        (there / f"{number:05}").write_bytes(bytes.fromhex(line))
    return there


def keep(name, out):
    """The corpus and what the last run added, merged. Returns how many inputs that are."""
    given = [out / name / "new", out / name / "corpus"]
    if name not in JVM:
        merged = out / name / "merged"
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir()
        subprocess.run(
            [*program(name), "-merge=1", "-detect_leaks=0", str(merged), *map(str, given)],
            cwd=out / name,
            capture_output=True,
            check=True,
        )
        given = [merged]
    lines = sorted({file.read_bytes().hex() for folder in given for file in folder.iterdir()} - {""})
    CORPUS.mkdir(exist_ok=True)
    (CORPUS / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return len(lines)


def fuzz(name, seconds, out):
    """One target for that long. Returns what it did, and what it found, if it did."""
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "new").mkdir(parents=True)
    command = [
        *program(name),
        f"-max_total_time={seconds}",
        f"-max_len={BYTES}",
        "-len_control=0",
        "-timeout=60",
        "-rss_limit_mb=3000",
        "-detect_leaks=0" if name in JVM else "-detect_leaks=1",
        f"-artifact_prefix={folder}/",
        str(folder / "new"),
        str(unpacked(name, folder)),
    ]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds + 300
        )
        log, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as e:
        log, status = (e.stderr or b"").decode(errors="replace"), "did not end"
    (folder / "log").write_text(log)
    lines = re.findall(r"#(\d+)\s+\S+\s+cov: (\d+) ft: (\d+) corp: (\d+)", log)
    runs = re.findall(r"Done (\d+) runs|number_of_executed_units: (\d+)", log)
    last = lines[-1] if lines else ("0", "0", "0", "0")
    count = max([int(last[0]), *(int(a or b) for a, b in runs)])
    found = [
        line
        for line in log.splitlines()
        if re.search(
            r"ERROR:|runtime error|SUMMARY|== Java Exception|fatal error has been|Uncaught|Assertion|SIGSEGV|deadly",
            line,
        )
    ][:6]
    if status == 0:
        found = []
    elif not found:
        found = [f"status {status}, see {folder}/log"]
    text = (
        f"{name:22} {count:>10} runs {int(last[1]):>7} edges {int(last[2]):>7} features {int(last[3]):>6} inputs"
        f" {time.monotonic() - start:>7.0f} s"
    )
    return text, found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--minutes", type=float, default=2, help="of all targets together")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--again", nargs=2, metavar=("TARGET", "FILE"), help="only run one input")
    options.add_argument("--keep", action="store_true", help="only put the last run's inputs into corpus/")
    options.add_argument("--targets", nargs="*", help="all, unless named")
    options.add_argument("--out", type=pathlib.Path, default=ROOT / "build/fuzz")
    asked = options.parse_args()
    native = sorted(path.name for path in NATIVE.glob("*_fuzz"))
    names = asked.targets or [*JVM, *native]
    if asked.again:
        sys.exit(subprocess.run([*program(asked.again[0]), asked.again[1]]).returncode)
    if asked.keep:
        for name in names:
            print(f"{name:22} {keep(name, asked.out):>6} inputs in {CORPUS.relative_to(ROOT)}", flush=True)
        return
    # The readers of segments take half of it: the others have little to read.
    shares = {name: 4 if name in ("segment_fuzz", "SegmentFuzz") else 1 for name in names}
    unit = asked.minutes * 60 * asked.jobs / sum(shares.values())
    failed = False
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for text, found in pool.map(lambda name: fuzz(name, max(1, round(unit * shares[name])), asked.out), names):
            print(text, *(f"    {line.strip()[:240]}" for line in found), sep="\n", flush=True)
            failed = failed or bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
