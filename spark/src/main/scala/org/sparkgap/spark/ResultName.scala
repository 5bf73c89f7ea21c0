// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

import org.sparkgap.store.{SparkGapException, TableStore}

/** Names of result tables: the user's, or the kernel's with the next number that is free. A call has its name for itself until its table is there. */
private[spark] object ResultName {
  private val numbers = new ConcurrentHashMap[String, AtomicLong]

  /** Errors: code 2 for a name that cannot be one, is taken, or is being taken by another call. */
  def reserve(kernel: String, asked: Option[String]): TableStore#Reservation = reserveAll(kernel, asked, Seq(""))(0)

  /** The same for several tables whose names begin alike and end so: all of them, or none. */
  def reserveAll(kernel: String, asked: Option[String], endings: Seq[String]): Seq[TableStore#Reservation] = asked match {
    case Some(name) => all(endings.map(StoreTable.plain(name) + _))
    case None =>
      val counter = numbers.computeIfAbsent(kernel, _ => new AtomicLong)
      Iterator.continually {
        val number = counter.incrementAndGet()
        free(endings.map(ending => s"${kernel}_$number$ending"))
      }.flatten.next()
  }

  private def free(names: Seq[String]): Option[Seq[TableStore#Reservation]] =
    try Some(all(names))
    catch { case e: SparkGapException if e.code == SparkGapException.ARGUMENTS && names.forall(isName) => None }

  private def isName(name: String): Boolean =
    try TableStore.checkName(name) != null
    catch { case _: SparkGapException => false }

  private def all(names: Seq[String]): Seq[TableStore#Reservation] = {
    val tables = Homes.tables()
    names.foldLeft(Seq.empty[TableStore#Reservation]) { (held, name) =>
      try {
        if (tables.get(TableStore.checkName(name)) != null) {
          Arguments.refuse("result", "a name that is free", s"a table '$name'", s"Do DROP TABLE ${StoreTable.qualified(name)} or choose another name")
        }
        held :+ tables.reserve("result", name)
      } catch {
        case NonFatal(e) =>
          held.foreach(_.close())
          throw e
      }
    }
  }
}
