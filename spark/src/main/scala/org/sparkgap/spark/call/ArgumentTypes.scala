// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.call

import java.util.Locale

import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types._
import org.sparkgap.spark.application.SparkGapError

/**
 * Checks names and types of a CALL's arguments before Spark casts them: Spark would refuse a wrong name in its own
 * words, and cut 2.5 down to 2 where a whole number is expected.
 */
private[spark] object ArgumentTypes {
  private val Integers: Set[DataType] = Set(ByteType, ShortType, IntegerType, LongType)

  /** The positions of the given parameters, sorted, each once. Errors: code 2 naming the argument. */
  def passed(procedure: String, signature: Seq[ProcedureParameter], arguments: StructType): Seq[Int] = {
    val byName = signature.indices.map(i => signature(i).name.toLowerCase(Locale.ROOT) -> i).toMap
    if (arguments.length > signature.length) {
      SparkGapError.refuse(procedure, s"at most ${signature.length} arguments", arguments.length.toString,
        "Do leave the rest out")
    }
    val positions = for ((field, i) <- arguments.fields.toSeq.zipWithIndex) yield {
      val position =
        if (!field.metadata.contains(ProcedureParameter.BY_NAME_METADATA_KEY)) i
        else byName.getOrElse(
          field.name.toLowerCase(Locale.ROOT),
          SparkGapError.refuse(procedure, s"arguments among ${signature.map(_.name).mkString(", ")}",
            s"'${field.name}'", "Do correct the name or leave it out")
        )
      val parameter = signature(position)
      if (!takes(parameter.dataType, field.dataType)) {
        SparkGapError.refuse(parameter.name, words(parameter.dataType),
          s"a value of type ${field.dataType.simpleString}", s"Choose another ${parameter.name}")
      }
      position
    }
    positions.distinct.sorted
  }

  private def takes(asked: DataType, found: DataType): Boolean = (asked, found) match {
    case (_, NullType) => true
    case (BooleanType, other) => other == BooleanType
    case (LongType, decimal: DecimalType) => decimal.scale == 0
    case (LongType, other) => Integers.contains(other)
    case (DoubleType, other) => other.isInstanceOf[NumericType]
    case (_: MapType, map: MapType) => takes(StringType, map.keyType)
    case (_: ArrayType, array: ArrayType) => takes(StringType, array.elementType)
    case (StringType, other) => other.isInstanceOf[StringType] || Integers.contains(other)
    case (asked, other) => asked == other
  }

  private def words(asked: DataType): String = asked match {
    case BooleanType => "true or false"
    case LongType => "a whole number"
    case DoubleType => "a number"
    case _: MapType => "names and values, map('name', 'value', ...)"
    case _: ArrayType => "a list of strings, array(...)"
    case _ => "a string"
  }
}
