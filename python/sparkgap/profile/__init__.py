# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Runs an unchanged Spark application with collectors on: takes a command, gives a folder for `sparkgap report`."""
