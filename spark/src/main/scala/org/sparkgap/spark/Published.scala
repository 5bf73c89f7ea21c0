// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import scala.util.control.NonFatal

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.slf4j.LoggerFactory
import org.sparkgap.launch.Jobs
import org.sparkgap.store.{Manifest, PublishedTables, SparkGapException, TableStore}

/** Tables that outlive the application and are read in place by others of the same user on this host: `sparkgap.published.<name>`. */
private[spark] object Published {
  val Namespace = "published"
  private val log = LoggerFactory.getLogger("org.sparkgap")

  def tables(): PublishedTables = {
    val stores = Homes.stores
    new PublishedTables(Homes.current().store, stores(1))
  }

  /** The plain name of "published.edges" or "sparkgap.published.edges". */
  def plain(name: String): Option[String] =
    Seq(s"${SparkGapPlugin.CatalogName}.$Namespace.", s"$Namespace.").collectFirst { case prefix if name.startsWith(prefix) => name.stripPrefix(prefix) }

  def qualified(name: String): String = s"${SparkGapPlugin.CatalogName}.$Namespace.$name"

  /**
   * The current edition, its rows on this host: where files are gone (a host that was started anew), they are read from the
   * durable copy and published again. Errors: code 3 where there is none.
   */
  def find(name: String): Option[Manifest] = Option(tables().get(name)).map { found =>
    if (PublishedTables.isWhole(found)) found
    else {
      val durable = Option(found.published.durable).getOrElse(throw new SparkGapException(SparkGapException.DATA, qualified(name), "its segments on this host",
        "files that are gone and no durable copy", s"Do publish it again, with durable => 'folder'"))
      log.info(s"${qualified(name)}: segments are gone from this host, edition ${found.published.edition} is read from $durable")
      val session = SparkSession.active
      val again = publish(session.read.parquet(durable), name)._1
      tables().setDurable(name, again.published.edition, durable)
      tables().get(name)
    }
  }

  /**
   * Publishes the rows under the name, the next edition where there is one. Segments that hold just these columns get further names,
   * other data are written first.
   *
   * @return the edition, and the bytes that were written for it
   */
  def publish(data: DataFrame, name: String): (Manifest, Long) = {
    val exported = Export.whole(data, s"publish_${TableStore.checkName(name)}")
    try (tables().publish(exported.manifest, name, data.sparkSession.sparkContext.applicationId), exported.bytesCopied)
    finally if (exported.copies > 0) StoreTable.deleteSegments(exported.manifest)
  }

  def publish(session: SparkSession, graph: Manifest, name: String): Manifest = tables().publish(graph, name, session.sparkContext.applicationId)

  /** Writes an edition's rows to the folder beside everything else; `sparkgap.launch.jobs()` tells how far it is. */
  def copy(session: SparkSession, edition: Manifest, folder: String): Unit = {
    val target = s"${folder.stripSuffix("/")}/edition-${edition.published.edition}"
    val thread = new Thread(() => {
      val job = Jobs.begin(s"publish ${edition.name}")
      job.phase("copy")
      try {
        SparkSession.setActiveSession(session)
        val progress = new CopyProgress(session.sparkContext, job)
        try session.table(qualified(edition.name)).write.mode("overwrite").parquet(target)
        finally progress.stop()
        if (!tables().setDurable(edition.name, edition.published.edition, target)) log.info(s"${qualified(edition.name)}: a newer edition came before the copy in $target was ready")
      } catch {
        case NonFatal(e) => log.warn(s"${qualified(edition.name)}: expected to copy edition ${edition.published.edition} to $target, found $e. Publish it again.")
      } finally {
        job.close()
      }
    }, s"sparkgap-publish-${edition.name}")
    thread.setDaemon(true)
    thread.start()
  }
}
