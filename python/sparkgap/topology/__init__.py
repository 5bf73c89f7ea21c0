# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The machine, as hwloc sees it: read, drawn, and split into shares."""
