# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Native kernels for jobs that nobody edits: pyspark.ml's estimators and `graphframes` become sparkgap's.

In a shell `python -m sparkgap.accelerate app.py` instead of `python app.py`, or `sparkgap-submit app.py` instead of
`spark-submit app.py`; in a notebook `sparkgap.install()`. What has a kernel runs on it, all else stays Spark's, and a
line on stderr says which, and why. `SPARKGAP_ACCELERATE=off` in the environment leaves everything to Spark.
"""

from __future__ import annotations

from .decisions import Decision, Report, report
from .installed import install, uninstall

__all__ = ["Decision", "Report", "install", "report", "uninstall"]
