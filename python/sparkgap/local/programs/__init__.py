# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""A user's program on this host: its files, its arguments, and what it writes as tables. Takes what `mpi.run` was
called with, gives tables of Arrow. docs/mpi-programs.md has the formats.
"""
