# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a log that is plain or in one of the forms in which Spark compresses: zstd, lz4, snappy, lzf.

What a form is, its first bytes say; names may lie. A file that ends in the middle gives what is whole before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

_CHUNK = 1 << 20
_LZ4_HEAD = 21  # magic, token, two lengths, checksum
_LZ4_RAW = 0x10
_SNAPPY_HEAD = 16
_MOST_BLOCK = 1 << 28


class Cut(Exception):
    """The file ends, or is damaged, in the middle; what was whole has been given."""


def chunks(path: Path) -> Iterator[bytes]:
    """The unpacked bytes of a file, a part at a time.

    Raises
    ------
    Cut
        At its end, where that came too early.
    OSError
        It cannot be read.
    """
    with open(path, "rb") as file:
        head = file.read(8)
        file.seek(0)
        form = next((read for magic, read in _FORMS if head.startswith(magic)), _plain)
        yield from form(file)


def _plain(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _zstd(file: IO[bytes]) -> Iterator[bytes]:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
        try:
            while chunk := stream.read(_CHUNK):
                yield chunk
        except zstandard.ZstdError as e:
            raise Cut(str(e)) from None


def _lz4(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks of lz4-java's stream, which is not lz4's own frame."""
    import pyarrow as pa

    codec = pa.Codec("lz4_raw")
    while head := file.read(_LZ4_HEAD):
        packed, unpacked = (int.from_bytes(head[i : i + 4], "little") for i in (9, 13))
        if len(head) < _LZ4_HEAD or head[:8] != b"LZ4Block" or max(packed, unpacked) > _MOST_BLOCK:
            raise Cut("no whole block of lz4")
        data = file.read(packed)
        if len(data) < packed:
            raise Cut("half a block of lz4")
        if unpacked:
            yield data if head[8] & 0xF0 == _LZ4_RAW else _unpacked(codec, data, unpacked)


def _snappy(file: IO[bytes]) -> Iterator[bytes]:
    """Blocks of snappy-java's stream: a length each, and the block."""
    import pyarrow as pa

    codec = pa.Codec("snappy")
    file.seek(_SNAPPY_HEAD)
    while head := file.read(4):
        packed = int.from_bytes(head, "big")
        if head[:4] == b"\x82SNA":  # the head of a stream that was appended
            file.seek(_SNAPPY_HEAD - 4, 1)
            continue
        data = file.read(packed) if len(head) == 4 and packed <= _MOST_BLOCK else b""
        if len(head) < 4 or len(data) < packed or not packed:
            raise Cut("half a block of snappy")
        yield _unpacked(codec, data, _varint(data))


def _unpacked(codec: object, data: bytes, size: int) -> bytes:
    try:
        if size > _MOST_BLOCK:
            raise OSError("a block too large")
        return bytes(codec.decompress(data, size, asbytes=True))  # type: ignore[attr-defined]
    except OSError as e:
        raise Cut(str(e)) from None


def _varint(data: bytes) -> int:
    value = shift = 0
    for byte in data[:5]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value


def _lzf(file: IO[bytes]) -> Iterator[bytes]:
    """Chunks of compress-lzf: `ZV`, a type, lengths."""
    while head := file.read(5):
        packed = int.from_bytes(head[3:5], "big")
        if len(head) < 5 or head[:2] != b"ZV":
            raise Cut("no whole chunk of lzf")
        size = file.read(2) if head[2] == 1 else b""
        data = file.read(packed)
        if len(data) < packed:
            raise Cut("half a chunk of lzf")
        yield _lzf_unpacked(data, int.from_bytes(size, "big")) if head[2] == 1 else data


def _lzf_unpacked(data: bytes, size: int) -> bytes:
    """Runs of literals, and copies of what came before (LibLZF's format)."""
    out, at = bytearray(), 0
    try:
        while at < len(data):
            control = data[at]
            at += 1
            if control < 32:
                out += data[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += data[at]
                at += 1
            begin = len(out) - ((control & 0x1F) << 8) - data[at] - 1
            at += 1
            if begin < 0:
                raise Cut("a chunk of lzf that copies from before its begin")
            for i in range(begin, begin + length + 2):
                out.append(out[i])
    except IndexError:
        raise Cut("a chunk of lzf that ends early") from None
    if len(out) != size:
        raise Cut("a chunk of lzf of another length than it says")
    return bytes(out)


_FORMS: tuple[tuple[bytes, Callable[[IO[bytes]], Iterator[bytes]]], ...] = (
    (b"\x28\xb5\x2f\xfd", _zstd),
    (b"LZ4Block", _lz4),
    (b"\x82SNAPPY\0", _snappy),
    (b"ZV", _lzf),
)
