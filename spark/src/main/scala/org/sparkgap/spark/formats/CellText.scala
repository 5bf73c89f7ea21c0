// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.formats

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneOffset}
import java.time.temporal.ChronoUnit.MICROS

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.sparkgap.store.ColumnBuffer

/**
 * Values as words of a text file and back: numbers as C and Java both read them, dates and times as ISO 8601 has them,
 * in UTC.
 */
private[spark] object CellText {

  /** The most digits of a decimal. More would be zeros or too many, and take quadratic time. */
  private val DecimalLetters = 1000

  def holds(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | StringType => true
    case DateType | TimestampType | TimestampNTZType => true
    case _: DecimalType => true
    case _ => false
  }

  /** The text of a value that is not null, in UTF-8. */
  def writer(dataType: DataType): (ColumnVector, Int) => Array[Byte] = {
    def ascii(word: (ColumnVector, Int) => String): (ColumnVector, Int) => Array[Byte] =
      (vector, row) => word(vector, row).getBytes(ISO_8859_1)
    dataType match {
      case StringType => (vector, row) => vector.getUTF8String(row).getBytes
      case BooleanType => ascii((vector, row) => vector.getBoolean(row).toString)
      case ByteType => ascii((vector, row) => vector.getByte(row).toString)
      case ShortType => ascii((vector, row) => vector.getShort(row).toString)
      case IntegerType => ascii((vector, row) => Integer.toString(vector.getInt(row)))
      case LongType => ascii((vector, row) => java.lang.Long.toString(vector.getLong(row)))
      case FloatType => ascii((vector, row) => java.lang.Float.toString(vector.getFloat(row)))
      case DoubleType => ascii((vector, row) => java.lang.Double.toString(vector.getDouble(row)))
      case DateType => ascii((vector, row) => LocalDate.ofEpochDay(vector.getInt(row)).toString)
      case TimestampType => ascii((vector, row) => s"${time(vector.getLong(row))}Z")
      case TimestampNTZType => ascii((vector, row) => time(vector.getLong(row)).toString)
      case decimal: DecimalType =>
        ascii((vector, row) => vector.getDecimal(row, decimal.precision, decimal.scale).toJavaBigDecimal.toPlainString)
      case other => throw new IllegalArgumentException(other.sql)
    }
  }

  /** Puts the value of a word into the column; false if the word is no value of that type. */
  def reader(dataType: DataType, to: ColumnBuffer): (Array[Byte], Int) => Boolean = {
    def parsed[T](parse: String => T)(append: T => Unit): (Array[Byte], Int) => Boolean = (bytes, count) =>
      Try(parse(new String(bytes, 0, count, UTF_8).trim)) match {
        case Success(value) => append(value); true // an error of the column is not one of the word
        case Failure(_) => false
      }
    def whole(least: Long, most: Long)(append: Long => Unit) =
      parsed(word => Some(word.toLong).filter(n => n >= least && n <= most).get)(append)
    dataType match {
      case StringType => (bytes, count) => { to.appendBytes(bytes, 0, count); true }
      case BooleanType => parsed(word =>
          word match { case "1" => true; case "0" => false; case other => other.toBoolean })(to.appendBoolean)
      case ByteType => whole(Byte.MinValue, Byte.MaxValue)(n => to.appendByte(n.toByte))
      case ShortType => whole(Short.MinValue, Short.MaxValue)(n => to.appendShort(n.toShort))
      case IntegerType => whole(Int.MinValue, Int.MaxValue)(n => to.appendInt(n.toInt))
      case LongType => whole(Long.MinValue, Long.MaxValue)(to.appendLong)
      case FloatType => parsed(float)(to.appendFloat)
      case DoubleType => parsed(number)(to.appendDouble)
      case DateType => parsed(LocalDate.parse(_).toEpochDay.toInt)(to.appendInt)
      case TimestampType => parsed(word =>
          micros(OffsetDateTime.parse(word.replace(' ', 'T')).toLocalDateTime,
            OffsetDateTime.parse(word.replace(' ', 'T')).getOffset))(to.appendLong)
      case TimestampNTZType =>
        parsed(word => micros(LocalDateTime.parse(word.replace(' ', 'T')), ZoneOffset.UTC))(to.appendLong)
      case decimal: DecimalType => parsed(word => fitting(word, decimal).unscaledValue)(to.appendDecimal)
      case other => throw new IllegalArgumentException(other.sql)
    }
  }

  /** Numbers as C prints them, without Java's suffixes: 1f is a number in no other language. */
  private def number(word: String): Double = word.toLowerCase match {
    case "inf" | "+inf" | "infinity" | "+infinity" => Double.PositiveInfinity
    case "-inf" | "-infinity" => Double.NegativeInfinity
    case "nan" | "-nan" | "+nan" => Double.NaN
    case other if other.nonEmpty && (other.last.isDigit || other.last == '.') =>
      within(other, java.lang.Double.parseDouble(other))
    case other => throw new NumberFormatException(other)
  }

  private def float(word: String): Float = {
    val wide = number(word)
    if (wide.isInfinite || wide.isNaN) wide.toFloat else within(word, java.lang.Float.parseFloat(word).toDouble).toFloat
  }

  /** A number beyond the largest of its type is refused rather than read as infinity. */
  private def within(word: String, value: Double): Double =
    if (value.isInfinite) throw new NumberFormatException(word) else value

  /** Digits are counted before any are written out: 1e999999999 is a word of eleven characters. */
  private def fitting(word: String, decimal: DecimalType): java.math.BigDecimal = {
    if (word.length > DecimalLetters) throw new NumberFormatException(word)
    val value = new java.math.BigDecimal(word).stripTrailingZeros
    val whole = value.precision.toLong - value.scale
    if (value.scale > decimal.scale || whole > decimal.precision - decimal.scale && value.signum != 0)
      throw new ArithmeticException(word)
    value.setScale(decimal.scale)
  }

  private def time(micros: Long): LocalDateTime =
    LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, MICROS), ZoneOffset.UTC)

  private def micros(time: LocalDateTime, offset: ZoneOffset): Long =
    MICROS.between(Instant.EPOCH, time.toInstant(offset))
}
