// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
package org.sparkgap.spark.methods;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.sparkgap.store.SparkGapException;

/** The typed methods as Java calls them: for MethodsTest. */
final class JavaCalls {
    private JavaCalls() {}

    static void all(SparkSession spark, Dataset<Row> edges, String word) {
        Dataset<Row> ranks = GraphKernels.pagerank(edges)
                .damping(0.85)
                .max_iterations(10)
                .source_ids(List.of(4L, "1"))
                .threads(1)
                .run();
        assertEquals(6, ranks.count());
        GraphKernels.Bfs bfs = GraphKernels.bfs(edges).source(1);
        assertEquals("bfs", bfs.call().getAs("kernel"));
        try (StoredGraph graph = GraphKernels.build(edges).directed(false).run()) {
            assertEquals(6, GraphKernels.components(graph).run().count());
            var refused = assertThrows(
                    SparkGapException.class, () -> GraphKernels.degree(graph).src("dst"));
            assertTrue(refused.text().startsWith("src: expected nothing beside a graph"), refused.text());
            assertEquals(graph.name(), StoredGraph.of(spark, graph.name()).name());
        }
        Dataset<Row> rows = spark.range(40).selectExpr("double(id) x", "double(id % 2) label");
        assertTrue(
                MlKernels.logreg(rows).features(List.of("x")).max_iter(3).run().count() > 0);
        Dataset<Row> entries = spark.range(60).selectExpr("id % 3 a", "id % 4 b", "double(id % 7) value");
        assertTrue(TensorKernels.cpd(entries)
                        .modes(List.of("a", "b"))
                        .rank(2)
                        .run()
                        .count()
                > 0);
        MpiResult counted = new MpiProgram(spark, "wc")
                .args("-l", "{inputs.t}")
                .input("t", entries, "csv")
                .run();
        assertEquals("60", counted.printed().strip().split(" ")[0]);
        Edition edition = Edition.publish(entries, "entries_" + word);
        assertEquals(60, edition.rows());
        spark.sql("DROP TABLE sparkgap.published.entries_" + word);
        assertEquals(0, documented(spark, edges, rows, entries));
    }

    /** The examples of docs/scala.md. */
    private static long documented(SparkSession spark, Dataset<Row> edges, Dataset<Row> rows, Dataset<Row> entries) {
        Dataset<Row> ranks =
                GraphKernels.pagerank(edges).damping(0.85).max_iterations(10).run();
        StoredGraph graph = GraphKernels.build(edges).directed(false).run();
        Dataset<Row> parts = GraphKernels.components(graph).run();
        Dataset<Row> model =
                MlKernels.logreg(rows).features(List.of("x")).max_iter(3).run();
        Dataset<Row> factors =
                TensorKernels.cpd(entries).modes(List.of("a", "b")).rank(2).run();
        MpiResult counted = new MpiProgram(spark, "wc")
                .args("-l", "{inputs.t}")
                .input("t", entries, "csv")
                .run();
        Edition edition = Edition.publish(entries, "my_entries");
        graph.drop();
        spark.sql("DROP TABLE sparkgap.published.my_entries");
        assertTrue(model.count() > 0 && factors.count() > 0 && counted.printed().contains("60"));
        return ranks.count() - parts.count() + edition.rows() - 60;
    }
}
