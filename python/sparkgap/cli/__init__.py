# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The command line: `app.py` puts the verbs together, each of which has a file of its name."""

from __future__ import annotations

from .app import entry, main

__all__ = ["entry", "main"]
