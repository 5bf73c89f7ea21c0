// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods

import scala.language.implicitConversions

import org.apache.spark.sql.DataFrame

/** An argument that may be left out. A plain value, an Option of it, or null stands for one. */
final class Given[+A] private (private[methods] val option: Option[A])

object Given extends AnyGiven {

  /** Left out. */
  val none: Given[Nothing] = new Given(None)

  private[methods] def apply[A](value: Option[A]): Given[A] = new Given(value)

  // Whole numbers may stand where longer ones or fractions are expected.
  implicit def long(n: Int): Given[Long] = new Given(Some(n.toLong))
  implicit def double(n: Int): Given[Double] = new Given(Some(n.toDouble))
  implicit def optionalLong(n: Option[Int]): Given[Long] = new Given(n.map(_.toLong))

  implicit def rows(data: DataFrame): Given[TableArgument] = new Given(Option(data).map(new TableArgument(_)))
  implicit def named(table: String): Given[TableArgument] = new Given(Option(table).map(new TableArgument(_)))
  implicit def ids[A](ids: Iterable[A])(implicit id: A => VertexId): Given[Seq[VertexId]] =
    new Given(Option(ids).map(_.map(id).toSeq))
}

/** Where no other conversion fits better. */
sealed trait AnyGiven {
  implicit def value[A](value: A): Given[A] = Given(Option(value))
  implicit def option[A](value: Option[A]): Given[A] = Given(value)
}

/** The id of a vertex: a whole number or a string, as in the graph. */
final class VertexId private (private[methods] val text: String)

object VertexId {
  implicit def of(id: Long): VertexId = new VertexId(id.toString)
  implicit def of(id: Int): VertexId = new VertexId(id.toString)
  implicit def of(id: String): VertexId = new VertexId(id)
}

/** A table beside the first: a DataFrame, or the name of a table or view. */
final class TableArgument private[methods] (private[methods] val value: Any)
