# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What can die while a job runs, struck on purpose: one list of faults, for the tests and for the matrix of
docs/faults.md (`make faults`).

faults.py is the list, scene.py finds who is struck, work.py has the jobs and their right results, left.py looks for
what is left, trial.py strikes, proves that the work ran just then, and judges; programs.py and drivers.py do so for
programs of anybody's and for the driver's own death. matrix.py runs all, rounds.py random ones, page.py writes.
"""

from .faults import FAULTS, Fault, named
from .scene import Scene
from .trial import Outcome, struck, trial
from .work import Work

__all__ = ["FAULTS", "Fault", "Outcome", "Scene", "Work", "named", "struck", "trial"]
