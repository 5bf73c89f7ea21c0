// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.table

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.sparkgap.spark.application.SparkGap

/** What published tables are called in SQL: `sparkgap.published.<name>`. */
private[spark] object PublishedName {
  val Namespace = "published"

  /** The plain name of "published.edges" or "sparkgap.published.edges". */
  def plain(name: String): Option[String] =
    Seq(s"${SparkGap.CatalogName}.$Namespace.", s"$Namespace.").collectFirst {
      case prefix if name.startsWith(prefix) => StoreTable.unquoted(name.stripPrefix(prefix))
    }

  def qualified(name: String): String = s"${SparkGap.CatalogName}.$Namespace.${QuotingUtils.quoteIfNeeded(name)}"
}
