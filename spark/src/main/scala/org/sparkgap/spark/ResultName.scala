// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Files, NoSuchFileException}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.sparkgap.store.{StoreHome, TableStore}

/** Names of result tables: the user's, or the kernel's with the next number that is free. */
private[spark] object ResultName {
  private val numbers = new ConcurrentHashMap[String, AtomicLong]

  /** Errors: code 2 for a name that cannot be one or is taken. */
  def choose(tables: TableStore, kernel: String, asked: Option[String]): String = asked match {
    case Some(name) =>
      val plain = TableStore.checkName(StoreTable.plain(name))
      if (tables.get(plain) != null) {
        Arguments.refuse("result", "a name that is free", s"a table '$plain'", s"Do DROP TABLE ${StoreTable.qualified(plain)} or choose another name")
      }
      plain
    case None =>
      val counter = numbers.computeIfAbsent(kernel, _ => new AtomicLong)
      Iterator.continually(s"${kernel}_${counter.incrementAndGet()}").find(tables.get(_) == null).get
  }

  /** Removes what a failed job wrote into the folder of its result. */
  def discard(home: StoreHome, name: String): Unit = {
    val directory = home.path.resolve("segments").resolve(name)
    try {
      if (Files.isDirectory(directory)) {
        Using.resource(Files.list(directory))(_.iterator.asScala.toList).foreach(Files.deleteIfExists(_))
        Files.deleteIfExists(directory)
      }
    } catch {
      case _: NoSuchFileException =>
    }
  }
}
