# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Workloads on lines of text, with their output written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..application import Request


def wordcount(spark: SparkSession, request: Request) -> None:
    """Each word with how often it is there."""
    from pyspark.sql import functions as F

    words = spark.read.text(request.input).select(F.explode(F.split("value", " ")).alias("word"))
    counted = words.groupBy("word").count()
    counted.select(F.concat_ws(" ", "word", "count")).write.text(request.output)


def grep(spark: SparkSession, request: Request) -> None:
    """Lines with the most frequent word, as "The" is in the paper's text."""
    spark.read.text(request.input).where("contains(value, 'the')").write.text(request.output)


def sort(spark: SparkSession, request: Request) -> None:
    """All lines in order."""
    spark.read.text(request.input).sort("value").write.text(request.output)


def terasort(spark: SparkSession, request: Request) -> None:
    """Records of 100 bytes by their first ten."""
    spark.read.text(request.input).sort("value").write.text(request.output)
