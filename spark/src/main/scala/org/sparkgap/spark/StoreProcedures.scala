// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.sparkgap.spark.application.SparkGapError
import org.sparkgap.spark.call.{Arguments, RowsProcedure}
import org.sparkgap.spark.kernel.KernelInput
import org.sparkgap.spark.published.{NamedTables, Published, StoredGraphs}
import org.sparkgap.spark.segments.{Homes, LocalSegments, Tier}
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.{Manifest, PublishedTables, SegmentInfo, StoreHome, StoreRoom}

/** `CALL sparkgap.store.ls() | stat(name) | rm(name) | sweep() | publish(table, name, durable)`. */
private[spark] object StoreProcedures {
  private val Name = Arguments.parameter("name", StringType, "Of a table of the store, or published.<name>.")

  private val Ls = new StructType().add("name", StringType, nullable = false).add("kind", StringType,
    nullable = false).add("rows", LongType)
    .add("memory_bytes", LongType, nullable = false).add("disk_bytes", LongType, nullable = false).add("segments",
      LongType, nullable = false)
    .add("edition", LongType).add("durable", StringType)
  private val Stat = new StructType().add("path", StringType, nullable = false).add("host", StringType,
    nullable = false).add("rows", LongType, nullable = false)
    .add("bytes", LongType, nullable = false).add("tier", StringType, nullable = false).add("there", BooleanType,
      nullable = false)
  private val Rm = new StructType().add("name", StringType, nullable = false).add("bytes", LongType, nullable = false)
  private val Sweep = new StructType().add("store", StringType, nullable = false).add("homes", LongType,
    nullable = false).add("bytes", LongType, nullable = false)
  private val Edition = new StructType().add("name", StringType, nullable = false).add("edition", LongType,
    nullable = false).add("rows", LongType, nullable = false)
    .add("bytes", LongType, nullable = false).add("bytes_copied", LongType, nullable = false)

  val All: Seq[RowsProcedure] = Seq(
    new RowsProcedure("ls", "The tables of this application on this host, cached and published ones too.", Seq.empty,
      Ls)(_ => ls()),
    new RowsProcedure("stat", "The segments of a table.", Seq(Name), Stat)(row => stat(passed(row, 0, "name"))),
    new RowsProcedure("rm", "Removes a table.", Seq(Name), Rm)(row => rm(passed(row, 0, "name"))),
    new RowsProcedure("sweep", "Removes what dead processes and interrupted publishers have left on the driver's host.",
      Seq.empty, Sweep)(_ => sweep()),
    new RowsProcedure(
      "publish",
      "Gives a table, view or graph a name under which other applications on this host read it in place.",
      Seq(
        Arguments.parameter("table", StringType, "Table, view or stored graph."),
        Arguments.parameter("name", StringType, "Under which it is read as sparkgap.published.<name>."),
        Arguments.parameter("durable", StringType,
          "Folder of any Hadoop file system where the rows are copied as Parquet, beside everything else.")
      ),
      Edition
    )(publish)
  )

  private def ls(): Seq[InternalRow] = {
    val own = Homes().tables().list.asScala.toSeq.flatMap(name => Option(Homes().tables().get(name)))
    val published = Published.tables()
    // One that cannot be read is said to be damaged, and hides no other.
    val (damaged, others) =
      published.list.asScala.toSeq.partitionMap(name => Try(Option(published.get(name))).toEither.left.map(_ => name))
    (own ++ others.flatten).map { table =>
      val publication = Option(table.published)
      val kind = if (publication.isDefined) "published" else if (table.graph != null) "graph" else "table"
      row(
        publication.fold(table.name)(_ => s"${PublishedName.Namespace}.${table.name}"),
        kind,
        table.rows,
        files(table),
        publication.map(_.edition.toLong),
        publication.map(_.durable)
      )
    } ++ damaged.map(name =>
      row(s"${PublishedName.Namespace}.$name", "damaged", null, Nil, None, None)) ++ LocalSegments().everywhere.map {
      case (name, segments) =>
        row(name, "cache", null, segments.map(file => (file.toString, Files.size(file))), None, None)
    }
  }

  private def row(name: String, kind: String, rows: Any, files: Seq[(String, Long)], edition: Option[Long],
      durable: Option[String]): InternalRow = {
    val (memory, disk) = files.partition { case (path, _) => tier(path) == Tier.Memory }
    InternalRow(
      string(name),
      string(kind),
      rows,
      memory.map(_._2).sum,
      disk.map(_._2).sum,
      files.length.toLong,
      edition.orNull,
      durable.flatMap(Option(_)).map(string).orNull
    )
  }

  private def stat(name: String): Seq[InternalRow] = {
    val table = load(name)
    (table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)).toSeq.map { s =>
      InternalRow(string(s.path), string(s.host), s.rows, s.bytes, string(tier(s.path).name),
        PublishedTables.isThere(s))
    }
  }

  private def rm(name: String): Seq[InternalRow] = {
    val table = load(name)
    PublishedName.plain(name).fold(StoreTable.drop(table.name))(Published.tables().drop)
    Seq(InternalRow(string(name), files(table).map(_._2).sum))
  }

  private def sweep(): Seq[InternalRow] = {
    Published.tables().sweep()
    Homes().stores.map { store =>
      val before = StoreRoom.usedBytes(store)
      val homes = StoreHome.sweep(store)
      InternalRow(string(store.toString), homes.toLong, math.max(0, before - StoreRoom.usedBytes(store)))
    }
  }

  private def publish(row: InternalRow): Seq[InternalRow] = {
    val (source, name) = (passed(row, 0, "table"), passed(row, 1, "name"))
    val session = SparkSession.active
    val durable = if (row.isNullAt(2)) None else Some(row.getUTF8String(2).toString)
    durable.foreach(requireFileSystem(session, _))
    val (edition, copied) = StoredGraphs.named(session, source) match {
      case Some(graph) if durable.isDefined =>
        SparkGapError.refuse(
          "durable",
          s"a table: '${graph.name}' is a graph, whose rows have an order that Parquet does not keep",
          s"'${durable.get}'",
          "Do publish its edges with durable, or leave durable out"
        )
      case Some(graph) => Published.publish(session, graph, name)
      case None => Published.publish(KernelInput.find(session, "table", source), name)
    }
    durable.foreach(Published.copy(session, edition, _))
    Seq(InternalRow(string(PublishedName.qualified(edition.name)), edition.published.edition.toLong, edition.rows,
        files(edition).map(_._2).sum, copied))
  }

  /** The copy is written later, when nobody waits for it: a folder that cannot be one is refused now. */
  private def requireFileSystem(session: SparkSession, folder: String): Unit =
    Try(new Path(folder).getFileSystem(session.sessionState.newHadoopConf())).failed.foreach(e =>
      SparkGapError.refuse("durable", "a folder of a file system that Hadoop knows", s"'$folder' (${e.getMessage})",
        "Do check its begin, such as hdfs:// or file://"))

  /**
   * As it is: who looks at a published table, or removes it, does not recover it. Errors: code 2 where there is none.
   */
  private def load(name: String): Manifest = PublishedName.plain(name).map(plain =>
    Option(Published.tables().get(plain)).getOrElse(throw NamedTables.missing(name)))
    .getOrElse(NamedTables.load(name).manifest)

  private def files(table: Manifest): Seq[(String, Long)] =
    (table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)).toSeq.map((s: SegmentInfo) =>
      (s.path, s.bytes))

  private def tier(path: String): Tier =
    Tier.of(Option(Paths.get(path)).filter(Files.exists(_)).map(_.toRealPath()).getOrElse(Paths.get(path)))

  private def passed(row: InternalRow, i: Int, what: String): String =
    if (row.isNullAt(i)) SparkGapError.refuse(what, "a name", "nothing", s"Do pass $what => 'name'")
    else row.getUTF8String(i).toString

  private def string(text: String): UTF8String = UTF8String.fromString(text)
}
