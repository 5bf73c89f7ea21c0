# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What makes one of pyspark.ml's estimators a native one: the class on the JVM's side, and nothing else."""

from __future__ import annotations

import contextlib
import inspect
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql.utils import is_remote

from ..call import Call, frame, reported, run_sql
from ..door import require_plugin
from ..errors import spark_errors
from ..progress import Progress, newest_job
from ..session import active, running
from .pyspark_ml import MLReader, Param, Params, TypeConverters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class NativeEstimator:
    """Mixed in before an estimator of pyspark.ml, whose parameters, setters and model stay.

    A subclass names the kernel, whose progress `fit` shows on a terminal, and what goes to Spark's own: parameters by
    the value that does, None is any value. Its class on the JVM's side, which decides that, has the same name below
    `org.sparkgap`. What every kernel takes, `engine`, `ranks`, `threads` and `timeoutS`, are parameters too, set as in
    `e.set(e.ranks, 2)` or `e.fit(rows, {e.ranks: 2})`; they are not saved. A fit is the `sparkgap.last_call()`.
    """

    kernel: ClassVar[str]
    sparks: ClassVar[dict[str, str | None]] = {}
    _theirs: ClassVar[type]
    _jvm_class: ClassVar[str]
    engine: Param[str] = Param(
        Params._dummy(), "engine", "native, or spark for Spark's own fit", typeConverter=TypeConverters.toString
    )
    ranks: Param[int] = Param(
        Params._dummy(), "ranks", "processes of a native fit, at least 1", typeConverter=TypeConverters.toInt
    )
    threads: Param[int] = Param(
        Params._dummy(), "threads", "threads of each rank, at least 1", typeConverter=TypeConverters.toInt
    )
    timeoutS: Param[float] = Param(
        Params._dummy(), "timeoutS", "seconds that a native fit may take", typeConverter=TypeConverters.toFloat
    )

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if NativeEstimator not in cls.__bases__:
            return  # a subclass of one of ours, which stays what that is on the JVM's side
        cls._theirs = cls.__bases__[1]
        cls._jvm_class = f"org.{cls.__module__}.{cls.__name__}"
        cls.__signature__ = inspect.signature(cls._theirs).replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]

    @staticmethod
    def _objective(model: Any, rows: DataFrame) -> float | None:
        """What a model of either engine minimizes, on the rows that it was fitted to; None if it says none."""
        return None

    @spark_errors()
    def __init__(self, **given: Any) -> None:
        self._java_obj = None  # which Spark's own __del__ looks at, also where this refuses
        _enter()
        super().__init__(**given)
        self._java_obj = self._new_java_obj(self._jvm_class, self.uid)  # type: ignore[attr-defined]

    @spark_errors()
    def _fit(self, dataset: DataFrame) -> Any:
        require_plugin(frame("dataset", dataset).sparkSession)
        asked = self.isSet(self.engine) and self.getOrDefault(self.engine) == "spark"  # type: ignore[attr-defined]
        if not asked and (why := self._sparks_own()) is not None:
            warnings.warn(f"{type(self).__name__}: not fitted natively: {why}", stacklevel=4)
        spark = dataset.sparkSession
        with _reported(spark, self._was_fitted), Progress(self.kernel, newest_job(spark, self.kernel)):
            return super()._fit(dataset)  # type: ignore[misc]

    def _sparks_own(self) -> str | None:
        """The parameter that leaves a fit to Spark's own, if one does by itself."""
        for name, value in self.sparks.items():
            param = self.getParam(name)  # type: ignore[attr-defined]
            if self.isSet(param) if value is None else self.getOrDefault(param) == value:  # type: ignore[attr-defined]
                return name if value is None else f"{name} = {value}"
        return None

    def _was_fitted(self, done: Call, why: str | None) -> None:
        """For subclasses that tell of fits; `why` says what left this one to Spark's own, if anything did."""

    @classmethod
    def read(cls) -> MLReader[Any]:
        """A reader of what `save` has written, which is Spark's own estimator and can be loaded without sparkgap."""
        return _Reader(cls)


class _Reader(MLReader[Any]):
    def __init__(self, cls: type) -> None:
        super().__init__()
        self._cls = cls

    @spark_errors()
    def load(self, path: str) -> Any:
        _enter()
        theirs = self._cls._theirs.load(path)  # type: ignore[attr-defined]
        mine = self._cls()
        mine._resetUid(theirs.uid)
        mine._set(**{param.name: value for param, value in theirs._paramMap.items()})
        return mine


@contextlib.contextmanager
def _reported(spark: SparkSession, was_fitted: Callable[[Call, str | None], None]) -> Iterator[None]:
    """Make the fit in the body the last call: its jobs have a tag by which its figures are found.

    In classic Spark it is the context's tag: a session that has had tags cannot be serialized any more.
    """
    word = uuid.uuid4().hex
    tag = f"sparkgap-fit-{word}"
    add, remove = (
        (spark.addTag, spark.removeTag)
        if is_remote()
        else (spark.sparkContext.addJobTag, spark.sparkContext.removeJobTag)
    )
    add(tag)
    try:
        yield
    finally:
        remove(tag)
    for row in run_sql(spark, "CALL sparkgap.launch.fit(word => :word)", {"word": word}):
        fields = row.asDict(recursive=True)
        was_fitted(reported(fields), fields["why"])


def _enter() -> None:
    """Classic Spark makes an estimator in the JVM of the session that runs; Connect when it is fitted, so that it may
    be made before there is a session.
    """
    if not is_remote() or running() is not None:
        require_plugin(active())
