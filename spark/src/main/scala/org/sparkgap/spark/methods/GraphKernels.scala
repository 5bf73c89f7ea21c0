// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
package org.sparkgap.spark.methods

import java.util.{List => JList}

import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/**
 * Kernels on graphs, which are DataFrames of edges or graphs that `build` made. In Java: `GraphKernels.bfs(edges)`,
 * then arguments one by one, then `run()`.
 */
object GraphKernels {
  /** Hops from one vertex to every vertex: the least number of edges on a path. */
  def bfs(edges: DataFrame): Bfs = new Bfs(MainInput.Rows("edges", edges))

  def bfs(graph: StoredGraph): Bfs = new Bfs(MainInput.Stored(graph))

  final class Bfs private[methods] (input: MainInput)
      extends KernelRequest[Bfs, DataFrame]("graph.bfs", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Bfs = put("vertices", data)
    def vertices(table: String): Bfs = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Bfs = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Bfs = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Bfs = put("directed", value)

    /** The vertex where paths start. */
    def source(value: Long): Bfs = put("source", value.toString)
    def source(value: String): Bfs = put("source", value)

    /**
     * The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it. One of
     * graphx, ldbc.
     */
    def variant(value: String): Bfs = put("variant", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** A graph that later calls start from, without building it again. */
  def build(edges: DataFrame): Build = new Build(MainInput.Rows("edges", edges))

  final class Build private[methods] (input: MainInput)
      extends KernelRequest[Build, StoredGraph]("graph.build", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Build = put("vertices", data)
    def vertices(table: String): Build = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Build = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Build = put("dst", value)

    /**
     * Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
     * the column that its weights came from.
     */
    def weight(value: String): Build = put("weight", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Build = put("directed", value)

    override private[methods] def made(row: Row): StoredGraph = graph(row)
  }

  /** Connected components: which vertices are joined by paths, whatever the direction of the edges. */
  def components(edges: DataFrame): Components = new Components(MainInput.Rows("edges", edges))

  def components(graph: StoredGraph): Components = new Components(MainInput.Stored(graph))

  final class Components private[methods] (input: MainInput)
      extends KernelRequest[Components, DataFrame]("graph.components", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Components = put("vertices", data)
    def vertices(table: String): Components = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Components = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Components = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Components = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** In-degree, out-degree and their sum of every vertex. */
  def degree(edges: DataFrame): Degree = new Degree(MainInput.Rows("edges", edges))

  def degree(graph: StoredGraph): Degree = new Degree(MainInput.Stored(graph))

  final class Degree private[methods] (input: MainInput)
      extends KernelRequest[Degree, DataFrame]("graph.degree", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Degree = put("vertices", data)
    def vertices(table: String): Degree = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Degree = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Degree = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Degree = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set. */
  def kcore(edges: DataFrame): Kcore = new Kcore(MainInput.Rows("edges", edges))

  def kcore(graph: StoredGraph): Kcore = new Kcore(MainInput.Stored(graph))

  final class Kcore private[methods] (input: MainInput)
      extends KernelRequest[Kcore, DataFrame]("graph.kcore", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Kcore = put("vertices", data)
    def vertices(table: String): Kcore = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Kcore = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Kcore = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Kcore = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /**
   * Communities by label propagation: each vertex takes the label that most of its neighbours have, again and again.
   */
  def labelprop(edges: DataFrame): Labelprop = new Labelprop(MainInput.Rows("edges", edges))

  def labelprop(graph: StoredGraph): Labelprop = new Labelprop(MainInput.Stored(graph))

  final class Labelprop private[methods] (input: MainInput)
      extends KernelRequest[Labelprop, DataFrame]("graph.labelprop", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Labelprop = put("vertices", data)
    def vertices(table: String): Labelprop = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Labelprop = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Labelprop = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Labelprop = put("directed", value)

    /** At most that many; fewer where nothing changes any more. A whole number of at least 0 iterations. */
    def max_iterations(value: Long): Labelprop = put("max_iterations", value)

    /**
     * Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
     * smallest, too. One of graphx, ldbc.
     */
    def variant(value: String): Labelprop = put("variant", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge. */
  def lcc(edges: DataFrame): Lcc = new Lcc(MainInput.Rows("edges", edges))

  def lcc(graph: StoredGraph): Lcc = new Lcc(MainInput.Stored(graph))

  final class Lcc private[methods] (input: MainInput)
      extends KernelRequest[Lcc, DataFrame]("graph.lcc", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Lcc = put("vertices", data)
    def vertices(table: String): Lcc = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Lcc = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Lcc = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Lcc = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in it. */
  def mis(edges: DataFrame): Mis = new Mis(MainInput.Rows("edges", edges))

  def mis(graph: StoredGraph): Mis = new Mis(MainInput.Stored(graph))

  final class Mis private[methods] (input: MainInput)
      extends KernelRequest[Mis, DataFrame]("graph.mis", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Mis = put("vertices", data)
    def vertices(table: String): Mis = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Mis = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Mis = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Mis = put("directed", value)

    /** Another seed, another set. */
    def seed(value: Long): Mis = put("seed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** PageRank of every vertex: how often a random surfer is there. */
  def pagerank(edges: DataFrame): Pagerank = new Pagerank(MainInput.Rows("edges", edges))

  def pagerank(graph: StoredGraph): Pagerank = new Pagerank(MainInput.Stored(graph))

  final class Pagerank private[methods] (input: MainInput)
      extends KernelRequest[Pagerank, DataFrame]("graph.pagerank", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Pagerank = put("vertices", data)
    def vertices(table: String): Pagerank = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Pagerank = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Pagerank = put("dst", value)

    /**
     * Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
     * the column that its weights came from.
     */
    def weight(value: String): Pagerank = put("weight", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Pagerank = put("directed", value)

    /** Chance to follow an edge instead of starting anew. A number in [0, 1]. */
    def damping(value: Double): Pagerank = put("damping", value)

    /** At most that many iterations. A whole number of at least 0 iterations. */
    def max_iterations(value: Long): Pagerank = put("max_iterations", value)

    /** Stop when no rank changes by more than this, before the final scaling. A number above 0. */
    def tolerance(value: Double): Pagerank = put("tolerance", value)

    /**
     * graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC Graphalytics, ranks
     * sum to 1 and the rank of vertices without out-edges is spread over all. One of graphx, ldbc.
     */
    def variant(value: String): Pagerank = put("variant", value)

    /** Personalised: the walk starts anew at these vertices only. */
    def source_ids(value: JList[_]): Pagerank = put("source_ids", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** A random graph with the skew of real ones, the same for the same seed. */
  def rmat(session: SparkSession): Rmat = new Rmat(MainInput.Nothing(session))

  final class Rmat private[methods] (input: MainInput)
      extends KernelRequest[Rmat, DataFrame]("graph.rmat", input) {
    /** log2 of the number of vertices. A whole number in [1, 31]. */
    def scale(value: Long): Rmat = put("scale", value)

    /** Edges per vertex. A whole number in [1, 65536]. */
    def edge_factor(value: Long): Rmat = put("edge_factor", value)

    /** Another seed, another graph. A whole number. */
    def seed(value: Long): Rmat = put("seed", value)

    /** Probability of the quadrant where both bits are 0. A number in [0, 1]. */
    def a(value: Double): Rmat = put("a", value)

    /** Probability of the quadrant where only the bit of dst is 1. A number in [0, 1]. */
    def b(value: Double): Rmat = put("b", value)

    /**
     * Probability of the quadrant where only the bit of src is 1; both are 1 with 1 - a - b - c. A number in [0, 1].
     */
    def c(value: Double): Rmat = put("c", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Strongly connected components: which vertices reach each other along the edges. */
  def scc(edges: DataFrame): Scc = new Scc(MainInput.Rows("edges", edges))

  def scc(graph: StoredGraph): Scc = new Scc(MainInput.Stored(graph))

  final class Scc private[methods] (input: MainInput)
      extends KernelRequest[Scc, DataFrame]("graph.scc", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Scc = put("vertices", data)
    def vertices(table: String): Scc = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Scc = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Scc = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Scc = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Distance from one vertex to every vertex: the least sum of weights on a path. */
  def sssp(edges: DataFrame): Sssp = new Sssp(MainInput.Rows("edges", edges))

  def sssp(graph: StoredGraph): Sssp = new Sssp(MainInput.Stored(graph))

  final class Sssp private[methods] (input: MainInput)
      extends KernelRequest[Sssp, DataFrame]("graph.sssp", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Sssp = put("vertices", data)
    def vertices(table: String): Sssp = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Sssp = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Sssp = put("dst", value)

    /**
     * Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
     * the column that its weights came from.
     */
    def weight(value: String): Sssp = put("weight", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Sssp = put("directed", value)

    /** The vertex where paths start. */
    def source(value: Long): Sssp = put("source", value.toString)
    def source(value: String): Sssp = put("source", value)

    /**
     * Width of the steps in which distances are settled; changes only the time. Without one it follows from weights and
     * degrees. A number above 0.
     */
    def delta(value: Double): Sssp = put("delta", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge. */
  def triangles(edges: DataFrame): Triangles = new Triangles(MainInput.Rows("edges", edges))

  def triangles(graph: StoredGraph): Triangles = new Triangles(MainInput.Stored(graph))

  final class Triangles private[methods] (input: MainInput)
      extends KernelRequest[Triangles, DataFrame]("graph.triangles", input) {
    /** A column id: vertices that are in the result even without edges. Also by the name of a table or view. */
    def vertices(data: DataFrame): Triangles = put("vertices", data)
    def vertices(table: String): Triangles = put("vertices", table)

    /** Column of edges with the ids that edges leave: integers or strings, without nulls. */
    def src(value: String): Triangles = put("src", value)

    /** Column of edges with the ids that edges enter, of the same kind. */
    def dst(value: String): Triangles = put("dst", value)

    /** Whether edges have a direction; if not, each row stands for both. */
    def directed(value: Boolean): Triangles = put("directed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }
}

/** Kernels on graphs, which are DataFrames of edges or graphs that `build` made. Here as methods of a DataFrame. */
trait GraphMethods {
  private[methods] def edges: DataFrame

  /**
   * Hops from one vertex to every vertex: the least number of edges on a path.
   *
   * @param source
   *   The vertex where paths start.
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param variant
   *   The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it. One of
   *   graphx, ldbc.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def bfs(
      source: VertexId,
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      variant: String = "graphx",
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Bfs(MainInput.Rows("edges", edges)).passed(
      "source" -> source, "src" -> src, "dst" -> dst, "directed" -> directed, "variant" -> variant, "vertices" ->
      vertices, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" ->
      result).run()

  /**
   * A graph that later calls start from, without building it again.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param weight
   *   Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
   *   the column that its weights came from.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def build(
      src: String = "src",
      dst: String = "dst",
      weight: Given[String] = Given.none,
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): StoredGraph =
    new GraphKernels.Build(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "weight" -> weight, "directed" -> directed, "vertices" -> vertices, "engine" ->
      engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Connected components: which vertices are joined by paths, whatever the direction of the edges.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def components(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Components(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * In-degree, out-degree and their sum of every vertex.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def degree(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Degree(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def kcore(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Kcore(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Communities by label propagation: each vertex takes the label that most of its neighbours have, again and again.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param max_iterations
   *   At most that many; fewer where nothing changes any more. A whole number of at least 0 iterations.
   * @param variant
   *   Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
   *   smallest, too. One of graphx, ldbc.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def labelprop(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      max_iterations: Long = 10L,
      variant: String = "graphx",
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Labelprop(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "max_iterations" -> max_iterations, "variant" -> variant,
      "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s,
      "result" -> result).run()

  /**
   * Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def lcc(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Lcc(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in it.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param seed
   *   Another seed, another set.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def mis(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      seed: Long = 0L,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Mis(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "seed" -> seed, "vertices" -> vertices, "engine" -> engine,
      "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * PageRank of every vertex: how often a random surfer is there.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param weight
   *   Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
   *   the column that its weights came from.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param damping
   *   Chance to follow an edge instead of starting anew. A number in [0, 1].
   * @param max_iterations
   *   At most that many iterations. A whole number of at least 0 iterations.
   * @param tolerance
   *   Stop when no rank changes by more than this, before the final scaling. A number above 0.
   * @param variant
   *   graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC Graphalytics, ranks
   *   sum to 1 and the rank of vertices without out-edges is spread over all. One of graphx, ldbc.
   * @param source_ids
   *   Personalised: the walk starts anew at these vertices only.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def pagerank(
      src: String = "src",
      dst: String = "dst",
      weight: Given[String] = Given.none,
      directed: Boolean = true,
      damping: Double = 0.85,
      max_iterations: Long = 20L,
      tolerance: Given[Double] = Given.none,
      variant: String = "graphx",
      source_ids: Given[Seq[VertexId]] = Given.none,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Pagerank(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "weight" -> weight, "directed" -> directed, "damping" -> damping, "max_iterations" ->
      max_iterations, "tolerance" -> tolerance, "variant" -> variant, "source_ids" -> source_ids, "vertices" ->
      vertices, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" ->
      result).run()

  /**
   * Strongly connected components: which vertices reach each other along the edges.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def scc(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Scc(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Distance from one vertex to every vertex: the least sum of weights on a path.
   *
   * @param source
   *   The vertex where paths start.
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param weight
   *   Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
   *   the column that its weights came from.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param delta
   *   Width of the steps in which distances are settled; changes only the time. Without one it follows from weights and
   *   degrees. A number above 0.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def sssp(
      source: VertexId,
      src: String = "src",
      dst: String = "dst",
      weight: Given[String] = Given.none,
      directed: Boolean = true,
      delta: Given[Double] = Given.none,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Sssp(MainInput.Rows("edges", edges)).passed(
      "source" -> source, "src" -> src, "dst" -> dst, "weight" -> weight, "directed" -> directed, "delta" -> delta,
      "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s,
      "result" -> result).run()

  /**
   * Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge.
   *
   * @param src
   *   Column of edges with the ids that edges leave: integers or strings, without nulls.
   * @param dst
   *   Column of edges with the ids that edges enter, of the same kind.
   * @param directed
   *   Whether edges have a direction; if not, each row stands for both.
   * @param vertices
   *   A column id: vertices that are in the result even without edges.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def triangles(
      src: String = "src",
      dst: String = "dst",
      directed: Boolean = true,
      vertices: Given[TableArgument] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Triangles(MainInput.Rows("edges", edges)).passed(
      "src" -> src, "dst" -> dst, "directed" -> directed, "vertices" -> vertices, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()
}

/** The kernels that take a stored graph. */
trait StoredGraphMethods {
  private[methods] def graph: MainInput

  /**
   * Hops from one vertex to every vertex: the least number of edges on a path.
   *
   * @param source
   *   The vertex where paths start.
   * @param variant
   *   The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it. One of
   *   graphx, ldbc.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def bfs(
      source: VertexId,
      variant: String = "graphx",
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Bfs(graph).passed(
      "source" -> source, "variant" -> variant, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s"
      -> timeout_s, "result" -> result).run()

  /**
   * Connected components: which vertices are joined by paths, whatever the direction of the edges.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def components(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Components(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * In-degree, out-degree and their sum of every vertex.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def degree(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Degree(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def kcore(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Kcore(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Communities by label propagation: each vertex takes the label that most of its neighbours have, again and again.
   *
   * @param max_iterations
   *   At most that many; fewer where nothing changes any more. A whole number of at least 0 iterations.
   * @param variant
   *   Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
   *   smallest, too. One of graphx, ldbc.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def labelprop(
      max_iterations: Long = 10L,
      variant: String = "graphx",
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Labelprop(graph).passed(
      "max_iterations" -> max_iterations, "variant" -> variant, "engine" -> engine, "ranks" -> ranks, "threads" ->
      threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def lcc(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Lcc(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in it.
   *
   * @param seed
   *   Another seed, another set.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def mis(
      seed: Long = 0L,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Mis(graph).passed(
      "seed" -> seed, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" ->
      result).run()

  /**
   * PageRank of every vertex: how often a random surfer is there.
   *
   * @param weight
   *   Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
   *   the column that its weights came from.
   * @param damping
   *   Chance to follow an edge instead of starting anew. A number in [0, 1].
   * @param max_iterations
   *   At most that many iterations. A whole number of at least 0 iterations.
   * @param tolerance
   *   Stop when no rank changes by more than this, before the final scaling. A number above 0.
   * @param variant
   *   graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC Graphalytics, ranks
   *   sum to 1 and the rank of vertices without out-edges is spread over all. One of graphx, ldbc.
   * @param source_ids
   *   Personalised: the walk starts anew at these vertices only.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def pagerank(
      weight: Given[String] = Given.none,
      damping: Double = 0.85,
      max_iterations: Long = 20L,
      tolerance: Given[Double] = Given.none,
      variant: String = "graphx",
      source_ids: Given[Seq[VertexId]] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Pagerank(graph).passed(
      "weight" -> weight, "damping" -> damping, "max_iterations" -> max_iterations, "tolerance" -> tolerance, "variant"
      -> variant, "source_ids" -> source_ids, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" ->
      timeout_s, "result" -> result).run()

  /**
   * Strongly connected components: which vertices reach each other along the edges.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def scc(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Scc(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Distance from one vertex to every vertex: the least sum of weights on a path.
   *
   * @param source
   *   The vertex where paths start.
   * @param weight
   *   Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored graph:
   *   the column that its weights came from.
   * @param delta
   *   Width of the steps in which distances are settled; changes only the time. Without one it follows from weights and
   *   degrees. A number above 0.
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def sssp(
      source: VertexId,
      weight: Given[String] = Given.none,
      delta: Given[Double] = Given.none,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Sssp(graph).passed(
      "source" -> source, "weight" -> weight, "delta" -> delta, "engine" -> engine, "ranks" -> ranks, "threads" ->
      threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge.
   *
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def triangles(
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Triangles(graph).passed(
      "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()
}

/** The kernels that make graphs from nothing. */
trait GraphMakers {
  private[methods] def spark: SparkSession

  /**
   * A random graph with the skew of real ones, the same for the same seed.
   *
   * @param scale
   *   log2 of the number of vertices. A whole number in [1, 31].
   * @param edge_factor
   *   Edges per vertex. A whole number in [1, 65536].
   * @param seed
   *   Another seed, another graph. A whole number.
   * @param a
   *   Probability of the quadrant where both bits are 0. A number in [0, 1].
   * @param b
   *   Probability of the quadrant where only the bit of dst is 1. A number in [0, 1].
   * @param c
   *   Probability of the quadrant where only the bit of src is 1; both are 1 with 1 - a - b - c. A number in [0, 1].
   * @param engine
   *   Native ranks, or `spark` for Spark's own library where it has such an algorithm.
   * @param ranks
   *   MPI ranks; by default one, or `spark.sparkgap.launch.ranks`.
   * @param threads
   *   Threads of each rank; by default the cores that Spark has / ranks.
   * @param timeout_s
   *   Deadline of the whole call [s].
   * @param result
   *   Name of the result in `sparkgap.store`.
   */
  def rmat(
      scale: Long = 18L,
      edge_factor: Long = 16L,
      seed: Long = 1L,
      a: Double = 0.57,
      b: Double = 0.19,
      c: Double = 0.19,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new GraphKernels.Rmat(MainInput.Nothing(spark)).passed(
      "scale" -> scale, "edge_factor" -> edge_factor, "seed" -> seed, "a" -> a, "b" -> b, "c" -> c, "engine" -> engine,
      "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()
}
