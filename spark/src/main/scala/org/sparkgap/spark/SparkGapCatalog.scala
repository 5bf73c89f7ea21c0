// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark

import java.util.{Collections, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, UnboundProcedure}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.sparkgap.spark.application.{Conf, SparkGap}
import org.sparkgap.spark.call.{Arguments, KernelSpec, KernelSpecs, RowsProcedure}
import org.sparkgap.spark.kernel.{CallReport, KernelCall}
import org.sparkgap.spark.programs.{ProgramProcedure, VertexProgramProcedure}
import org.sparkgap.spark.published.{NamedTables, Published, StoredGraphs}
import org.sparkgap.spark.segments.Homes
import org.sparkgap.spark.table.{PublishedName, StoreTable}
import org.sparkgap.store.SparkGapException

/**
 * The catalog `sparkgap`: the store's tables in its namespace `store`, those that outlive it in `published`, a
 * procedure per kernel in the kernel's family, and `mpi` with run() for any program, `launch` with jobs() and doctor().
 * The kernels are those whose descriptions lie in the kernel folder.
 */
class SparkGapCatalog extends TableCatalog with SupportsNamespaces with ProcedureCatalog {
  private var catalog = SparkGap.CatalogName

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = catalog = name

  override def name(): String = catalog

  override def defaultNamespace(): Array[String] = Array(StoreTable.Namespace)

  override def listTables(namespace: Array[String]): Array[Identifier] =
    if (namespace.sameElements(defaultNamespace()))
      Homes().tables().list.asScala.map(Identifier.of(namespace, _)).toArray
    else if (namespace.sameElements(Array(PublishedName.Namespace)))
      Published.tables().list.asScala.map(Identifier.of(namespace, _)).toArray
    else if (namespaceExists(namespace)) Array.empty
    else throw new NoSuchNamespaceException(namespace)

  override def loadTable(ident: Identifier): Table =
    find(ident).getOrElse(
      throw (if (StoreTable.isExact(ident.name)) NamedTables.missing(ident.name) else new NoSuchTableException(ident)))

  override def tableExists(ident: Identifier): Boolean = find(ident).isDefined

  override def dropTable(ident: Identifier): Boolean = ident.namespace match {
    case Array(StoreTable.Namespace) => StoreTable.drop(ident.name)
    case Array(PublishedName.Namespace) => Published.tables().drop(ident.name)
    case _ => false
  }

  override def createTable(ident: Identifier, columns: Array[Column], partitions: Array[Transform],
      properties: JMap[String, String]): Table =
    refuse("written with df.write.format(\"sparkgap\").save(name)", "CREATE TABLE", "Do write it that way")

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    refuse("written once", "ALTER TABLE", "Do write a new one")

  override def renameTable(from: Identifier, to: Identifier): Unit =
    refuse("written once", "ALTER TABLE RENAME", "Do write it under the other name")

  /** Tables can be read also where the kernels are not installed. */
  override def listNamespaces(): Array[Array[String]] =
    (Seq(StoreTable.Namespace, PublishedName.Namespace, LaunchProcedures.Family, ProgramProcedure.Family) ++ Try(
      kernels).getOrElse(Seq.empty).map(_.family)).distinct.map(Array(_)).toArray

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    if (namespace.isEmpty) listNamespaces()
    else if (namespaceExists(namespace)) Array.empty
    else throw new NoSuchNamespaceException(namespace)

  override def namespaceExists(namespace: Array[String]): Boolean = listNamespaces().exists(_.sameElements(namespace))

  override def loadNamespaceMetadata(namespace: Array[String]): JMap[String, String] =
    if (namespaceExists(namespace)) Collections.emptyMap() else throw new NoSuchNamespaceException(namespace)

  override def createNamespace(namespace: Array[String], metadata: JMap[String, String]): Unit =
    refuse("with fixed namespaces", "CREATE NAMESPACE", "Do use store")

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    refuse("with fixed namespaces", "ALTER NAMESPACE", "Do use store")

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean =
    refuse("with fixed namespaces", "DROP NAMESPACE", "Do drop its tables")

  override def listProcedures(namespace: Array[String]): Array[Identifier] = namespace match {
    case Array(family @ (LaunchProcedures.Family | ProgramProcedure.Family | StoreTable.Namespace)) =>
      others(family).map(p => Identifier.of(namespace, p.name)).toArray
    case Array(family) => (kernels.filter(_.family == family).map(_.name) ++ others(family).map(_.name)).map(
        Identifier.of(namespace, _)).toArray
    case _ => Array.empty
  }

  override def loadProcedure(ident: Identifier): UnboundProcedure = ident.namespace match {
    case Array(family) if others(family).exists(_.name == ident.name) => others(family).find(_.name == ident.name).get
    case Array(LaunchProcedures.Family | ProgramProcedure.Family | StoreTable.Namespace) => missing(ident)
    case Array(family) =>
      try KernelSpecs().find(Conf.of(SparkSession.active).kernelDir, family, ident.name).map(procedure).getOrElse(
          missing(ident))
      catch { case e: SparkGapException => later(ident)(throw e) }
    case _ => missing(ident)
  }

  private def procedure(spec: KernelSpec): UnboundProcedure =
    new RowsProcedure(spec.name, spec.summary, Arguments.signature(spec), CallReport.Schema)(row =>
      Seq(new KernelCall(SparkSession.active, spec, Arguments.read(spec, row)).run().row))

  /** The procedures that are no kernels. */
  private def others(family: String): Seq[RowsProcedure] = family match {
    case LaunchProcedures.Family => LaunchProcedures.All
    case ProgramProcedure.Family => ProgramProcedure.All
    case StoreTable.Namespace => StoreProcedures.All
    case "graph" => Seq(StoredGraphs.Procedure, VertexProgramProcedure.Procedure)
    case _ => Seq.empty
  }

  private def find(ident: Identifier): Option[Table] = ident.namespace match {
    case Array(StoreTable.Namespace) => StoreTable.own(ident.name)
    case Array(PublishedName.Namespace) => Published.find(ident.name).map(StoreTable(_))
    case _ => None
  }

  private def kernels: Seq[KernelSpec] = KernelSpecs().all(Conf.of(SparkSession.active).kernelDir)

  /** Spark hides what loadProcedure throws behind an error of its own, so what is missing says so when it is bound. */
  private def missing(ident: Identifier): UnboundProcedure = later(ident)(refuseMissing(ident))

  private def later(ident: Identifier)(refuse: => Nothing): UnboundProcedure = new UnboundProcedure {
    override def name(): String = ident.name
    override def bind(arguments: StructType): BoundProcedure = refuse
  }

  private def refuseMissing(ident: Identifier): Nothing = {
    val known = (Seq(LaunchProcedures.Family, ProgramProcedure.Family, StoreTable.Namespace, "graph").flatMap(f =>
      others(f).map(p => s"$f.${p.name}")) ++ kernels.map(k => s"${k.family}.${k.name}")).mkString(", ")
    throw new SparkGapException(SparkGapException.ARGUMENTS,
      s"CALL $catalog.${(ident.namespace :+ ident.name).mkString(".")}", s"one of $known", "no such kernel",
      "Do correct the name")
  }

  private def refuse(expected: String, found: String, action: String): Nothing =
    throw new SparkGapException(SparkGapException.ARGUMENTS, s"catalog $catalog", s"tables $expected", found, action)
}
