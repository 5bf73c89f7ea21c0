# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""How a run is started: what factors change, and what its processes get to know as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_STORE = 0.5  # of an instance's memory beside the heap


@dataclass
class Start:
    """One run. The factors of its levels have set what is not as it was made."""

    workload: str
    data: float = 1.0  # times the study's size
    instances: int = 1
    is_alone: bool = False  # one of the instances runs, with its part of processors and memory
    engine: str = "spark"
    iterations: int | None = None  # None: the workload's own number
    cpus: list[int] = field(default_factory=list)  # that its processes may run on, all together
    executors: tuple[int, int] | None = None  # and cores of each; None: all of Spark in one process
    heap_bytes: int = 1 << 30
    heap_share: float | None = None  # of an instance's part of the budget, in place of heap_bytes
    budget_bytes: int | None = None  # of all instances, with their page cache
    java: list[str] = field(default_factory=list)  # options of the JVMs with tasks
    settings: dict[str, str] = field(default_factory=dict)
    has_sparkgap: bool = False
    is_cold: bool = False
    is_warm: bool = False
    fault: str = "none"
    tables: str = "files"

    @property
    def started(self) -> int:
        """Applications that run."""
        return 1 if self.is_alone else self.instances

    def limit_bytes(self) -> int | None:
        """Of all that run together."""
        return None if self.budget_bytes is None else self.budget_bytes * self.started // self.instances

    def heap_of_instance(self) -> int:
        """Bytes."""
        if self.heap_share is None or self.budget_bytes is None:
            return self.heap_bytes
        return int(self.heap_share * self.budget_bytes / self.instances)

    def master(self) -> str:
        """In the words of Spark."""
        threads = max(1, len(self.cpus) // self.instances)
        if self.executors is None:
            return f"local[{threads}]"
        number, cores = self.executors
        return f"local-cluster[{number},{cores},{self.heap_of_instance() // number >> 20}]"

    def spark_settings(self) -> dict[str, str]:
        """All that Spark is told."""
        heap = self.heap_of_instance()
        found = {
            "spark.master": self.master(),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "localhost",
            "spark.driver.memory": f"{heap >> 20}m",
            "spark.driver.extraJavaOptions": " ".join(self.java),
        }
        if self.executors is not None:
            found["spark.executor.memory"] = f"{heap // self.executors[0] >> 20}m"
            found["spark.executor.extraJavaOptions"] = " ".join(self.java)
        if self.has_sparkgap and self.budget_bytes is not None:
            # The store's shared memory cannot be taken back, as a page cache can: the rest of its tables is on disk.
            rest = self.budget_bytes // self.instances - heap
            found["spark.sparkgap.store.memoryBytes"] = str(max(0, int(_STORE * rest)))
        return {**found, **self.settings}

    def as_json(self) -> dict[str, Any]:
        """What its processes need to know."""
        return {
            "workload": self.workload,
            "engine": self.engine,
            "iterations": self.iterations,
            "has_sparkgap": self.has_sparkgap,
            "fault": self.fault,
            "tables": self.tables,
            "settings": self.spark_settings(),
        }
