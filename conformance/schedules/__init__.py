# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Random schedules of two applications whose threads build, write, drop, publish, read and cancel under the same few
names.

steps.py makes a schedule of a seed and says what each version of a table holds, application.py runs one application's
part, oracle.py judges what everybody saw, run.py holds the two applications and the store. `make schedules` runs many.
"""

from .oracle import judge
from .run import Pair
from .steps import schedule

__all__ = ["Pair", "judge", "schedule"]
