# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
import sparkgap

spark = sparkgap.session()
edges = spark.createDataFrame([("ann", "bob"), ("bob", "cho"), ("cho", "ann"), ("dee", "ann")], ["src", "dst"])
ranks = sparkgap.graph.pagerank(edges, damping=0.85, max_iterations=20)
ranks.orderBy("pagerank", ascending=False).show()
sparkgap.last_call().show()
spark.stop()
