# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""From numbers to one page of HTML that needs nothing else."""
