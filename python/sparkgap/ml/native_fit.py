# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""What makes one of pyspark.ml's estimators a native one: the class on the JVM's side, and nothing else."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.ml.util import MLReader

from ..errors import translate
from ..progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class NativeFit:
    """Mixed in before an estimator of pyspark.ml, whose parameters, setters and model stay.

    A subclass names the kernel, whose progress `fit` shows on a terminal. Its class on the JVM's side has its own name, and `org.sparkgap` for `sparkgap`.
    """

    kernel: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__signature__ = inspect.signature(cls.__mro__[2].__init__).replace(return_annotation=inspect.Signature.empty)  # type: ignore[attr-defined]
        cls.__doc__ = f"{cls.__doc__}\n\n{_own(cls.__mro__[2].__doc__ or '')}"

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._java_obj = self._new_java_obj("org." + type(self).__module__ + "." + type(self).__name__, self.uid)  # type: ignore[attr-defined]

    def _fit(self, dataset: DataFrame) -> Any:
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
        theirs = self._cls.__mro__[2].load(path)
        mine = self._cls()
        mine._resetUid(theirs.uid)
        mine._set(**{p.name: value for p, value in theirs._paramMap.items()})
        return mine


def _own(doc: str) -> str:
    """The part of Spark's text that is not its examples, which name Spark's classes."""
    return inspect.cleandoc(doc).partition("\n\nExamples")[0]
