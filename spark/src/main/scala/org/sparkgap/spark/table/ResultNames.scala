// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

import org.sparkgap.spark.application.{DriverPart, SparkGapError}
import org.sparkgap.spark.segments.Homes
import org.sparkgap.store.{Manifest, SparkGapException, TableStore}

/**
 * Names of result tables: the user's, or the kernel's with the next number that is free.
 *
 * A client may ask for `name#word`, with a unique word of 32 hexadecimal digits: it finds the call's table by both, and
 * never a later table of that name.
 */
private[spark] final class ResultNames {
  import ResultName.Word

  private val numbers = new ConcurrentHashMap[String, AtomicLong]

  /**
   * What StoreTable.id says of the tables that were asked for with a word, by name#word, as long as they have their
   * names.
   */
  private val ids = new ConcurrentHashMap[String, String]

  /** Errors: code 2 for a name that cannot be one, is taken, or is being taken by another call. */
  def reserve(kernel: String, asked: Option[String]): ResultName = reserveAll(kernel, asked, Seq(""))(0)

  def id(nameAndWord: String): Option[String] = Option(ids.get(nameAndWord))

  /** The table has no name any more. */
  def forget(table: Manifest): Unit =
    ids.entrySet.removeIf(entry => entry.getKey.startsWith(s"${table.name}#") && entry.getValue == StoreTable.id(table))

  private[table] def asked(nameAndWord: String, id: String): Unit = ids.put(nameAndWord, id)

  private[table] def forgetAsked(nameAndWord: String): Unit = ids.remove(nameAndWord)

  /** The same for several tables whose names begin alike and end so: all of them, or none. */
  def reserveAll(kernel: String, asked: Option[String], endings: Seq[String]): Seq[ResultName] = asked match {
    case Some(Word(name, word)) => named(name, endings).map(new ResultName(_, Some(word), this))
    case Some(name) => named(name, endings).map(new ResultName(_, None, this))
    case None =>
      val counter = numbers.computeIfAbsent(kernel, _ => new AtomicLong)
      Iterator.continually {
        val number = counter.incrementAndGet()
        free(endings.map(ending => s"${kernel}_$number$ending"))
      }.flatten.next().map(new ResultName(_, None, this))
  }

  private def named(name: String, endings: Seq[String]): Seq[TableStore#Reservation] =
    all(endings.map(StoreTable.plain(name) + _))

  private def free(names: Seq[String]): Option[Seq[TableStore#Reservation]] =
    try Some(all(names))
    catch { case e: SparkGapException if e.code == SparkGapException.ARGUMENTS && names.forall(isName) => None }

  private def isName(name: String): Boolean =
    try TableStore.checkName(name) != null
    catch { case _: SparkGapException => false }

  private def all(names: Seq[String]): Seq[TableStore#Reservation] = {
    val tables = Homes().tables()
    names.foldLeft(Seq.empty[TableStore#Reservation]) { (held, name) =>
      try {
        if (tables.get(TableStore.checkName(name)) != null) {
          SparkGapError.refuse("result", "a name that is free", s"a table '$name'",
            s"Do DROP TABLE ${StoreTable.qualified(name)} or choose another name")
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

private[spark] object ResultNames extends DriverPart(new ResultNames)
