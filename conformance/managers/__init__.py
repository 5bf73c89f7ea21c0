# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The same work under each of Spark's cluster managers."""
