// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{DataFrame, SQLContext, SaveMode}
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.sources.{BaseRelation, CreatableRelationProvider, DataSourceRegister}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.sparkgap.spark.application.{SparkGap, SparkGapError}
import org.sparkgap.spark.export.Export
import org.sparkgap.spark.published.{NamedTables, Published}
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.{SparkGapException, TableStore}

/**
 * `format("sparkgap")`: tables of the store by name, "edges" or "sparkgap.store.edges".
 *
 * Reading goes through DataSource V2. Writing goes through the older interface that hands over the whole DataFrame,
 * because V2 writes rows only and the export wants the columns as the plan has them.
 */
class SparkGapSource extends TableProvider with DataSourceRegister with CreatableRelationProvider {
  override def shortName(): String = SparkGap.CatalogName

  /** Spark asks for a table also before it writes one; then it gives the schema itself. */
  override def supportsExternalMetadata(): Boolean = true

  /** The export refuses what the store does not keep, and names the column. */
  override def supportsDataType(dataType: DataType): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    NamedTables.load(SparkGapSource.name(options.asScala)).schema

  override def getTable(schema: StructType, partitioning: Array[Transform], properties: JMap[String, String]): Table = {
    val name = SparkGapSource.name(properties.asScala)
    NamedTables.find(name).getOrElse(new TableToBe(name, schema))
  }

  override def createRelation(
      context: SQLContext, mode: SaveMode, parameters: Map[String, String], data: DataFrame): BaseRelation = {
    val asked = SparkGapSource.name(parameters)
    PublishedName.plain(asked).fold(store(asked, mode, data))(publish(_, mode, data))
    new BaseRelation {
      override def sqlContext: SQLContext = context
      override def schema: StructType = data.schema
    }
  }

  /**
   * A published table is the only kind that has editions, so what is there is not written over: overwrite makes the
   * next one.
   */
  private def publish(name: String, mode: SaveMode, data: DataFrame): Unit = {
    val exists = Published.tables().get(name) != null
    check(name, mode, exists)
    if (!(exists && mode == SaveMode.Ignore)) SparkGapError.translate(Published.publish(data, name))
  }

  private def check(name: String, mode: SaveMode, exists: Boolean): Unit = {
    if (mode == SaveMode.Append) {
      throw new SparkGapException(
        SparkGapException.ARGUMENTS,
        s"table '$name'",
        "mode overwrite, errorifexists or ignore",
        "append: tables are written once",
        "Do write the union under a new name"
      )
    }
    if (exists && mode == SaveMode.ErrorIfExists) {
      throw new SparkGapException(SparkGapException.ARGUMENTS, s"table '$name'", "a name that is free",
        "a table of that name", "Do choose another or mode(\"overwrite\")")
    }
  }

  private def store(asked: String, mode: SaveMode, data: DataFrame): Unit = {
    val name = TableStore.checkName(StoreTable.plain(asked))
    Using.resource(Homes().tables().reserveToReplace(s"table '$name'", name)) { reserved =>
      val exists = Homes().tables().get(name) != null
      check(name, mode, exists)
      if (!(exists && mode == SaveMode.Ignore)) {
        val written = SparkGapError.translate(Export.write(data, name)).manifest
        Option(reserved.put(written)).foreach(StoreTable.deleteSegments)
      }
    }
  }
}

private[spark] object SparkGapSource {
  def name(options: scala.collection.Map[String, String]): String =
    options.collectFirst { case (key, value) if key.equalsIgnoreCase("path") => value }.getOrElse(
      throw new SparkGapException(SparkGapException.ARGUMENTS,
        "format(\"sparkgap\")", "the name of a table", "none", "Do say load(\"edges\") or save(\"edges\")"))
}

/** A table that is about to be written, or that a reader with a schema of its own asked for in vain. */
private[spark] final class TableToBe(asked: String, override val schema: StructType) extends Table with SupportsRead {
  override def name(): String = asked

  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = throw NamedTables.missing(asked)
}
