// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.published

import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.slf4j.LoggerFactory
import org.sparkgap.launch.Jobs
import org.sparkgap.spark.application.{ClusterExecutors, LocalHost}
import org.sparkgap.spark.export.Export
import org.sparkgap.spark.segments.{BroughtSegments, Homes}
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.{GraphFiles, Manifest, PublishedTables, SegmentInfo, SparkGapException, TableStore}

/**
 * Tables that outlive the application and are read in place by others of the same user on this host:
 * `sparkgap.published.<name>`.
 */
private[spark] object Published {
  private val log = LoggerFactory.getLogger("sparkgap")
  private val recovering = new ReentrantLock

  def tables(): PublishedTables = {
    val stores = Homes().stores
    new PublishedTables(Homes().current().store, stores(1))
  }

  /**
   * The current edition, with its rows on this host, under the name that its executors have. If files are gone, because
   * the host was restarted, they are read from the durable copy and published again. Errors: code 3 if there is no such
   * copy, or it has other rows.
   */
  def find(name: String): Option[Manifest] =
    Option(tables().get(name)).flatMap(found => if (PublishedTables.isWhole(found)) Some(found) else recovered(name))
      .map { found =>
        val host = ClusterExecutors().all.map(_.host).find(LocalHost().is).getOrElse(LocalHost.name)
        files(found)(_.on(host))
      }

  /**
   * One at a time: a thread that waited finds the result of the first. Of two applications, the slower one's rows are
   * not needed.
   */
  private def recovered(name: String): Option[Manifest] = {
    recovering.lockInterruptibly()
    try Option(tables().get(name)).flatMap(found => if (PublishedTables.isWhole(found)) Some(found) else recover(found))
    finally recovering.unlock()
  }

  private def recover(lost: Manifest): Option[Manifest] = {
    val name = lost.name
    val durable = Option(lost.published.durable).getOrElse(throw new SparkGapException(
        SparkGapException.DATA,
        PublishedName.qualified(name),
        "its segments on this host",
        "files that are gone and no durable copy",
        s"Do publish it again, with durable => 'folder'"
      ))
    log.info(
      s"${PublishedName.qualified(name)}: segments are gone from this host, edition ${lost.published.edition} is " +
        s"read from $durable")
    val session = SparkSession.active
    exported(session.read.parquet(durable), name) { (rows, _) =>
      // Parquet comes back with nulls allowed everywhere.
      def columns(of: Manifest): String =
        of.columns.asScala.map(column => s"${column.name} ${column.`type`.ddl.replace(" not null", "")}").mkString(", ")
      if (rows.rows != lost.rows || columns(rows) != columns(lost)) {
        throw new SparkGapException(
          SparkGapException.DATA,
          s"durable copy $durable of ${PublishedName.qualified(name)}",
          s"${lost.rows} rows of ${columns(lost)}",
          s"${rows.rows} rows of ${columns(rows)}",
          "Do publish the table again"
        )
      }
      Option(tables().recover(lost, rows, session.sparkContext.applicationId))
    }
  }

  /**
   * Publishes the rows under the name, as its next edition if it exists. Segments with exactly these columns get
   * further names; other data are written first.
   *
   * @return
   *   the edition, and the bytes that were written for it, here or on other hosts
   */
  def publish(data: DataFrame, name: String): (Manifest, Long) =
    exported(data, name)((rows, bytes) =>
      (tables().publish(rows, name, data.sparkSession.sparkContext.applicationId), bytes))

  def publish(session: SparkSession, graph: Manifest, name: String): (Manifest, Long) =
    here(graph)((all, bytes) => (tables().publish(all, name, session.sparkContext.applicationId), bytes))

  /** The rows as segments of this host, which are removed when the body has given them other names. */
  private def exported[T](data: DataFrame, name: String)(body: (Manifest, Long) => T): T = {
    val made = Export.whole(data, s"publish_${TableStore.checkName(name)}")
    try here(made.manifest)((rows, fetched) => body(rows, made.bytesCopied + fetched))
    finally if (made.copies > 0) StoreTable.deleteSegments(made.manifest)
  }

  /**
   * The same table with all files on this host, for as long as the body runs, and the bytes that were fetched for it.
   * Errors: code 3 if a host of its files is lost, 4 if there is no room.
   */
  private def here[T](table: Manifest)(body: (Manifest, Long) => T): T = {
    val all = table.segments.asScala ++ Option(table.graph).toSeq.flatMap(_.segments.asScala)
    val far = all.filterNot(segment => LocalHost().is(segment.host)).distinctBy(_.path)
    val brought = new BroughtSegments(far.map(BroughtSegments.wanted).toSeq)
    try {
      val paths = brought.bring(() => true).getOrElse(Map.empty)
      val local = files(table)(segment =>
        paths.get(segment.path).fold(segment)(path =>
          new SegmentInfo(LocalHost.name, path, segment.rows, segment.bytes, segment.crc32c)))
      body(local, brought.bytes)
    } finally brought.close()
  }

  private def files(table: Manifest)(change: SegmentInfo => SegmentInfo): Manifest = {
    def changed(segments: java.util.List[SegmentInfo]) = segments.asScala.map(change).asJava
    val graph = Option(table.graph).map(g =>
      new GraphFiles(g.directed, g.weight, g.edges, changed(g.in), changed(g.out)))
    new Manifest(table.name, table.columns, changed(table.segments), graph.orNull, table.published)
  }

  /** Writes an edition's rows to the folder in the background; `sparkgap.launch.jobs()` shows the progress. */
  def copy(session: SparkSession, edition: Manifest, folder: String): Unit = {
    // Only this edition's folder: another table, or another edition of the name, may use the same parent.
    val target = s"${folder.stripSuffix("/")}/edition-${edition.published.folder}"
    val thread = new Thread(
      () => {
        val job = Jobs.begin(s"publish ${edition.name}")
        job.phase("copy")
        try {
          SparkSession.setActiveSession(session)
          val progress = new CopyProgress(session.sparkContext, job)
          try session.table(PublishedName.qualified(edition.name)).write.parquet(target)
          finally progress.stop()
          if (!tables().setDurable(edition, target)) log.info(
            s"${PublishedName.qualified(edition.name)}: a newer edition came before the copy in $target was ready")
        } catch {
          case NonFatal(e) => log.warn(
              s"${PublishedName.qualified(edition.name)}: expected to copy edition ${edition.published.edition} to " +
                s"$target, found $e. Publish it again.")
        } finally {
          job.close()
        }
      },
      s"sparkgap-publish-${edition.name}"
    )
    thread.setDaemon(true)
    thread.start()
  }
}
