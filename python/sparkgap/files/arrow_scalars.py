# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Scalars of Arrow that are made of bytes. To make one of a Python value, pyarrow imports pandas where there is one,
which takes longer than a small file.
"""

from __future__ import annotations

import struct
from functools import cache

import pyarrow as pa


@cache
def integer(value: int) -> pa.Scalar:
    """
    Examples
    --------
    >>> integer(-7)
    <pyarrow.Int64Scalar: -7>
    """
    return pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(struct.pack("=q", value))])[0]


@cache
def string(value: str) -> pa.Scalar:
    """
    Examples
    --------
    >>> string("a,b").as_py()
    'a,b'
    """
    data = value.encode()
    return pa.StringArray.from_buffers(1, pa.py_buffer(struct.pack("=ii", 0, len(data))), pa.py_buffer(data))[0]
