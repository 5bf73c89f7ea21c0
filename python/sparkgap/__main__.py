# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""`python -m sparkgap` is the command `sparkgap`."""

from .cli import entry

entry()
