# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""GraphFrames' class, computed natively: the same methods, parameters and result columns.

A parameter that only tunes Spark's joins (checkpoints, broadcasts, storage levels) is taken and does nothing here.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.storagelevel import StorageLevel

from ...errors import ArgumentError, speaks_of_spark
from ..kernels import bfs, components, degree, kcore, labelprop, lcc, mis, pagerank, scc, sssp, triangles
from .arguments import at_least, damping, ids, one_of
from .columns import condition, field, nested, numbered
from .kept_graphs import KeptGraphs
from .routes import shortest_routes
from .theirs import NAMES, theirs

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Until convergence means until then at the latest: with any damping under 0.99 ranks stand still long before.
_MOST_ITERATIONS = 10_000
_ENDLESS = 2**31 - 2


@speaks_of_spark
class GraphFrame:
    """A graph as two DataFrames, with GraphFrames' methods.

    Parameters
    ----------
    v : DataFrame
        A row per vertex: `id` of an integer type or string, each once, and any other columns. Or a
        `graphframes.GraphFrame`.
    e : DataFrame
        A row per edge: `src` and `dst` of the same kind, and any other columns.

    Raises
    ------
    ArgumentError
        A column is missing. The methods raise it for a parameter that cannot be honoured; and DataError, ResourceError
        and LaunchError as the kernels that they call.

    Notes
    -----
    The first algorithm exports the two tables and builds the graph natively; later ones start from there. `unpersist()`
    drops it, and so does Python when the GraphFrame is no longer referred to. Results are computed when a method is
    called, stand in the store, and hold the columns of `v` too; an id that only `e` has is a vertex without attributes.

    Examples
    --------
    >>> v = spark.createDataFrame([("a", 34), ("b", 36), ("c", 30)], ["id", "age"])
    >>> e = spark.createDataFrame([("a", "b"), ("b", "c"), ("c", "b")], ["src", "dst"])
    >>> g = GraphFrame(v, e)
    >>> [(r.id, r.age, round(r.pagerank, 2)) for r in g.pageRank(maxIter=10).vertices.orderBy("id").collect()]
    [('a', 34, 0.15), ('b', 36, 1.37), ('c', 30, 1.48)]
    >>> g.shortestPaths(["c"]).orderBy("id").collect()[0]
    Row(id='a', age=34, distances={'c': 2})
    """

    ID = "id"
    SRC = "src"
    DST = "dst"
    EDGE = "edge"
    WEIGHT = "weight"

    def __init__(self, v: Any, e: DataFrame | None = None) -> None:
        vertices, edges = (v.vertices, v.edges) if e is None and hasattr(v, "edges") else (v, e)
        for where, frame, names in (("v", vertices, ("id",)), ("e", edges, ("src", "dst"))):
            columns = getattr(frame, "columns", None)
            for name in names:
                if columns is None or name not in columns:
                    found = type(frame).__name__ if columns is None else "columns " + ", ".join(columns)
                    raise ArgumentError.of(
                        f"GraphFrame.{where}", f"a DataFrame with a column {name}", found, "Rename one."
                    )
        self._vertices: DataFrame = vertices
        self._edges: DataFrame = edges
        self._graphs = KeptGraphs(vertices, edges)

    @property
    def vertices(self) -> DataFrame:
        """The vertices, with the column `id`."""
        return self._vertices

    @property
    def nodes(self) -> DataFrame:
        """The same as `vertices`."""
        return self._vertices

    @property
    def edges(self) -> DataFrame:
        """The edges, with the columns `src` and `dst`."""
        return self._edges

    @property
    def triplets(self) -> DataFrame:
        """`src`, `edge`, `dst`: each edge as a struct between the structs of its vertices."""
        edges = nested(self._edges, "edge", from_id="src", to_id="dst")
        joined = edges.join(nested(self._vertices, "src", from_id="id"), "from_id")
        return joined.join(nested(self._vertices, "dst", to_id="id"), "to_id").select("src", "edge", "dst")

    @property
    def degrees(self) -> DataFrame:
        """`id`, `degree: bigint`: edges at each vertex that has any, a self-loop twice."""
        return self._degree("degree", "degree")

    @property
    def inDegrees(self) -> DataFrame:
        """`id`, `inDegree: bigint`: edges that enter each vertex that any enters."""
        return self._degree("in_degree", "inDegree")

    @property
    def outDegrees(self) -> DataFrame:
        """`id`, `outDegree: bigint`: edges that leave each vertex that any leaves."""
        return self._degree("out_degree", "outDegree")

    def __repr__(self) -> str:
        return f"GraphFrame(v:{self._vertices!r}, e:{self._edges!r})"

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return theirs(self._vertices, self._edges, name)

    # --- tables

    def cache(self) -> GraphFrame:
        """Cache both DataFrames; gives the same GraphFrame."""
        self._vertices.cache()
        self._edges.cache()
        return self

    def persist(self, storageLevel: StorageLevel = StorageLevel.MEMORY_ONLY) -> GraphFrame:
        """Persist both DataFrames; gives the same GraphFrame."""
        self._vertices.persist(storageLevel)
        self._edges.persist(storageLevel)
        return self

    def unpersist(self, blocking: bool = False) -> GraphFrame:
        """Drop the native graphs and unpersist both DataFrames; gives the same GraphFrame. Results stay."""
        self._graphs.drop()
        self._vertices.unpersist(blocking)
        self._edges.unpersist(blocking)
        return self

    def filterVertices(self, condition: str | Column) -> GraphFrame:
        """The vertices where the condition holds, and the edges between them."""
        kept = self._vertices.where(condition)
        ids = kept.select("id")
        from_kept = self._edges.join(ids.withColumnRenamed("id", "src"), "src", "left_semi")
        between = from_kept.join(ids.withColumnRenamed("id", "dst"), "dst", "left_semi")
        return type(self)(kept, between.select(*map(field, self._edges.columns)))

    def filterEdges(self, condition: str | Column) -> GraphFrame:
        """All vertices, and the edges where the condition holds."""
        return type(self)(self._vertices, self._edges.where(condition))

    def dropIsolatedVertices(self) -> GraphFrame:
        """All edges, and the vertices at them."""
        ends = self._edges.select(F.explode(F.array("src", "dst")).alias("id"))
        return type(self)(self._vertices.join(ends, "id", "left_semi"), self._edges)

    def as_undirected(self) -> GraphFrame:
        """Each edge in both directions, with its columns."""
        return type(self)(self._vertices, self._edges.unionByName(self._turned()))

    def as_reversed(self) -> GraphFrame:
        """Each edge in the other direction, with its columns."""
        return type(self)(self._vertices, self._turned())

    # --- algorithms

    def pageRank(
        self,
        resetProbability: float = 0.15,
        sourceId: Any | None = None,
        maxIter: int | None = None,
        tol: float | None = None,
    ) -> GraphFrame:
        """PageRank: `vertices` with `pagerank: double`, `edges` with `weight: double`, 1 / out-degree of `src`.

        Either `maxIter` iterations, or until no rank changes by more than `tol` (over 0). Ranks sum to the number of
        vertices, with a `sourceId` to 1. Columns of these names are replaced.
        """
        if (maxIter is None) == (tol is None):
            found = "none" if tol is None else "both"
            raise ArgumentError.of("GraphFrame.pageRank", "one of maxIter and tol", found, "Give one of them.")
        ranks = pagerank(
            self._graphs.get(),
            damping=damping("pageRank", resetProbability),
            tolerance=tol,
            max_iterations=_MOST_ITERATIONS if maxIter is None else maxIter,
            source_ids=None if sourceId is None else [sourceId],
        )
        return type(self)(self._joined(ranks, "pagerank"), self._weighted())

    def parallelPersonalizedPageRank(
        self, resetProbability: float = 0.15, sourceIds: list[Any] | None = None, maxIter: int | None = None
    ) -> GraphFrame:
        """Personalised PageRank of many sources: `vertices` with `pageranks: vector`, an element per source in their
        order.

        One native call per source on the graph that is built once, and one aggregation over all. `edges` as for
        `pageRank`.
        """
        from ...ml.pyspark_ml import array_to_vector

        where = "GraphFrame.parallelPersonalizedPageRank"
        sources = ids(f"{where}.sourceIds", sourceIds)
        if maxIter is None:
            raise ArgumentError.of(f"{where}.maxIter", "a number of iterations", "None", "Give one.")
        graph, follow = self._graphs.get(), damping("parallelPersonalizedPageRank", resetProbability)
        ranks = [pagerank(graph, damping=follow, max_iterations=maxIter, source_ids=[i]) for i in sources]
        tagged = [frame.withColumn("at", F.lit(n)) for n, frame in enumerate(ranks)]
        each = [F.max(F.when(F.col("at") == n, F.col("pagerank"))) for n in range(len(ranks))]
        vectors = (
            reduce(lambda a, b: a.union(b), tagged)
            .groupBy("id")
            .agg(array_to_vector(F.array(*each)).alias("pageranks"))
        )
        return type(self)(self._joined(vectors, "pageranks"), self._weighted())

    def connectedComponents(
        self,
        algorithm: str = "graphframes",
        checkpointInterval: int = 2,
        broadcastThreshold: int = 1000000,
        useLabelsAsComponents: bool = False,
        use_local_checkpoints: bool = False,
        max_iter: int = _ENDLESS,
        storage_level: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER,
    ) -> DataFrame:
        """Connected components, whatever the direction: the vertices with `component`.

        The smallest id of the component. For string ids a number instead, by the order of those, unless
        `useLabelsAsComponents`. Any `algorithm` gives this; `max_iter` cannot stop it early.
        """
        one_of("connectedComponents", algorithm, "graphframes", "two_phase", "randomized_contraction", "graphx")
        if algorithm == "graphx" and max_iter < _ENDLESS:
            raise ArgumentError.of(
                "GraphFrame.connectedComponents.max_iter",
                "no early end",
                str(max_iter),
                "Leave it out; it ends by itself.",
            )
        found = components(self._graphs.get())
        return self._joined(found if useLabelsAsComponents else numbered(found, "component"), "component")

    def stronglyConnectedComponents(self, maxIter: int) -> DataFrame:
        """Strongly connected components, who reach each other along the edges: the vertices with `component: bigint`.

        The smallest id of the component; for string ids a number instead, by the order of those. Always what GraphX
        gives after enough iterations, however few `maxIter` (at least 1) allows.
        """
        at_least("GraphFrame.stronglyConnectedComponents.maxIter", maxIter, 1)
        return self._joined(numbered(scc(self._graphs.get()), "component"), "component")

    def labelPropagation(
        self,
        maxIter: int,
        algorithm: str = "graphx",
        use_local_checkpoints: bool = False,
        checkpoint_interval: int = 2,
        storage_level: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER,
    ) -> DataFrame:
        """Communities by label propagation: the vertices with `label`, an id.

        As GraphX: labels go both ways along an edge. Ties are broken by the same rule every time, where GraphX takes
        any.
        """
        one_of("labelPropagation", algorithm, "graphx", "graphframes")
        return self._joined(labelprop(self._graphs.get(), max_iterations=maxIter, variant="graphx"), "label")

    def shortestPaths(
        self,
        landmarks: list[str | int],
        algorithm: str = "graphx",
        use_local_checkpoints: bool = False,
        checkpoint_interval: int = 2,
        storage_level: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER,
        is_directed: bool = True,
    ) -> DataFrame:
        """Hops from each vertex to the landmarks: the vertices with `distances: map<id, int>` of those that it reaches.

        The native search runs from the landmarks, one call for each, on a second stored graph with all edges turned
        around. Without direction (`is_directed` False) that is a third one.
        """
        one_of("shortestPaths", algorithm, "graphx", "graphframes")
        ids("GraphFrame.shortestPaths.landmarks", landmarks)
        graph = self._graphs.get(backward=True) if is_directed else self._graphs.get(directed=False)
        mark_type = self._vertices.schema["id"].dataType
        hops = [bfs(graph, mark).withColumn("mark", F.lit(mark).cast(mark_type)) for mark in dict.fromkeys(landmarks)]
        entry = F.when(F.col("level").isNotNull(), F.struct("mark", F.col("level").cast("int")))
        gathered = reduce(lambda a, b: a.union(b), hops).groupBy("id").agg(F.collect_list(entry).alias("entries"))
        return self._joined(gathered.select("id", F.map_from_entries("entries").alias("distances")), "distances")

    def bfs(self, fromExpr: str, toExpr: str, edgeFilter: str | None = None, maxPathLength: int = 10) -> DataFrame:
        """The shortest paths from vertices where `fromExpr` holds to those where `toExpr` does.

        Along edges where `edgeFilter` holds. A row per path: `from, e0, v1, e1, ..., to`, as structs; no rows where
        none has at most `maxPathLength` edges.
        """
        at_least("GraphFrame.bfs.maxPathLength", maxPathLength, 0)
        edges = self._edges if edgeFilter is None else self._edges.where(condition(edgeFilter))
        built = self._graphs.get if edgeFilter is None else None
        return shortest_routes(self._vertices, edges, fromExpr, toExpr, most=maxPathLength, built=built)

    def triangleCount(
        self, storage_level: StorageLevel, algorithm: str = "exact", lg_nom_entries: int = 12
    ) -> DataFrame:
        """Triangles through each vertex: the vertices with `count: bigint`. Always exact, also for `algorithm`
        "approx".
        """
        one_of("triangleCount", algorithm, "exact", "approx")
        return self._joined(triangles(self._graphs.get()), "count")

    def k_core(
        self,
        checkpoint_interval: int = 2,
        use_local_checkpoints: bool = False,
        storage_level: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER,
    ) -> DataFrame:
        """Core numbers: the vertices with `kcore: int`, 0 without neighbours.

        A pair of vertices counts once, however many edges join it and in whichever direction; self-loops do not count.
        """
        found = kcore(self._graphs.get())
        return self._joined(found.select("id", F.col("core").cast("int").alias("kcore")), "kcore")

    def maximal_independent_set(
        self,
        seed: int = 42,
        checkpoint_interval: int = 2,
        use_local_checkpoints: bool = False,
        storage_level: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER,
    ) -> DataFrame:
        """Vertices of which no two are joined by an edge, and to which none can be added: their `id`.

        The same set for the same seed, where GraphFrames gives another in each run.

        Examples
        --------
        >>> v = spark.createDataFrame([(1,), (2,), (3,), (4,)], "id bigint")
        >>> g = GraphFrame(v, spark.createDataFrame([(1, 2), (2, 3)], "src bigint, dst bigint"))
        >>> [row.id for row in g.maximal_independent_set(seed=1).orderBy("id").collect()]
        [1, 3, 4]
        """
        kind = self._vertices.schema["id"].dataType
        found = mis(self._graphs.get(), seed=seed).where("selected")
        return found.select(F.col("id").cast(kind).alias("id"))

    # --- what GraphFrames does not have

    def sssp(self, source: int | str, weightCol: str) -> DataFrame:
        """Least sums of the weights in `weightCol` from `source` along the edges: the vertices with `distance: double`.

        Infinity where no path leads.
        """
        return self._joined(sssp(self._graphs.get(weight=weightCol), source, weight=weightCol), "distance")

    def bfs_levels(self, source: int | str) -> DataFrame:
        """Hops from `source` along the edges: the vertices with `level: bigint`, null where no path leads."""
        return self._joined(bfs(self._graphs.get(), source), "level")

    def localClusteringCoefficient(self) -> DataFrame:
        """How many pairs of a vertex's neighbours are joined: the vertices with `lcc: double` in [0, 1]."""
        return self._joined(lcc(self._graphs.get()), "lcc")

    # --- parts of the above

    def _joined(self, result: DataFrame, column: str) -> DataFrame:
        """The vertices with a new column, in place of one of that name."""
        others = [name for name in self._vertices.columns if name not in ("id", column)]
        if others:
            result = result.join(self._vertices.select("id", *map(field, others)), "id", "left")
        # The native ids are bigint, whatever integers they were.
        own = {"id": field("id").cast(self._vertices.schema["id"].dataType).alias("id")}
        order = [name for name in self._vertices.columns if name != column] + [column]
        return result.select(*(own.get(name, field(name)) for name in order))

    def _degree(self, column: str, name: str) -> DataFrame:
        found = degree(self._graphs.get()).where(F.col(column) > 0)
        return found.select(
            F.col("id").cast(self._vertices.schema["id"].dataType).alias("id"), F.col(column).alias(name)
        )

    def _weighted(self) -> DataFrame:
        return self._edges.withColumn("weight", F.lit(1.0) / F.count(F.lit(1)).over(Window.partitionBy("src")))

    def _turned(self) -> DataFrame:
        other = {"src": "dst", "dst": "src"}
        return self._edges.select(*(field(other.get(name, name)).alias(name) for name in self._edges.columns))
