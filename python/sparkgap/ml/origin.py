# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What a kernel that learns starts from: a DataFrame of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..call import call
from ..errors import ArgumentError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Engine = Literal["native", "spark"]

# The arguments of `call` that a kernel's function hands on as they are.
_OPTIONS = ("engine", "ranks", "threads", "timeout_s", "result", "progress")


def call_on(kernel: str, given: Mapping[str, Any], family: str = "ml") -> DataFrame:
    """Call a kernel with the arguments of its Python function, that is the function's `locals()`: `data` is a
    DataFrame.

    Raises
    ------
    ArgumentError
        `data` is something else.
    """
    own = {name: value for name, value in given.items() if name not in _OPTIONS and name != "data"}
    data = given["data"]
    if not hasattr(data, "sparkSession"):
        raise ArgumentError.of("data", "a DataFrame", type(data).__name__, "Read or create one.")
    return call(
        kernel, family, {"data": data}, own, spark=data.sparkSession, **{name: given[name] for name in _OPTIONS}
    )
