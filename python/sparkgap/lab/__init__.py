# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The lab: studies of Spark as files, run on any machine, with their findings beside the published ones.

A study (`study`) says which workloads run with which levels of which factors (`factors`, `design`). Each run is an
application of its own (`instance`, `workloads`), whose report becomes a row of a table (`row`, `results`); figures and
findings are worked out from the table alone (`measures`, `findings`, `page`).
"""

from __future__ import annotations

from ..environment import missing

try:
    import jinja2 as _jinja2  # noqa: F401
    import msgspec as _msgspec  # noqa: F401
    import numpy as _numpy  # noqa: F401
except ImportError as e:
    raise missing(e, "sparkgap.lab", install="'sparkgap[lab]'") from None
