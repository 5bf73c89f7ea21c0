// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import scala.collection.immutable.ListMap

import org.apache.spark.sql.types._
import org.sparkgap.spark.application.SparkGapError

/**
 * A file format in which any program reads or writes a table; docs/mpi-programs.md describes each.
 */
private[spark] sealed abstract class FileFormat(val suffix: String) extends Serializable {

  /** A column that it cannot hold, with what is expected and what was found instead; None where it can hold all. */
  def refuses(schema: StructType): Option[FileFormat.Refusal] =
    schema.fields.find(f => !holds(f.dataType)).map(FileFormat.Refusal(_, kinds))

  protected def holds(dataType: DataType): Boolean
  protected def kinds: String
}

private[spark] object FileFormat {
  final case class Refusal(column: String, expected: String, found: String)

  object Refusal {
    def apply(field: StructField, expected: String): Refusal =
      new Refusal(field.name, expected, field.dataType.simpleString)
  }

  /** A line per row, fields in quotes where they have to be. */
  final case class Text(
      separator: Char, header: Boolean) extends FileFormat(if (separator == '\t') ".tsv" else ".csv") {
    override protected def holds(dataType: DataType): Boolean = CellText.holds(dataType)
    override protected def kinds: String = TextKinds
  }

  /** A line per row, words between blanks: no quotes, so a word holds no blank and is never empty. */
  final case class Blank(header: Boolean) extends FileFormat(".txt") {
    override protected def holds(dataType: DataType): Boolean = CellText.holds(dataType)
    override protected def kinds: String = TextKinds

    override def refuses(schema: StructType): Option[Refusal] = super.refuses(schema).orElse(
      if (!header) None
      else schema.fieldNames.find(BlankText.problem(_).isDefined).map(name =>
        Refusal(name, "names without blanks", s"'$name'"))
        .orElse(
          schema.fieldNames.headOption.filter(_.startsWith("#")).map(name =>
            Refusal(name, "a first name that does not begin with #, as comments do", s"'$name'"))))
  }

  /** The values and nothing else, one column after the other, or one row after the other. */
  final case class Raw(byRows: Boolean) extends FileFormat(".raw") {
    override protected def holds(dataType: DataType): Boolean = NumberType.find(dataType).isDefined
    override protected def kinds: String = NumberType.Words
  }

  /** NumPy's: one column makes one dimension, more of one type make two, stored by rows or by columns. */
  final case class Npy(byColumns: Boolean) extends FileFormat(".npy") {
    override protected def holds(dataType: DataType): Boolean = NumberType.find(dataType).isDefined
    override protected def kinds: String = NumberType.Words

    override def refuses(schema: StructType): Option[Refusal] =
      super.refuses(schema).orElse(schema.fields.find(_.dataType != schema.head.dataType).map(Refusal(_,
            s"columns of one type, which ${schema.head.name} has as ${schema.head.dataType.sql}")))
  }

  /**
   * Matrix Market's coordinates: row, column and value of each entry, counted from 1 in the file and, unless
   * `fromZero`, in the table.
   */
  final case class MatrixMarket(fromZero: Boolean) extends FileFormat(".mtx") {
    override protected def holds(dataType: DataType): Boolean = NumberType.find(dataType).isDefined
    override protected def kinds: String = "row, column and value, the first two integers"

    override def refuses(schema: StructType): Option[Refusal] = {
      val integers = schema.fields.take(2)
      val wrong = integers.find(f => !NumberType.find(f.dataType).exists(_.isInteger)).orElse(
        schema.fields.drop(2).find(_.dataType == BooleanType))
      super.refuses(schema).orElse(wrong.map(Refusal(_, kinds))).orElse(
        if (schema.length == 2 || schema.length == 3) None
        else Some(Refusal(schema.last, s"$kinds, and no other columns")))
    }
  }

  /** The store's own segments: nothing is copied. */
  case object Arrow extends FileFormat("") {
    override protected def holds(dataType: DataType): Boolean = true
    override protected def kinds: String = ""
  }

  private val TextKinds = "booleans, numbers, decimals, dates, timestamps and strings"

  val Words: ListMap[String, FileFormat] = ListMap(
    "arrow" -> Arrow,
    "csv" -> Text(',', header = false),
    "csv+header" -> Text(',', header = true),
    "tsv" -> Text('\t', header = false),
    "tsv+header" -> Text('\t', header = true),
    "text" -> Blank(header = false),
    "text+header" -> Blank(header = true),
    "raw" -> Raw(byRows = false),
    "raw+rows" -> Raw(byRows = true),
    "npy" -> Npy(byColumns = false),
    "npy+columns" -> Npy(byColumns = true),
    "mtx" -> MatrixMarket(fromZero = false),
    "mtx+zero" -> MatrixMarket(fromZero = true)
  )

  /** Errors: code 2 for a word that is none. */
  def of(where: String, word: String): FileFormat =
    Words.getOrElse(word,
      SparkGapError.refuse(where, s"one of ${Words.keys.mkString(", ")}", s"'$word'", "Choose another format"))
}
