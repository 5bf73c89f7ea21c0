# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Changed Arrow files, read by pyarrow and by the kernels' reader: what ours takes has the values that pyarrow finds,
or pyarrow cannot say.

python kernels/fuzz/differential.py [--files 2000] [--seed 1]
Where pyarrow refuses and ours does not, the file is counted: its full validation asks more (valid UTF-8, decimals
within their precision).
"""

import argparse
import datetime
import decimal
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import pyarrow as pa

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ROOT / "kernels/fuzz/seeds"
EDGES = [
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    63,
    64,
    127,
    255,
    2**15,
    2**16 - 1,
    2**31 - 1,
    -(2**31),
    2**32,
    2**40,
    2**61,
    2**62 - 1,
    2**62,
    2**63 - 8,
    2**63 - 1,
    -(2**63),
    -8,
]


def changed(name, rng):
    data = bytearray((SEEDS / f"{name}.arrow").read_bytes())
    fields = [line.split(" ", 2) for line in (SEEDS / f"{name}.fields").read_text().splitlines()]
    # Values rather than structure, half of the time: else next to nothing is read.
    bodies = [f for f in fields if ".body[" in f[2] or f[2].endswith((".nulls", ".length"))]
    for _ in range(rng.randint(1, 3)):
        at, size, _ = rng.choice(bodies if bodies and rng.random() < 0.5 else fields)
        at, size = int(at), int(size)
        before = int.from_bytes(data[at : at + size], "little")
        value = rng.choice([rng.choice(EDGES), before + rng.randint(-3, 3), rng.getrandbits(64)]) % 2 ** (8 * size)
        data[at : at + size] = value.to_bytes(size, "little")
    return bytes(data)


def plain(array):
    """The values of an array as segment_values prints them."""
    kind = array.type
    if pa.types.is_floating(kind):
        bits = array.view(pa.uint32() if kind == pa.float32() else pa.uint64())
        return bits.to_pylist()
    if pa.types.is_timestamp(kind) or pa.types.is_date32(kind):
        return array.view(pa.int32() if pa.types.is_date32(kind) else pa.int64()).to_pylist()
    if pa.types.is_decimal128(kind):
        raw = array.buffers()[1].to_pybytes()
        whole = [list(struct.unpack_from("<QQ", raw, 16 * (array.offset + i))) for i in range(len(array))]
        return [None if null else value for value, null in zip(whole, array.is_null().to_pylist(), strict=True)]
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return [None if v is None else list(v) for v in array.cast(pa.binary()).to_pylist()]
    if pa.types.is_list(kind):
        values, offsets = plain(array.values), array.offsets.to_pylist()
        return [
            None if null else values[offsets[i] : offsets[i + 1]] for i, null in enumerate(array.is_null().to_pylist())
        ]
    if pa.types.is_struct(kind):
        fields = [plain(array.field(i)) for i in range(kind.num_fields)]
        return [None if null else [f[i] for f in fields] for i, null in enumerate(array.is_null().to_pylist())]
    return array.to_pylist()


def of_pyarrow(path):
    """Its values by column, or None where it refuses the file or a value."""
    try:
        reader = pa.ipc.open_file(pa.OSFile(str(path)))
        batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        for batch in batches:
            batch.validate(full=True)
        return {str(c): [value for b in batches for value in plain(b.column(c))] for c in range(len(reader.schema))}
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        OverflowError,
        MemoryError,
        decimal.DecimalException,
        UnicodeDecodeError,
        NotImplementedError,
        IndexError,
        TypeError,
        KeyError,
    ):  # KeyError: of a type that Arrow knows and pyarrow does not
        return None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--files", type=int, default=2000)
    options.add_argument("--seed", type=int, default=int(datetime.datetime.now().timestamp()))
    options.add_argument("--reader", default=str(ROOT / "build/sanitize-address/fuzz/segment_values"))
    asked = options.parse_args()
    rng = random.Random(asked.seed)
    names = ["flat", "nested", "edges", "degrees", "texts"]
    count = {"both read": 0, "both refused": 0, "ours refused": 0, "pyarrow refused": 0, "different": 0}
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, asked.files, 200):
            paths = []
            for i in range(first, min(first + 200, asked.files)):
                paths.append(pathlib.Path(folder) / f"{i}.arrow")
                paths[-1].write_bytes(changed(rng.choice(names), rng))
            done = subprocess.run([asked.reader, *map(str, paths)], capture_output=True, text=True)
            lines = done.stdout.splitlines()
            if done.returncode != 0 or len(lines) != len(paths):
                sys.exit(
                    f"differential: seed {asked.seed}, file {first + len(lines)}: the reader ended with"
                    f" {done.returncode}\n{done.stderr[-3000:]}"
                )
            for path, line in zip(paths, lines, strict=True):
                ours, theirs = json.loads(line), of_pyarrow(path)
                sound = ours is not None and "unsound" not in ours.values()
                if not sound or theirs is None:
                    count[
                        (
                            "both refused"
                            if not sound and theirs is None
                            else "pyarrow refused"
                            if sound
                            else "ours refused"
                        )
                    ] += 1
                elif all(ours[c] == theirs.get(c) for c in ours):
                    count["both read"] += 1
                else:
                    count["different"] += 1
                    kept = ROOT / "build" / f"different-{path.name}"
                    kept.write_bytes(path.read_bytes())
                    print(f"{kept}: the kernels' reader and pyarrow find different values")
                path.unlink()
    print(f"{asked.files} files, seed {asked.seed}: " + ", ".join(f"{n} {what}" for what, n in count.items()))
    sys.exit(count["different"] > 0)


if __name__ == "__main__":
    main()
