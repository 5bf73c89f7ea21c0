# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""The CP decomposition as an estimator of pyspark.ml, and its model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from ..call import frame
from ..door import require_plugin
from ..errors import ArgumentError, speaks_of_spark
from ..ml.pyspark_ml import (
    Estimator,
    HasMaxIter,
    HasPredictionCol,
    HasRegParam,
    HasSeed,
    HasTol,
    Model,
    Param,
    Params,
    TypeConverters,
)
from ..session import active
from .kernels import cpd

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_FORMAT = "sparkgap.tensor.CPDModel 1"


class _CPDParams(HasMaxIter, HasTol, HasRegParam, HasSeed, HasPredictionCol):
    rank: Param[int] = Param(Params._dummy(), "rank", "How many components.", TypeConverters.toInt)
    modes: Param[list[str]] = Param(Params._dummy(), "modes", "Columns of keys.", TypeConverters.toListString)
    value: Param[str] = Param(Params._dummy(), "value", "Column of values.", TypeConverters.toString)
    nonNegative: Param[bool] = Param(
        Params._dummy(), "nonNegative", "Whether factors may not be below 0.", TypeConverters.toBoolean
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(rank=10, value="value", maxIter=50, tol=1e-4, regParam=0.0, nonNegative=False, seed=0)

    def getModes(self) -> list[str]:
        """The columns of keys, in the order of the factors."""
        return list(self.getOrDefault(self.modes))


class CPD(Estimator["CPDModel"], _CPDParams):
    """CP decomposition of a sparse tensor (kernel `cpd`).

    Parameters
    ----------
    rank : int
        How many components.
    modes : sequence of str
        2 to 32 columns of keys, each of integers or strings.
    value : str
        Column of numbers; those of rows with the same keys add up.
    maxIter : int
        At most that many iterations.
    tol : float
        Ends where an iteration changes the fit by less.
    regParam : float
        How much the squares of the lambdas cost.
    nonNegative : bool
        Whether factors may not be below 0.
    seed : int
        Other seeds start from other factors.
    predictionCol : str
        What `transform` of the model adds.

    Examples
    --------
    >>> rows = [("a", 1, 1.0), ("a", 2, 2.0), ("b", 1, 3.0), ("b", 2, 6.0)]
    >>> entries = spark.createDataFrame(rows, "i string, j int, x double")
    >>> model = CPD(rank=1, modes=["i", "j"], value="x").fit(entries)
    >>> [round(r.prediction, 3) for r in model.transform(entries).orderBy("i", "j").collect()]
    [1.0, 2.0, 3.0, 6.0]
    """

    def __init__(
        self,
        *,
        rank: int = 10,
        modes: Sequence[str] | None = None,
        value: str = "value",
        maxIter: int = 50,
        tol: float = 1e-4,
        regParam: float = 0.0,
        nonNegative: bool = False,
        seed: int = 0,
        predictionCol: str = "prediction",
    ) -> None:
        super().__init__()
        given = {"rank": rank, "modes": modes, "value": value, "maxIter": maxIter, "tol": tol, "regParam": regParam}
        self.setParams(**given, nonNegative=nonNegative, seed=seed, predictionCol=predictionCol)

    def setParams(self, **given: Any) -> CPD:
        """Set parameters by name; None leaves one as it is."""
        self._set(**given)
        return self

    def _fit(self, dataset: DataFrame) -> CPDModel:
        require_plugin(frame("dataset", dataset).sparkSession)
        if not self.isSet(self.modes):
            raise ArgumentError.of("modes", "two or more columns of keys", "none", "Give CPD(modes=[...]).")
        get = self.getOrDefault
        rows = cpd(
            dataset,
            modes=get(self.modes),
            value=get(self.value),
            rank=get(self.rank),
            max_iter=get(self.maxIter),
            tol=get(self.tol),
            reg_param=get(self.regParam),
            non_negative=get(self.nonNegative),
            seed=get(self.seed),
        )
        made = CPDModel(rows, type_names(dataset, get(self.modes)), rows.sparkgap.figures)
        self._copyValues(made)
        return made


@speaks_of_spark
class CPDModel(Model, _CPDParams):
    """A sum of products: lambda times a number for each of an entry's keys, component by component.

    Attributes
    ----------
    figures : dict of str to list of float
        What the kernel said of the run, as for `sparkgap.tensor.cpd`.
    """

    def __init__(self, rows: DataFrame, types: list[str], figures: dict[str, list[float]]) -> None:
        super().__init__()
        self._rows, self._types, self.figures = rows, types, figures

    @property
    def lambdas(self) -> list[float]:
        """By component, the largest first."""
        return self.figures["lambdas"]

    @property
    def fit(self) -> float:
        """1 - |X - M| / |X| on the entries that it was made of, and on the zeroes between them."""
        return self.figures["fit"][0]

    @property
    def factors(self) -> dict[str, DataFrame]:
        """By column of `modes`: a DataFrame with that column, in its type, and `factor: array<double>`, a number per
        component.
        """
        return {name: self._factor(mode, name) for mode, name in enumerate(self.getModes())}

    def _factor(self, mode: int, name: str) -> DataFrame:
        return self._rows.where(F.col("mode") == mode).select(
            F.col("key").cast(self._types[mode]).alias(name), "factor"
        )

    def _transform(self, dataset: DataFrame) -> DataFrame:
        """Add what the model says of each row's keys; null where a key was not among those that it was made of."""
        scored, product = dataset, F.array(*(F.lit(x) for x in self.lambdas))
        for mode, name in enumerate(self.getModes()):
            key, factor = f"cpd_key_{mode}_{self.uid}", f"cpd_factor_{mode}_{self.uid}"
            rows = self._factor(mode, key).withColumnRenamed("factor", factor)
            scored = scored.join(rows, _column(name) == F.col(key), "left")
            product = F.zip_with(product, F.col(factor), lambda x, y: x * y)
        score = F.aggregate(product, F.lit(0.0), lambda total, x: total + x)
        return scored.select(*(_column(name) for name in dataset.columns), score.alias(self.getPredictionCol()))

    def save(self, path: str) -> None:
        """Write the model to a new folder, which needs sparkgap to be loaded as a model, but no native ranks: `factors`
        is Parquet, `metadata` JSON.
        """
        params = {p.name: self.getOrDefault(p) for p in self.params if self.isDefined(p)}
        said = {"format": _FORMAT, "uid": self.uid, "types": self._types, "figures": self.figures, "params": params}
        self._rows.write.parquet(f"{path}/factors")
        self._rows.sparkSession.createDataFrame([(json.dumps(said),)], "value string").coalesce(1).write.text(
            f"{path}/metadata"
        )

    @classmethod
    def load(cls, path: str) -> CPDModel:
        """A model that `save` has written, by the session that runs.

        Raises
        ------
        ArgumentError
            No session runs, or the folder holds something else.
        """
        spark = active()
        said = json.loads(spark.read.text(f"{path}/metadata").collect()[0][0])
        if said.get("format") != _FORMAT:
            raise ArgumentError.of(
                "path", _FORMAT, str(said.get("format") or said.get("class")), "Give the folder of such a model."
            )
        model = cls(spark.read.parquet(f"{path}/factors"), said["types"], said["figures"])
        model._resetUid(said["uid"])
        model._set(**said["params"])
        return model


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


def type_names(data: DataFrame, columns: Sequence[str]) -> list[str]:
    """The types of columns as Spark writes them."""
    return [data.select(_column(name)).schema[0].dataType.simpleString() for name in columns]
