# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Advice to keep cached tables in sparkgap's store, outside the heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import spec
from ...settings import PLUGIN
from ..page.words import percent
from .advice import Advice
from .memory import GC_SHARE, observed, paused

if TYPE_CHECKING:
    from ..application import Application
    from ..report import Report

_SCAN = "InMemoryTableScan"
_OWN = "spark.sparkgap.store.cache"
_CACHE = "spark.sql.cache.serializer"


def store(report: Report) -> Advice | None:
    """Cached tables lie in a heap that is collected much."""
    app = report.application
    stages = [stage for stage in app.stages if any(_SCAN in node for node in stage.plan)]
    if not stages or paused(app) < GC_SHARE or _is_used(app):
        return None
    return Advice(
        "store",
        "Cached tables lie in a heap that is collected much",
        f"{len(stages)} stages read cached tables; collections took {percent(paused(app))} of the time that tasks ran",
        min(observed(report), report.wall_s),
        "bounded: all collections, of which the cached tables cause a part; not what reading them from files gains",
        "Run the job with sparkgap: its cache keeps tables in files that are mapped, outside the heap.",
        _settings(app),
        tuple(sorted({stage.id for stage in stages})),
    )


def _is_used(app: Application) -> bool:
    settings = app.settings
    return _CACHE in settings or (PLUGIN in settings.get("spark.plugins", "") and settings.get(_OWN) != "false")


def _settings(app: Application) -> dict[str, str]:
    """What starts a job with the plug-in of this installation, unless the job has lists of its own for that."""
    if PLUGIN in app.settings.get("spark.plugins", ""):
        return {_OWN: "true"}
    jar = str(spec.JAR.resolve())
    lists = {"spark.plugins": PLUGIN, "spark.jars": jar, "spark.driver.extraClassPath": jar}
    is_free = spec.JAR.is_file() and not any(app.settings.get(key) for key in lists)
    return lists if is_free else {}


RULES = (store,)
