# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What makes one of pyspark.ml's estimators a native one: the class on the JVM's side, and nothing else."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.ml.util import MLReader

from ..errors import translate
from ..progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class NativeFit:
    """Mixed in before an estimator of pyspark.ml, whose parameters, setters and model stay.

    A subclass names the kernel, whose progress `fit` shows on a terminal, and what goes to Spark's own: parameters by the value that does, None is any value.
    Its class on the JVM's side, which decides that, has the same name below `org.sparkgap`.
    """

    kernel: ClassVar[str]
    sparks: ClassVar[dict[str, str | None]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        theirs = cls.__mro__[2]
        cls.__signature__ = inspect.signature(theirs).replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._java_obj = self._new_java_obj(f"org.{type(self).__module__}.{type(self).__name__}", self.uid)  # type: ignore[attr-defined]

    def _fit(self, dataset: DataFrame) -> Any:
        for name, value in self.sparks.items():
            param = self.getParam(name)  # type: ignore[attr-defined]
            if self.isSet(param) if value is None else self.getOrDefault(param) == value:  # type: ignore[attr-defined]
                why = name if value is None else f"{name} = {value}"
                warnings.warn(f"{type(self).__name__}: not fitted natively: {why}", stacklevel=3)
        try:
            with Progress(dataset.sparkSession, self.kernel):
                return super()._fit(dataset)  # type: ignore[misc]
        except Exception as e:
            ours = translate(e)
            if ours is None:
                raise
            raise ours from None

    @classmethod
    def read(cls) -> MLReader[Any]:
        """A reader of what `save` has written, which is Spark's own estimator and can be loaded without sparkgap."""
        return _Reader(cls)


class _Reader(MLReader[Any]):
    def __init__(self, cls: type) -> None:
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        theirs = self._cls.__mro__[2].load(path)  # type: ignore[attr-defined]
        mine = self._cls()
        mine._resetUid(theirs.uid)
        mine._set(**{param.name: value for param, value in theirs._paramMap.items()})
        return mine
