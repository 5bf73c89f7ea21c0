// Copyright 2026 the sparkgap authors.
// SPDX-License-Identifier: Apache-2.0
// Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
package org.sparkgap.spark.methods

import java.util.{List => JList}

import org.apache.spark.sql.{DataFrame, Row}

/**
 * Kernels that learn from DataFrames of rows; a model is a table. In Java: `MlKernels.kmeans(data)`, then arguments one
 * by one, then `run()`.
 */
object MlKernels {
  /** Centers of k clusters such that points are near to the center of their own. */
  def kmeans(data: DataFrame): Kmeans = new Kmeans(MainInput.Rows("data", data))

  final class Kmeans private[methods] (input: MainInput)
      extends KernelRequest[Kmeans, DataFrame]("ml.kmeans", input) {
    /**
     * One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
     * all finite.
     */
    def features(value: JList[String]): Kmeans = put("features", value)

    /** Column of data with weights, finite and at least 0; without one every row weighs 1. */
    def weight(value: String): Kmeans = put("weight", value)

    /**
     * At most that many clusters; fewer where there are fewer different points. A whole number in [2, 1000000000]
     * clusters.
     */
    def k(value: Long): Kmeans = put("k", value)

    /**
     * euclidean: the squared distance; cosine: 1 - cosine, every row counts as scaled to length 1. One of euclidean,
     * cosine.
     */
    def distance_measure(value: String): Kmeans = put("distance_measure", value)

    /** Where centers start: k-means||, or random rows. One of k-means||, random. */
    def init_mode(value: String): Kmeans = put("init_mode", value)

    /** Steps of k-means||. A whole number in [1, 1000]. */
    def init_steps(value: Long): Kmeans = put("init_steps", value)

    /** Ends when no center moves by more, in the distance. A number of at least 0. */
    def tol(value: Double): Kmeans = put("tol", value)

    /** At most that many iterations. A whole number of at least 0 iterations. */
    def max_iter(value: Long): Kmeans = put("max_iter", value)

    /** Other seeds start from other rows. */
    def seed(value: Long): Kmeans = put("seed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Topics of documents: latent Dirichlet allocation. */
  def lda(data: DataFrame): Lda = new Lda(MainInput.Rows("data", data))

  final class Lda private[methods] (input: MainInput)
      extends KernelRequest[Lda, DataFrame]("ml.lda", input) {
    /**
     * Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of arrays of numbers,
     * or several columns of numbers; finite and at least 0.
     */
    def features(value: JList[String]): Lda = put("features", value)

    /** Instead of features: column of documents, whole numbers. */
    def doc(value: String): Lda = put("doc", value)

    /** With doc: column of words, whole numbers from 0 on. */
    def word(value: String): Lda = put("word", value)

    /** With doc: column that says how often, finite and at least 0; without one each row counts once. */
    def count(value: String): Lda = put("count", value)

    /** How many topics. A whole number in [2, 65536] topics. */
    def k(value: Long): Lda = put("k", value)

    /** How many iterations. A whole number of at least 0 iterations. */
    def max_iter(value: Long): Lda = put("max_iter", value)

    /** online: variational Bayes on draws of documents; em: expectation maximisation on all. One of online, em. */
    def optimizer(value: String): Lda = put("optimizer", value)

    /**
     * The larger, the more even are documents' mixtures of topics. em: above 1. None: 1 / k; em: 50 / k + 1. A number
     * of at least 0.
     */
    def doc_concentration(value: Double): Lda = put("doc_concentration", value)

    /** The larger, the more even are topics' words. em: above 1. None: 1 / k; em: 1.1. A number of at least 0. */
    def topic_concentration(value: Double): Lda = put("topic_concentration", value)

    /** online: iteration t counts (learning_offset + t) ** -learning_decay. A number above 0. */
    def learning_offset(value: Double): Lda = put("learning_offset", value)

    /** online: as said at learning_offset. A number of at least 0. */
    def learning_decay(value: Double): Lda = put("learning_decay", value)

    /** online: how many of the documents an iteration draws. A number in (0, 1]. */
    def subsampling_rate(value: Double): Lda = put("subsampling_rate", value)

    /** online: whether doc_concentration is learnt, topic by topic. */
    def optimize_doc_concentration(value: Boolean): Lda = put("optimize_doc_concentration", value)

    /** Other seeds start from other shares. */
    def seed(value: Long): Lda = put("seed", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Linear regression: least squares, ridge, lasso and elastic net. */
  def linreg(data: DataFrame): Linreg = new Linreg(MainInput.Rows("data", data))

  final class Linreg private[methods] (input: MainInput)
      extends KernelRequest[Linreg, DataFrame]("ml.linreg", input) {
    /**
     * One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
     * all finite.
     */
    def features(value: JList[String]): Linreg = put("features", value)

    /** Column of data with what is to be learnt, finite numbers. */
    def label(value: String): Linreg = put("label", value)

    /** Column of data with weights, finite and at least 0; without one every row weighs 1. */
    def weight(value: String): Linreg = put("weight", value)

    /** How much large coefficients cost. A number of at least 0. */
    def reg_param(value: Double): Linreg = put("reg_param", value)

    /** How much of that is L1: 0 is ridge, 1 is lasso. A number in [0, 1]. */
    def elastic_net_param(value: Double): Linreg = put("elastic_net_param", value)

    /** Whether there is an intercept. */
    def fit_intercept(value: Boolean): Linreg = put("fit_intercept", value)

    /** Whether coefficients cost in units of their feature's deviation. */
    def standardization(value: Boolean): Linreg = put("standardization", value)

    /**
     * All solve the normal equations; l-bfgs takes deviations by rows less one, as MLlib's does. One of auto, normal,
     * l-bfgs.
     */
    def solver(value: String): Linreg = put("solver", value)

    /**
     * At most that many iterations, where L1 or a singular matrix take some. A whole number of at least 0 iterations.
     */
    def max_iter(value: Long): Linreg = put("max_iter", value)

    /** Iterations end there at the latest; they go on to 1e-10. A number of at least 0. */
    def tol(value: Double): Linreg = put("tol", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** Logistic regression: the log-odds of classes as linear functions of the features. */
  def logreg(data: DataFrame): Logreg = new Logreg(MainInput.Rows("data", data))

  final class Logreg private[methods] (input: MainInput)
      extends KernelRequest[Logreg, DataFrame]("ml.logreg", input) {
    /**
     * One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
     * all finite.
     */
    def features(value: JList[String]): Logreg = put("features", value)

    /** Column of data with what is to be learnt, finite numbers. */
    def label(value: String): Logreg = put("label", value)

    /** Column of data with weights, finite and at least 0; without one every row weighs 1. */
    def weight(value: String): Logreg = put("weight", value)

    /** auto: binomial with up to two classes, else multinomial. One of auto, binomial, multinomial. */
    def family(value: String): Logreg = put("family", value)

    /** How much large coefficients cost. A number of at least 0. */
    def reg_param(value: Double): Logreg = put("reg_param", value)

    /** How much of that is L1: 0 is ridge, 1 is lasso. A number in [0, 1]. */
    def elastic_net_param(value: Double): Logreg = put("elastic_net_param", value)

    /** Whether there is an intercept. */
    def fit_intercept(value: Boolean): Logreg = put("fit_intercept", value)

    /** Whether coefficients cost in units of their feature's deviation. */
    def standardization(value: Boolean): Logreg = put("standardization", value)

    /** At most that many iterations. A whole number of at least 0 iterations. */
    def max_iter(value: Long): Logreg = put("max_iter", value)

    /**
     * Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it. A number
     * of at least 0.
     */
    def tol(value: Double): Logreg = put("tol", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }

  /** What a class tells about its features if these do not depend on each other. */
  def naivebayes(data: DataFrame): Naivebayes = new Naivebayes(MainInput.Rows("data", data))

  final class Naivebayes private[methods] (input: MainInput)
      extends KernelRequest[Naivebayes, DataFrame]("ml.naivebayes", input) {
    /**
     * One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
     * all finite.
     */
    def features(value: JList[String]): Naivebayes = put("features", value)

    /** Column of data with what is to be learnt, finite numbers. */
    def label(value: String): Naivebayes = put("label", value)

    /** Column of data with weights, finite and at least 0; without one every row weighs 1. */
    def weight(value: String): Naivebayes = put("weight", value)

    /** Added to every count; not for gaussian. A number of at least 0. */
    def smoothing(value: Double): Naivebayes = put("smoothing", value)

    /**
     * multinomial and complement count features, bernoulli rows that have them; gaussian takes mean and variance. One
     * of multinomial, complement, bernoulli, gaussian.
     */
    def model_type(value: String): Naivebayes = put("model_type", value)

    override private[methods] def made(row: Row): DataFrame = table(row)
  }
}

/** Kernels that learn from DataFrames of rows; a model is a table. Here as methods of a DataFrame. */
trait MlMethods {
  private[methods] def data: DataFrame

  /**
   * Centers of k clusters such that points are near to the center of their own.
   *
   * @param features
   *   One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
   *   all finite.
   * @param weight
   *   Column of data with weights, finite and at least 0; without one every row weighs 1.
   * @param k
   *   At most that many clusters; fewer where there are fewer different points. A whole number in [2, 1000000000]
   *   clusters.
   * @param distance_measure
   *   euclidean: the squared distance; cosine: 1 - cosine, every row counts as scaled to length 1. One of euclidean,
   *   cosine.
   * @param init_mode
   *   Where centers start: k-means||, or random rows. One of k-means||, random.
   * @param init_steps
   *   Steps of k-means||. A whole number in [1, 1000].
   * @param tol
   *   Ends when no center moves by more, in the distance. A number of at least 0.
   * @param max_iter
   *   At most that many iterations. A whole number of at least 0 iterations.
   * @param seed
   *   Other seeds start from other rows.
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
  def kmeans(
      features: Seq[String] = Seq("features"),
      weight: Given[String] = Given.none,
      k: Long = 2L,
      distance_measure: String = "euclidean",
      init_mode: String = "k-means||",
      init_steps: Long = 2L,
      tol: Double = 0.0001,
      max_iter: Long = 20L,
      seed: Long = 0L,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new MlKernels.Kmeans(MainInput.Rows("data", data)).passed(
      "features" -> features, "weight" -> weight, "k" -> k, "distance_measure" -> distance_measure, "init_mode" ->
      init_mode, "init_steps" -> init_steps, "tol" -> tol, "max_iter" -> max_iter, "seed" -> seed, "engine" -> engine,
      "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Topics of documents: latent Dirichlet allocation.
   *
   * @param features
   *   Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of arrays of numbers,
   *   or several columns of numbers; finite and at least 0.
   * @param doc
   *   Instead of features: column of documents, whole numbers.
   * @param word
   *   With doc: column of words, whole numbers from 0 on.
   * @param count
   *   With doc: column that says how often, finite and at least 0; without one each row counts once.
   * @param k
   *   How many topics. A whole number in [2, 65536] topics.
   * @param max_iter
   *   How many iterations. A whole number of at least 0 iterations.
   * @param optimizer
   *   online: variational Bayes on draws of documents; em: expectation maximisation on all. One of online, em.
   * @param doc_concentration
   *   The larger, the more even are documents' mixtures of topics. em: above 1. None: 1 / k; em: 50 / k + 1. A number
   *   of at least 0.
   * @param topic_concentration
   *   The larger, the more even are topics' words. em: above 1. None: 1 / k; em: 1.1. A number of at least 0.
   * @param learning_offset
   *   online: iteration t counts (learning_offset + t) ** -learning_decay. A number above 0.
   * @param learning_decay
   *   online: as said at learning_offset. A number of at least 0.
   * @param subsampling_rate
   *   online: how many of the documents an iteration draws. A number in (0, 1].
   * @param optimize_doc_concentration
   *   online: whether doc_concentration is learnt, topic by topic.
   * @param seed
   *   Other seeds start from other shares.
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
  def lda(
      features: Given[Seq[String]] = Given.none,
      doc: Given[String] = Given.none,
      word: Given[String] = Given.none,
      count: Given[String] = Given.none,
      k: Long = 10L,
      max_iter: Long = 20L,
      optimizer: String = "online",
      doc_concentration: Given[Double] = Given.none,
      topic_concentration: Given[Double] = Given.none,
      learning_offset: Double = 1024.0,
      learning_decay: Double = 0.51,
      subsampling_rate: Double = 0.05,
      optimize_doc_concentration: Boolean = true,
      seed: Long = 0L,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new MlKernels.Lda(MainInput.Rows("data", data)).passed(
      "features" -> features, "doc" -> doc, "word" -> word, "count" -> count, "k" -> k, "max_iter" -> max_iter,
      "optimizer" -> optimizer, "doc_concentration" -> doc_concentration, "topic_concentration" -> topic_concentration,
      "learning_offset" -> learning_offset, "learning_decay" -> learning_decay, "subsampling_rate" -> subsampling_rate,
      "optimize_doc_concentration" -> optimize_doc_concentration, "seed" -> seed, "engine" -> engine, "ranks" -> ranks,
      "threads" -> threads, "timeout_s" -> timeout_s, "result" -> result).run()

  /**
   * Linear regression: least squares, ridge, lasso and elastic net.
   *
   * @param features
   *   One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
   *   all finite.
   * @param label
   *   Column of data with what is to be learnt, finite numbers.
   * @param weight
   *   Column of data with weights, finite and at least 0; without one every row weighs 1.
   * @param reg_param
   *   How much large coefficients cost. A number of at least 0.
   * @param elastic_net_param
   *   How much of that is L1: 0 is ridge, 1 is lasso. A number in [0, 1].
   * @param fit_intercept
   *   Whether there is an intercept.
   * @param standardization
   *   Whether coefficients cost in units of their feature's deviation.
   * @param solver
   *   All solve the normal equations; l-bfgs takes deviations by rows less one, as MLlib's does. One of auto, normal,
   *   l-bfgs.
   * @param max_iter
   *   At most that many iterations, where L1 or a singular matrix take some. A whole number of at least 0 iterations.
   * @param tol
   *   Iterations end there at the latest; they go on to 1e-10. A number of at least 0.
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
  def linreg(
      features: Seq[String] = Seq("features"),
      label: String = "label",
      weight: Given[String] = Given.none,
      reg_param: Double = 0.0,
      elastic_net_param: Double = 0.0,
      fit_intercept: Boolean = true,
      standardization: Boolean = true,
      solver: String = "auto",
      max_iter: Long = 100L,
      tol: Double = 1e-06,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new MlKernels.Linreg(MainInput.Rows("data", data)).passed(
      "features" -> features, "label" -> label, "weight" -> weight, "reg_param" -> reg_param, "elastic_net_param" ->
      elastic_net_param, "fit_intercept" -> fit_intercept, "standardization" -> standardization, "solver" -> solver,
      "max_iter" -> max_iter, "tol" -> tol, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" ->
      timeout_s, "result" -> result).run()

  /**
   * Logistic regression: the log-odds of classes as linear functions of the features.
   *
   * @param features
   *   One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
   *   all finite.
   * @param label
   *   Column of data with what is to be learnt, finite numbers.
   * @param weight
   *   Column of data with weights, finite and at least 0; without one every row weighs 1.
   * @param family
   *   auto: binomial with up to two classes, else multinomial. One of auto, binomial, multinomial.
   * @param reg_param
   *   How much large coefficients cost. A number of at least 0.
   * @param elastic_net_param
   *   How much of that is L1: 0 is ridge, 1 is lasso. A number in [0, 1].
   * @param fit_intercept
   *   Whether there is an intercept.
   * @param standardization
   *   Whether coefficients cost in units of their feature's deviation.
   * @param max_iter
   *   At most that many iterations. A whole number of at least 0 iterations.
   * @param tol
   *   Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it. A number
   *   of at least 0.
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
  def logreg(
      features: Seq[String] = Seq("features"),
      label: String = "label",
      weight: Given[String] = Given.none,
      family: String = "auto",
      reg_param: Double = 0.0,
      elastic_net_param: Double = 0.0,
      fit_intercept: Boolean = true,
      standardization: Boolean = true,
      max_iter: Long = 100L,
      tol: Double = 1e-06,
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new MlKernels.Logreg(MainInput.Rows("data", data)).passed(
      "features" -> features, "label" -> label, "weight" -> weight, "family" -> family, "reg_param" -> reg_param,
      "elastic_net_param" -> elastic_net_param, "fit_intercept" -> fit_intercept, "standardization" -> standardization,
      "max_iter" -> max_iter, "tol" -> tol, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" ->
      timeout_s, "result" -> result).run()

  /**
   * What a class tells about its features if these do not depend on each other.
   *
   * @param features
   *   One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
   *   all finite.
   * @param label
   *   Column of data with what is to be learnt, finite numbers.
   * @param weight
   *   Column of data with weights, finite and at least 0; without one every row weighs 1.
   * @param smoothing
   *   Added to every count; not for gaussian. A number of at least 0.
   * @param model_type
   *   multinomial and complement count features, bernoulli rows that have them; gaussian takes mean and variance. One
   *   of multinomial, complement, bernoulli, gaussian.
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
  def naivebayes(
      features: Seq[String] = Seq("features"),
      label: String = "label",
      weight: Given[String] = Given.none,
      smoothing: Double = 1.0,
      model_type: String = "multinomial",
      engine: String = "native",
      ranks: Given[Long] = Given.none,
      threads: Given[Long] = Given.none,
      timeout_s: Given[Double] = Given.none,
      result: Given[String] = Given.none
  ): DataFrame =
    new MlKernels.Naivebayes(MainInput.Rows("data", data)).passed(
      "features" -> features, "label" -> label, "weight" -> weight, "smoothing" -> smoothing, "model_type" ->
      model_type, "engine" -> engine, "ranks" -> ranks, "threads" -> threads, "timeout_s" -> timeout_s, "result" ->
      result).run()
}
