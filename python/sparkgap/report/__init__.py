# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a Spark application went, from its event log: `sparkgap.report.load(path)`. Needs no Spark and no
Java; `pip install sparkgap[report]`.

>>> from sparkgap import report
>>> found = report.load("eventlog_v2_app-20261126")  # doctest: +SKIP
>>> found.stages.sort_by([("wall_s", "descending")]).slice(0, 5)  # doctest: +SKIP
>>> assert found.share("gc") < 0.2  # doctest: +SKIP
"""

from ..environment import missing

try:
    import jinja2  # noqa: F401
    import msgspec  # noqa: F401
    import numpy  # noqa: F401
    import zstandard  # noqa: F401
except ModuleNotFoundError as e:
    raise missing(e, "sparkgap.report", install="'sparkgap[report]'") from None

from .advice.advice import Advice
from .compare.comparison import Comparison, compare
from .report import Report, load

__all__ = ["Advice", "Comparison", "Report", "compare", "load"]
