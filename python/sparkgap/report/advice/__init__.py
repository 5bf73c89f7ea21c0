# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What to change, from a user's own numbers: takes a report, gives advice with evidence and its gain at most."""
