# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One jar and one package on every Spark 4, every Java and every Python that they are for."""
