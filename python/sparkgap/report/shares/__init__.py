# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""From what happened to where the time went: takes an `Application`, gives shares that add up to its wall time."""
