# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Spark on a batch system: takes an allocation, measures it, gives a running Spark whose settings fit it."""

from .slurm import Cluster, slurm

__all__ = ["Cluster", "slurm"]
