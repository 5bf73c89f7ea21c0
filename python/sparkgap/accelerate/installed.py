# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Puts sparkgap's classes where a job looks for Spark's, and sparkgap's settings into the sessions that it makes."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
import time
import types
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import SparkGapError
from ..session import beside, running
from .decisions import NO_KERNEL, in_one_line, keep_quiet, ran, say, say_once

OFF = "SPARKGAP_ACCELERATE"

# What to undo.
_undo: list[Callable[[], None]] = []


def install(*, quiet: bool = False) -> None:
    """Make pyspark.ml's estimators and `graphframes.GraphFrame` native ones, for all that imports them from now on.

    Sessions that are made from now on get sparkgap's plug-in; one that runs without it keeps Spark's own estimators,
    for Spark takes plug-ins only when it starts. In a session that has sparkgap a class without a kernel stays Spark's,
    and so does a fit that cannot run natively.

    Parameters
    ----------
    quiet : bool
        No lines on stderr; `sparkgap.accelerate.report()` has them all the same.

    Raises
    ------
    LaunchError
        pyspark 4.x or NumPy is missing.

    Notes
    -----
    Nothing happens where the environment says SPARKGAP_ACCELERATE=off. The differences between a native and Spark's own
    fit are in docs/ml.md and docs/graphframe.md.

    Examples
    --------
    >>> install(quiet=True)
    >>> from pyspark.ml.clustering import KMeans
    >>> KMeans.__module__
    'sparkgap.accelerate.estimators'
    >>> uninstall()
    """
    keep_quiet(quiet)
    if os.environ.get(OFF, "").lower() == "off":
        say(f"{OFF}=off: everything stays Spark's")
        return
    if _undo:
        return
    from pyspark import SparkContext
    from pyspark.ml.base import Estimator

    from . import estimators

    classes: dict[Any, Any] = {cls._theirs: cls for cls in (getattr(estimators, name) for name in estimators.__all__)}
    if importlib.util.find_spec("graphframes") is not None:
        from . import graphs

        classes[graphs._Theirs] = graphs.GraphFrame
    for theirs, ours in classes.items():
        name, package = theirs.__name__, theirs.__module__.partition(".")[0]
        for module in [m for n, m in list(sys.modules.items()) if n.partition(".")[0] == package]:
            if vars(module).get(name) is theirs:
                _undo.append(_shown_instead(module, name, ours))
    _undo.append(_replaced(Estimator, "fit", _with_lines))
    _undo.append(_replaced(SparkContext, "__init__", _with_settings))
    spark = running()
    if spark is not None and (why := estimators.why_not(spark)) is not None:
        say(f"estimators stay Spark's until spark.stop() and a new session: {why}")
    kept = sorted(name for name, value in vars(sys.modules["__main__"]).items() if _is_one_of(value, classes))
    if kept:
        say(f"imported before, and stays Spark's: {', '.join(kept)}. Do import again")


def uninstall() -> None:
    """Put everything back. Objects that were made natively stay what they are.

    Examples
    --------
    >>> uninstall()
    """
    while _undo:
        _undo.pop()()


def _is_one_of(value: Any, classes: Mapping[type, type]) -> bool:
    return isinstance(value, type) and value in classes


def _shown_instead(module: types.ModuleType, name: str, ours: type) -> Callable[[], None]:
    """Give whoever asks the module for a name another class.

    The module's own functions still find theirs, because they look into its dictionary: they say
    `super(KMeans, self)`, which has to stay Spark's KMeans.
    """
    before = module.__class__
    module.__class__ = type(before.__name__, (before,), {name: property(lambda _: ours)})

    def undo() -> None:
        module.__class__ = before

    return undo


def _replaced(cls: type, name: str, made: Callable[[Any], Any]) -> Callable[[], None]:
    before = vars(cls)[name]
    setattr(cls, name, made(before))
    return lambda: setattr(cls, name, before)


def _with_lines(fit: Any) -> Any:
    """`Estimator.fit`, which says what has no kernel."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import OneVsRest
    from pyspark.ml.tuning import CrossValidator, TrainValidationSplit

    made_of_others = (Pipeline, OneVsRest, CrossValidator, TrainValidationSplit)

    @functools.wraps(fit)
    def with_line(self: Any, dataset: Any, params: Any = None) -> Any:
        begin = time.monotonic()
        made = fit(self, dataset, params)
        name = type(self).__name__
        if type(self).__module__.startswith("pyspark.ml.") and not isinstance(self, made_of_others):
            before = not isinstance(params, (list, tuple))  # these come here again, one by one
            if before:
                ran(name, time.monotonic() - begin, native=False, why=NO_KERNEL)
        return made

    return with_line


def _with_settings(init: Any) -> Any:
    """`SparkContext.__init__`, through which every classic session goes; what the job has set wins."""
    signature = inspect.signature(init)

    @functools.wraps(init)
    def with_settings(self: Any, *given: Any, **named: Any) -> None:
        from pyspark import SparkConf, SparkContext

        arguments = signature.bind(self, *given, **named).arguments
        said = dict((arguments.get("conf") or SparkConf()).getAll())
        if arguments.get("master"):
            said["spark.master"] = arguments["master"]
        if SparkContext._active_spark_context is None and arguments.get("gateway") is None:
            try:
                settings = beside(said)
                # A new one: that of the job may be an object of the JVM that `beside` has left.
                arguments["conf"] = SparkConf().setAll(list(settings.items()))
            except SparkGapError as e:
                say_once(f"everything stays Spark's: {in_one_line(e)}")
        init(**arguments)

    return with_settings
