# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""sparkgap's estimators as unchanged jobs need them: where one cannot run natively Spark's own does, and that is said.

They have the names of pyspark.ml's, which they stand for (installed.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql.utils import is_remote

from ..call import Call
from ..door import require_plugin
from ..errors import SparkGapError
from ..ml import classification, clustering, regression
from ..session import running
from .decisions import ends_all, in_one_line, ran

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["LDA", "KMeans", "LinearRegression", "LogisticRegression", "NaiveBayes"]


class Accelerated:
    """Mixed in before one of sparkgap's estimators."""

    _theirs: ClassVar[Any]
    _jvm_class: ClassVar[str]
    _sparks_own: Callable[[], str | None]
    _java_obj: Any
    _why_sparks: str | None = None

    def __init__(self, *given: Any, **named: Any) -> None:
        spark = running()
        self._why_sparks = None if spark is None and is_remote() else why_not(spark)
        if self._why_sparks is None:
            super().__init__(*given, **named)
        else:
            self._theirs.__init__(self, *given, **named)

    def explainParams(self) -> str:
        """Spark's own, which are those that jobs know."""
        known = (param for param in self.params if hasattr(self._theirs, param.name))  # type: ignore[attr-defined]
        return "\n".join(map(self.explainParam, known))  # type: ignore[attr-defined]

    def _fit(self, dataset: DataFrame) -> Any:
        why = self._why_sparks or self._sparks_own()
        if why is None and is_remote():
            why = why_not(dataset.sparkSession)
        if why is None:
            self._be(self._jvm_class)
            try:
                return super()._fit(dataset)  # type: ignore[misc]
            except SparkGapError as e:
                if ends_all(e):
                    raise
                why = in_one_line(e)
        theirs, begin = self.copy(), time.monotonic()  # type: ignore[attr-defined]
        module = self._theirs.__module__.partition(".")[2]
        theirs._be(f"org.apache.spark.{module}.{self._theirs.__name__}")
        model = self._theirs._fit(theirs, dataset)
        ran(self._theirs.__name__, time.monotonic() - begin, native=False, why=why)
        return model

    def _be(self, wanted: str) -> None:
        """Have the JVM's object of that class; pipelines that Spark has loaded come with Spark's own."""
        now: Any = self._java_obj
        if (now if isinstance(now, str) else now.getClass().getName()) != wanted:
            self._java_obj = self._new_java_obj(wanted, self.uid)  # type: ignore[attr-defined]

    def _was_fitted(self, done: Call, why: str | None) -> None:
        ran(self._theirs.__name__, done.total_s, native=done.engine == "native", why=why)


def why_not(spark: Any) -> str | None:
    """What keeps a session from running kernels."""
    if spark is None:
        return "there is no session"
    try:
        require_plugin(spark)
    except SparkGapError as e:
        return in_one_line(e).partition(". ")[0]
    return None


class KMeans(Accelerated, clustering.KMeans): ...


class LDA(Accelerated, clustering.LDA):
    # Unchanged jobs ask its model for what a distributed one alone has.
    sparks: ClassVar = {"optimizer": "em"}

    def _create_model(self, java_model: Any) -> Any:
        return self._theirs._create_model(self, java_model)


class LinearRegression(Accelerated, regression.LinearRegression): ...


class LogisticRegression(Accelerated, classification.LogisticRegression): ...


class NaiveBayes(Accelerated, classification.NaiveBayes): ...
