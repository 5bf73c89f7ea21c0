# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""One long session of many small calls and caches, whose driver, executor, store and messages are looked at all the
while: nothing may only grow.

session.py starts it, work.py is what it does, sample.py looks, curve.py draws and judges. `make soak` runs the long
form.
"""

from .curve import judge, table
from .sample import Watch
from .session import session
from .work import soak

__all__ = ["Watch", "judge", "session", "soak", "table"]
