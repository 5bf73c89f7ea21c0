# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The store as files: what lies in it, whose it is, what may go. By store/FORMAT.md alone, without Spark."""
