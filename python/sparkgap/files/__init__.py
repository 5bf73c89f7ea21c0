# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Files as tables of Arrow or DataFrames and back, by the one rule of docs/files.md."""
