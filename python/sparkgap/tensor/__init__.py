# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors on native ranks."""

from __future__ import annotations

from .decomposition import cpd

__all__ = ["cpd"]
