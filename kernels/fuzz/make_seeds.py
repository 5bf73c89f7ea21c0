# Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
"""Makes seeds/: small valid Arrow files, and beside each a list of its fields, which the fuzz targets change one by
one.

Run by hand when a seed is to change: python kernels/fuzz/make_seeds.py build/native/bin
A line of <seed>.fields is: position in the file, bytes, name. Fields are all numbers of the footer and of the batches'
messages, those by which flatbuffers find their parts among them, and of the batches' bodies the offsets and the first
bytes of validity bits.
"""

import datetime
import decimal
import os
import subprocess
import sys
import tempfile

import pyarrow as pa

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")

# Tables of Arrow's Message.fbs, Schema.fbs and File.fbs: their slots in order, each a scalar's bytes or what it refers
# to.
TYPES = {
    1: (),
    2: (4, 1),
    3: (2,),
    4: (),
    5: (),
    6: (),
    7: (4, 4, 4),
    8: (2,),
    10: (2, "text"),
    12: (),
    13: (),
    14: (2, 4),
    15: (4,),
    16: (4,),
    17: (1,),
    9: (2, 4),
    11: (2,),
    18: (2,),
    20: (),
    21: (),
}
PAIR = ("text", "text")
FIELD = ("text", 1, "type", "union", "dictionary", ["field"], ["pair"])
SCHEMA = (2, ["field"], ["pair"])
BLOCK, NODE, BUFFER = (
    ((0, 8, "offset"), (8, 4, "metadata"), (16, 8, "body")),
    ((0, 8, "length"), (8, 8, "nulls")),
    ((0, 8, "offset"), (8, 8, "length")),
)
FOOTER = (2, "schema", [BLOCK], [BLOCK])
BATCH = (8, [NODE], [BUFFER], "compression")
MESSAGE = (2, "type", "batch", 8)
SIZES = {BLOCK: 24, NODE: 16, BUFFER: 16}


class Fields:
    """The fields of one file, found by walking what pyarrow or a kernel wrote."""

    def __init__(self, data):
        self.data, self.found, self.blocks, self.buffers, self.nodes = data, [], [], [], []

    def number(self, at, size, name, signed=True):
        self.found.append((at, size, name))
        return int.from_bytes(self.data[at : at + size], "little", signed=signed)

    def table(self, at, slots, name, kind=None):
        at += self.number(at, 4, name + ".offset")
        vtable = at - self.number(at, 4, name + ".vtable")
        size = self.number(vtable, 2, name + ".vtable.bytes")
        self.number(vtable + 2, 2, name + ".table.bytes")
        union = 0
        for i, slot in enumerate(slots):
            if 4 + 2 * i >= size:
                break
            place = self.number(vtable + 4 + 2 * i, 2, f"{name}.slot{i}")
            if place == 0:
                continue
            place += at
            inner = f"{name}.{i}"
            if slot == "type":
                union = self.number(place, 1, inner + ".type")
            elif isinstance(slot, int):
                self.number(place, slot, inner)
            elif slot == "text":
                self.number(place + self.number(place, 4, inner), 4, inner + ".length")
            elif slot == "union":
                self.table(place, TYPES[union], inner)
            elif slot == "schema":
                self.table(place, SCHEMA, inner)
            elif slot == "batch":
                self.table(place, BATCH, inner)
            elif isinstance(slot, list):
                self.vector(place, slot[0], inner)

    def vector(self, at, item, name):
        at += self.number(at, 4, name + ".offset")
        count = self.number(at, 4, name + ".count")
        for i in range(count):
            if item == "field":
                self.table(at + 4 + 4 * i, FIELD, f"{name}[{i}]")
            elif item == "pair":
                self.table(at + 4 + 4 * i, PAIR, f"{name}[{i}]")
            elif item in SIZES:
                first = at + 4 + SIZES[item] * i
                values = [self.number(first + place, size, f"{name}[{i}].{word}") for place, size, word in item]
                {BLOCK: self.blocks, NODE: self.nodes, BUFFER: self.buffers}[item].append(values)

    def walk(self):
        end = len(self.data)
        footer = end - 10 - self.number(end - 10, 4, "footer.bytes")
        self.blocks = []
        self.table(footer, FOOTER, "footer")
        for b, (offset, metadata, _) in enumerate(self.blocks):
            self.number(offset, 4, f"batch{b}.mark")
            self.number(offset + 4, 4, f"batch{b}.bytes")
            self.buffers, self.nodes = [], []
            self.table(offset + 8, MESSAGE, f"batch{b}")
            for i, (first, length) in enumerate(self.buffers):
                for k in range(0, min(length, 24), 4):
                    self.number(offset + metadata + first + k, 4, f"batch{b}.body[{i}]+{k}")
        return self.found


def save(name, data):
    with open(os.path.join(HERE, name + ".arrow"), "wb") as file:
        file.write(data)
    with open(os.path.join(HERE, name + ".fields"), "w") as file:
        file.writelines(f"{at} {size} {field}\n" for at, size, field in Fields(data).walk())


def arrow(table, chunk):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=chunk)
    return sink.getvalue().to_pybytes()


def column(values, kind):
    return pa.array(values, kind)


def main(bin_folder):
    os.makedirs(HERE, exist_ok=True)
    day, time = datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4, 5)
    flat = pa.table(
        {
            "flag": column([True, None, False, True, None], pa.bool_()),
            "tiny": column([1, -2, None, 3, 4], pa.int8()),
            "small": column([1, 2, 3, 4, 5], pa.int16()),
            "int": column([1, None, 3, -4, 5], pa.int32()),
            "id": column([7, 2**40, -3, None, 5], pa.int64()),
            "single": column([0.5, None, 2, 3, 4], pa.float32()),
            "weight": column([1, 2, 3, 4, None], pa.float64()),
            "price": column(
                [decimal.Decimal("1.25"), None, decimal.Decimal("-3.50"), None, None], pa.decimal128(10, 2)
            ),
            "day": column([day, None, day, day, day], pa.date32()),
            "at": column([time, None, time, time, time], pa.timestamp("us", "UTC")),
            "ntz": column([time, time, None, time, time], pa.timestamp("us")),
            "name": column(["a", None, "", "bcd", "é"], pa.string()),
            "raw": column([b"\0", b"", None, b"\xff\xfe", b"x"], pa.binary()),
        }
    )
    save("flat", arrow(flat, 3))
    nested = pa.table(
        {
            "id": column([1, 2, 3, 4], pa.int64()),
            "ints": column([[1, None], [], None, [3]], pa.list_(pa.int32())),
            "pair": column(
                [{"a": 1, "b": "x"}, None, {"a": None, "b": ""}, {"a": 4, "b": "yz"}],
                pa.struct([("a", pa.int64()), ("b", pa.string())]),
            ),
            "points": column(
                [[{"x": 0.5, "tag": b"t"}], None, [], [{"x": 1.5, "tag": None}] * 2],
                pa.list_(pa.struct([("x", pa.float64()), ("tag", pa.binary())])),
            ),
            "grid": column([[[1, 2], None], [], None, [[3]]], pa.list_(pa.list_(pa.int16()))),
        }
    )
    save("nested", arrow(nested, 2))
    edges = pa.table({"src": [1, 2, 3, 1], "dst": [2, 3, 1, 4], "weight": [0.5, 1.0, 2.0, 4.0]})
    save("edges", arrow(edges, 2))
    save("empty", arrow(pa.table({"src": column([], pa.int64()), "dst": column([], pa.string())}), 2))
    save("texts", arrow(pa.table({"name": ["a", "", "bcd", "é"]}, metadata={"key": "value"}), 2))
    others = pa.table(
        {
            "id": column([1, 2], pa.int64()),
            "wide": column([1, 2], pa.uint64()),
            "long": column(["a", "b"], pa.large_string()),
            "none": column([None, None], pa.null()),
            "fixed": column([b"ab", None], pa.binary(2)),
            "pairs": column([[1, 2], None], pa.list_(pa.int32(), 2)),
            "map": column([[("a", 1)], []], pa.map_(pa.string(), pa.int32())),
            "half": column([None, 1], pa.float16()),
            "union": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["x", "y"])]),
            "dense": pa.UnionArray.from_dense(
                pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["y"])]
            ),
            "time": column([1, 2], pa.time64("us")),
            "span": column([1, 2], pa.duration("s")),
            "millis": column([1, 2], pa.timestamp("ms", "UTC")),
            "name": column(["a", None], pa.string()),
        }
    )
    save("others", arrow(others, 2))
    with tempfile.TemporaryDirectory() as scratch:
        with open(scratch + "/edges.arrow", "wb") as file:
            file.write(arrow(edges, 2))
        for kernel, names in (
            ("degree", {"rank-00000-0": "degrees"}),
            ("build", {"rank-00000-0": "graph", "in-00000": "graph.in", "out-00000": "graph.out"}),
        ):
            weight = ["--weight", "weight"] if kernel == "build" else []
            subprocess.run(
                [f"{bin_folder}/sparkgap-{kernel}", scratch + "/edges.arrow", "--out", f"{scratch}/{kernel}", *weight],
                check=True,
                stdout=subprocess.PIPE,
            )
            for file_name, seed in names.items():
                with open(f"{scratch}/{kernel}/{file_name}.arrow", "rb") as file:
                    save(seed, file.read())


if __name__ == "__main__":
    main(sys.argv[1])
