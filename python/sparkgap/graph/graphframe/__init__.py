# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""GraphFrames' class on native kernels, with what it alone needs. Everything here imports pyspark."""

from __future__ import annotations

from .graphframe import GraphFrame

__all__ = ["GraphFrame"]
