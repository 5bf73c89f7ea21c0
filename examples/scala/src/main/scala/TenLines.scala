// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
import org.apache.spark.sql.SparkSession
import org.sparkgap.spark.syntax._

/** PageRank of a DataFrame of edges, and the components of the graph that is built of it once. */
object TenLines {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().appName("ten lines").getOrCreate()
    import spark.implicits._
    val edges = Seq(("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")).toDF("src", "dst")
    edges.sparkgap.pagerank(max_iterations = 20).collect().foreach(row => println(s"RANK ${row(0)} ${row(1)}"))
    val graph = edges.sparkgap.build()
    println(s"COMPONENTS ${graph.components().select("component").distinct().count()}")
    graph.drop()
    spark.stop()
  }
}
