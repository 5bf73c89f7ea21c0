# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Two sets of runs beside each other: takes reports, gives differences with intervals."""
