# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Inputs of workloads, made of a seed: the same bytes each time, as many as asked for, without Spark."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_SEED = 20170817
_BLOCK = 1 << 26  # bytes of a file
_VOCABULARY, _WORDS_OF_A_LINE = 10_000, 12
_MOST_FREQUENT = "the"
_LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
_CLASSES, _DIMENSIONS, _RECORD = 5, 20, 100
_EDGE, _DEGREE, _ENTRY = 16, 16, 32
_WHOLE = "_WHOLE"


def make(kind: str, n_bytes: int, folder: Path) -> Path:
    """An input of that kind, in files of a new folder below `folder`, or where it is from before."""
    place = folder / f"{kind}-{n_bytes}"
    if (place / _WHOLE).exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for number, (size, write) in enumerate(_blocks(KINDS[kind], n_bytes)):
        write(place / f"part-{number:05}", size, np.random.default_rng([_SEED, number]), n_bytes)
    (place / _WHOLE).touch()  # Spark passes over names with an underscore
    return place


def _blocks(write: Callable[..., None], n_bytes: int) -> Iterator[tuple[int, Callable[..., None]]]:
    for begin in range(0, n_bytes, _BLOCK):
        yield min(_BLOCK, n_bytes - begin), write


def _words(draw: Any) -> Any:
    """A vocabulary; it is the same in all files, for `draw` is of its own seed."""
    letters = np.array(list(_LETTERS))
    made = ("".join(draw.choice(letters, draw.integers(3, 11))) for _ in range(_VOCABULARY - 1))
    return np.array([_MOST_FREQUENT, *made])


def _zipf(n: int, power: float = 1.0) -> Any:
    share = 1 / np.arange(1, n + 1) ** power
    return share / share.sum()


def _text(file: Path, size: int, draw: Any, total: int) -> None:
    """Lines of words that are as frequent as Zipf's law says (G. K. Zipf, 1949)."""
    words = _words(np.random.default_rng(_SEED))
    lines = _lines(words, _zipf(_VOCABULARY), size, draw)
    _cut(file, "\n".join(" ".join(line) for line in lines), size)


def _reviews(file: Path, size: int, draw: Any, total: int) -> None:
    """A class, a tab, and words as Zipf's law says, whose order is another one in each class."""
    words, parts = _words(np.random.default_rng(_SEED)), []
    for label in range(_CLASSES):
        own = np.random.default_rng([_SEED, label]).permutation(words)
        found = _lines(own, _zipf(_VOCABULARY), size // _CLASSES, draw)
        parts += [f"{label}\t{' '.join(line)}" for line in found]
    draw.shuffle(parts)
    _cut(file, "\n".join(parts), size)


def _lines(words: Any, shares: Any, size: int, draw: Any) -> list[list[str]]:
    """A little more than `size` bytes of lines."""
    length = float(np.char.str_len(words) @ shares) + 1
    n = int(size / (length * _WORDS_OF_A_LINE) * 1.02) + 1
    found: list[list[str]] = words[draw.choice(len(words), (n, _WORDS_OF_A_LINE), p=shares)].tolist()
    return found


def _cut(file: Path, text: str, size: int) -> None:
    file.write_bytes(text.encode()[: size - 1] + b"\n")


def _records(file: Path, size: int, draw: Any, total: int) -> None:
    """Lines of 100 bytes with a random key in front, as TeraSort's are but of letters."""
    n = max(1, size // _RECORD)
    keys = draw.integers(ord("A"), ord("Z") + 1, (n, 10), dtype=np.uint8)
    rest = np.full((n, _RECORD - 10), ord("x"), np.uint8)
    rest[:, -1] = ord("\n")
    file.write_bytes(np.hstack([keys, rest]).tobytes())


def _vectors(file: Path, size: int, draw: Any, total: int) -> None:
    """Dense vectors around eight centres, with a label of two classes; `size` counts their doubles."""
    import pyarrow as pa

    n = max(2, size // (8 * (_DIMENSIONS + 1)))
    centres = np.random.default_rng(_SEED).normal(0, 3, (8, _DIMENSIONS))
    values = centres[draw.integers(0, 8, n)] + draw.normal(0, 1, (n, _DIMENSIONS))
    noisy = values @ np.linspace(-1, 1, _DIMENSIONS) + draw.normal(0, 1, n)
    features = pa.ListArray.from_arrays(np.arange(0, values.size + 1, _DIMENSIONS, dtype=np.int32), values.ravel())
    _write_table(pa.table({"features": features, "label": (noisy > 0).astype(float)}), file)


def _edges(file: Path, size: int, draw: Any, total: int) -> None:
    """`size` counts two longs of each edge."""
    _write_table(_rmat(max(1, size // _EDGE), _scale(total // _EDGE), draw), file)


def _edgelist(file: Path, size: int, draw: Any, total: int) -> None:
    """The same as lines of text, for which half of the greatest number has a number's usual digits."""
    from pyarrow import csv

    scale = _scale(total // _EDGE)
    n = max(1, size // (2 * len(str(1 << (scale - 1))) + 2))
    csv.write_csv(_rmat(n, scale, draw), file, csv.WriteOptions(include_header=False, delimiter=" "))


def _scale(n_edges: int) -> int:
    """Of a graph with 16 edges for each of its 2^scale vertices."""
    return max(1, round(math.log2(max(2, n_edges / _DEGREE))))


def _rmat(n: int, scale: int, draw: Any) -> Any:
    """R-MAT with the shares of Graph500, 0.57, 0.19, 0.19, 0.05 (D. Chakrabarti et al., SDM 2004); vertices are
    numbered at random.
    """
    import pyarrow as pa

    src, dst = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for _ in range(scale):
        place = draw.choice(4, n, p=(0.57, 0.19, 0.19, 0.05))
        src, dst = 2 * src + (place >> 1), 2 * dst + (place & 1)
    names = np.random.default_rng(_SEED).permutation(1 << scale)
    return pa.table({"src": names[src], "dst": names[dst]})


def _tensor(file: Path, size: int, draw: Any, total: int) -> None:
    """Entries (i, j, k, value) whose keys are as frequent as Zipf's law says, with values from 1 to 5 as of ratings.
    The three modes have 4, 2 and 1 keys for each 256 entries; `size` counts three longs and a double of each.
    """
    import pyarrow as pa

    n, whole = max(1, size // _ENTRY), max(256, total // _ENTRY)
    keys = {name: whole * of // 256 for name, of in (("i", 4), ("j", 2), ("k", 1))}
    columns = {name: draw.choice(many, n, p=_zipf(many)) for name, many in keys.items()}
    _write_table(pa.table({**columns, "value": draw.integers(1, 6, n).astype(float)}), file)


def _write_table(table: Any, file: Path) -> None:
    import pyarrow.parquet as pq

    aside = file.with_name(f"_{file.name}")
    pq.write_table(table, aside, compression="none", use_dictionary=False, row_group_size=1 << 16)
    os.replace(aside, file.with_name(f"{file.name}.parquet"))


KINDS: dict[str, Callable[..., None]] = {
    "text": _text,
    "reviews": _reviews,
    "records": _records,
    "vectors": _vectors,
    "edges": _edges,
    "edgelist": _edgelist,
    "tensor": _tensor,
}
