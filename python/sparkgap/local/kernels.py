# Copyright 2026 the sparkgap authors.
# SPDX-License-Identifier: Apache-2.0
"""Every kernel as a function of rows on this host, without Spark.

Written by dev/make_kernels.py from the Specs of the kernels; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .call import Rows, call_kernel

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "KernelMethods",
    "bfs",
    "components",
    "cpd",
    "degree",
    "kcore",
    "kmeans",
    "labelprop",
    "lcc",
    "lda",
    "linreg",
    "logreg",
    "mis",
    "naivebayes",
    "pagerank",
    "rmat",
    "scc",
    "sssp",
    "triangles",
]


def bfs(
    edges: Rows,
    source: int | str,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    variant: Literal["graphx", "ldbc"] = "graphx",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Hops from one vertex to every vertex: the least number of edges on a path.

    Parameters
    ----------
    edges : rows
        One row per edge.
    source : int or str
        The vertex where paths start.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    variant : {"graphx", "ldbc"}, default "graphx"
        The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `level: bigint`, 0 at the source.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.bfs`.

    Notes
    -----
    kernels/bfs/bfs.md has the definition, the cost and the source.
    """
    return call_kernel("bfs", locals())


def components(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Connected components: which vertices are joined by paths, whatever the direction of the edges.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `component: bigint` (or string, as the input), the smallest id in the
        component.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.components`.

    Notes
    -----
    kernels/components/components.md has the definition, the cost and the source.
    """
    return call_kernel("components", locals())


def cpd(
    data: Rows,
    *,
    modes: str | Sequence[str] | None = None,
    value: str = "value",
    rank: int = 10,
    max_iter: int = 50,
    tol: float = 0.0001,
    reg_param: float = 0.0,
    non_negative: bool = False,
    seed: int = 0,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """CP decomposition (CANDECOMP/PARAFAC) of a sparse tensor by alternating least squares; what has no row is 0.

    Parameters
    ----------
    data : rows
        One row per entry that is not 0: a key in each mode, and a value.
    modes : str or sequence of str, optional
        2 to 32 columns of keys, each of integers or strings, without nulls; must be given.
    value : str, default "value"
        Column of numbers, finite, not all 0; those of rows with the same keys add up.
    rank : int, default 10
        How many components. In [1, 1000] components.
    max_iter : int, default 50
        At most that many iterations. At least 1 iterations.
    tol : float, default 0.0001
        Ends where an iteration changes the fit by less. At least 0.
    reg_param : float, default 0.0
        How much the squares of the lambdas cost. At least 0.
    non_negative : bool, default False
        Whether factors may not be below 0.
    seed : int, default 0
        Other seeds start from other factors.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `mode: bigint`, from 0, as in modes; `key: bigint` (or string, as the input), a key of the mode, string where
        any mode has strings; `factor: array<double>`, a number for each component, the largest lambda first; over the
        keys of a mode the squares of a component's numbers add up to 1.

    Raises
    ------
    SparkGapError
        As in `sparkgap.tensor.cpd`.

    Notes
    -----
    kernels/cpd/cpd.md has the definition, the cost and the source.
    """
    return call_kernel("cpd", locals())


def degree(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """In-degree, out-degree and their sum of every vertex.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input); `in_degree: bigint`; `out_degree: bigint`; `degree: bigint`, their sum,
        a self-loop counts twice.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.degree`.

    Notes
    -----
    kernels/degree/degree.md has the definition, the cost and the source.
    """
    return call_kernel("degree", locals())


def kcore(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `core: bigint`, 0 for a vertex without neighbours.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.kcore`.

    Notes
    -----
    kernels/kcore/kcore.md has the definition, the cost and the source.
    """
    return call_kernel("kcore", locals())


def kmeans(
    data: Rows,
    *,
    features: str | Sequence[str] = "features",
    weight: str | None = None,
    k: int = 2,
    distance_measure: Literal["euclidean", "cosine"] = "euclidean",
    init_mode: Literal["k-means||", "random"] = "k-means||",
    init_steps: int = 2,
    tol: float = 0.0001,
    max_iter: int = 20,
    seed: int = 0,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Centers of k clusters such that points are near to the center of their own.

    Parameters
    ----------
    data : rows
        One row per example.
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    k : int, default 2
        At most that many clusters; fewer where there are fewer different points. In [2, 1000000000] clusters.
    distance_measure : {"euclidean", "cosine"}, default "euclidean"
        euclidean: the squared distance; cosine: 1 - cosine, every row counts as scaled to length 1.
    init_mode : {"k-means||", "random"}, default "k-means||"
        Where centers start: k-means||, or random rows.
    init_steps : int, default 2
        Steps of k-means||. In [1, 1000].
    tol : float, default 0.0001
        Ends when no center moves by more, in the distance. At least 0.
    max_iter : int, default 20
        At most that many iterations. At least 0 iterations.
    seed : int, default 0
        Other seeds start from other rows.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `cluster: bigint`, from 0; `feature: bigint`, from 0; `value: double`, a coordinate of the cluster's center.

    Raises
    ------
    SparkGapError
        As in `sparkgap.ml.kmeans`.

    Notes
    -----
    kernels/kmeans/kmeans.md has the definition, the cost and the source.
    """
    return call_kernel("kmeans", locals())


def labelprop(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    max_iterations: int = 10,
    variant: Literal["graphx", "ldbc"] = "graphx",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Communities by label propagation: each vertex takes the label that most of its neighbours have, again and again.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    max_iterations : int, default 10
        At most that many; fewer where nothing changes any more. At least 0 iterations.
    variant : {"graphx", "ldbc"}, default "graphx"
        Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes any, which is here the
        smallest, too.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `label: bigint` (or string, as the input), the id of a vertex.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.labelprop`.

    Notes
    -----
    kernels/labelprop/labelprop.md has the definition, the cost and the source.
    """
    return call_kernel("labelprop", locals())


def lcc(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Local clustering coefficient: how many of the pairs of a vertex's neighbours are joined by an edge.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `lcc: double`, in [0, 1]; 0 with fewer than two neighbours.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.lcc`.

    Notes
    -----
    kernels/lcc/lcc.md has the definition, the cost and the source.
    """
    return call_kernel("lcc", locals())


def lda(
    data: Rows,
    *,
    features: str | Sequence[str] | None = None,
    doc: str | None = None,
    word: str | None = None,
    count: str | None = None,
    k: int = 10,
    max_iter: int = 20,
    optimizer: Literal["online", "em"] = "online",
    doc_concentration: float | None = None,
    topic_concentration: float | None = None,
    learning_offset: float = 1024.0,
    learning_decay: float = 0.51,
    subsampling_rate: float = 0.05,
    optimize_doc_concentration: bool = True,
    seed: int = 0,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Topics of documents: latent Dirichlet allocation.

    Parameters
    ----------
    data : rows
        One row per document, or one per document and word.
    features : str or sequence of str, optional
        Documents as vectors of counts: one column of vectors (sparse ones are read as they are) or of arrays of
        numbers, or several columns of numbers; finite and at least 0.
    doc : str, optional
        Instead of features: column of documents, whole numbers.
    word : str, optional
        With doc: column of words, whole numbers from 0 on.
    count : str, optional
        With doc: column that says how often, finite and at least 0; without one each row counts once.
    k : int, default 10
        How many topics. In [2, 65536] topics.
    max_iter : int, default 20
        How many iterations. At least 0 iterations.
    optimizer : {"online", "em"}, default "online"
        online: variational Bayes on draws of documents; em: expectation maximisation on all.
    doc_concentration : float, optional
        The larger, the more even are documents' mixtures of topics. em: above 1. None: 1 / k; em: 50 / k + 1. At least
        0.
    topic_concentration : float, optional
        The larger, the more even are topics' words. em: above 1. None: 1 / k; em: 1.1. At least 0.
    learning_offset : float, default 1024.0
        online: iteration t counts (learning_offset + t) ** -learning_decay. Above 0.
    learning_decay : float, default 0.51
        online: as said at learning_offset. At least 0.
    subsampling_rate : float, default 0.05
        online: how many of the documents an iteration draws. In (0, 1].
    optimize_doc_concentration : bool, default True
        online: whether doc_concentration is learnt, topic by topic.
    seed : int, default 0
        Other seeds start from other shares.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `word: bigint`, from 0; `topic: bigint`, from 0; `value: double`, online: the parameter of the word in the
        topic; em: how many of its occurrences are from it.

    Raises
    ------
    SparkGapError
        As in `sparkgap.ml.lda`.

    Notes
    -----
    kernels/lda/lda.md has the definition, the cost and the source.
    """
    return call_kernel("lda", locals())


def linreg(
    data: Rows,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    reg_param: float = 0.0,
    elastic_net_param: float = 0.0,
    fit_intercept: bool = True,
    standardization: bool = True,
    solver: Literal["auto", "normal", "l-bfgs"] = "auto",
    max_iter: int = 100,
    tol: float = 1e-06,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Linear regression: least squares, ridge, lasso and elastic net.

    Parameters
    ----------
    data : rows
        One row per example.
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    reg_param : float, default 0.0
        How much large coefficients cost. At least 0.
    elastic_net_param : float, default 0.0
        How much of that is L1: 0 is ridge, 1 is lasso. In [0, 1].
    fit_intercept : bool, default True
        Whether there is an intercept.
    standardization : bool, default True
        Whether coefficients cost in units of their feature's deviation.
    solver : {"auto", "normal", "l-bfgs"}, default "auto"
        All solve the normal equations; l-bfgs takes deviations by rows less one, as MLlib's does.
    max_iter : int, default 100
        At most that many iterations, where L1 or a singular matrix take some. At least 0 iterations.
    tol : float, default 1e-06
        Iterations end there at the latest; they go on to 1e-10. At least 0.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `class: bigint`, always 0; `feature: bigint`, from 0; -1 for the intercept; `value: double`, a coefficient.

    Raises
    ------
    SparkGapError
        As in `sparkgap.ml.linreg`.

    Notes
    -----
    kernels/linreg/linreg.md has the definition, the cost and the source.
    """
    return call_kernel("linreg", locals())


def logreg(
    data: Rows,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    family: Literal["auto", "binomial", "multinomial"] = "auto",
    reg_param: float = 0.0,
    elastic_net_param: float = 0.0,
    fit_intercept: bool = True,
    standardization: bool = True,
    max_iter: int = 100,
    tol: float = 1e-06,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Logistic regression: the log-odds of classes as linear functions of the features.

    Parameters
    ----------
    data : rows
        One row per example.
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    family : {"auto", "binomial", "multinomial"}, default "auto"
        auto: binomial with up to two classes, else multinomial.
    reg_param : float, default 0.0
        How much large coefficients cost. At least 0.
    elastic_net_param : float, default 0.0
        How much of that is L1: 0 is ridge, 1 is lasso. In [0, 1].
    fit_intercept : bool, default True
        Whether there is an intercept.
    standardization : bool, default True
        Whether coefficients cost in units of their feature's deviation.
    max_iter : int, default 100
        At most that many iterations. At least 0 iterations.
    tol : float, default 1e-06
        Ends where the gradient, or the progress of twenty iterations, relative to the objective, is below it. At least
        0.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `class: bigint`, binomial has one, 0, whose numbers are the log-odds of label 1; `feature: bigint`, from 0; -1
        for the intercept; `value: double`, a coefficient.

    Raises
    ------
    SparkGapError
        As in `sparkgap.ml.logreg`.

    Notes
    -----
    kernels/logreg/logreg.md has the definition, the cost and the source.
    """
    return call_kernel("logreg", locals())


def mis(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    seed: int = 0,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """A maximal independent set by seed: no two of its vertices are neighbours, and every other vertex has one in it.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    seed : int, default 0
        Another seed, another set.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `selected: boolean`, whether the vertex is in the set.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.mis`.

    Notes
    -----
    kernels/mis/mis.md has the definition, the cost and the source.
    """
    return call_kernel("mis", locals())


def naivebayes(
    data: Rows,
    *,
    features: str | Sequence[str] = "features",
    label: str = "label",
    weight: str | None = None,
    smoothing: float = 1.0,
    model_type: Literal["multinomial", "complement", "bernoulli", "gaussian"] = "multinomial",
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """What a class tells about its features if these do not depend on each other.

    Parameters
    ----------
    data : rows
        One row per example.
    features : str or sequence of str, default "features"
        One column of vectors (sparse ones are read as they are) or of arrays of numbers, or several columns of numbers;
        all finite.
    label : str, default "label"
        Column of data with what is to be learnt, finite numbers.
    weight : str, optional
        Column of data with weights, finite and at least 0; without one every row weighs 1.
    smoothing : float, default 1.0
        Added to every count; not for gaussian. At least 0.
    model_type : {"multinomial", "complement", "bernoulli", "gaussian"}, default "multinomial"
        multinomial and complement count features, bernoulli rows that have them; gaussian takes mean and variance.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `term: string`, pi, theta or sigma; `class: double`, the label; `feature: bigint`, from 0; -1 beside pi; `value:
        double`, pi: the logarithm of the class's share; theta: the logarithm of a feature's share in the class,
        gaussian: its mean; sigma: its variance, gaussian only.

    Raises
    ------
    SparkGapError
        As in `sparkgap.ml.naivebayes`.

    Notes
    -----
    kernels/naivebayes/naivebayes.md has the definition, the cost and the source.
    """
    return call_kernel("naivebayes", locals())


def pagerank(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: Rows | None = None,
    directed: bool = True,
    damping: float = 0.85,
    max_iterations: int = 20,
    tolerance: float | None = None,
    variant: Literal["graphx", "ldbc"] = "graphx",
    source_ids: Sequence[int | str] | None = None,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """PageRank of every vertex: how often a random surfer is there.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    weight : str, optional
        Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored
        graph: the column that its weights came from.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    damping : float, default 0.85
        Chance to follow an edge instead of starting anew. In [0, 1].
    max_iterations : int, default 20
        At most that many iterations. At least 0 iterations.
    tolerance : float, optional
        Stop when no rank changes by more than this, before the final scaling. Above 0.
    variant : {"graphx", "ldbc"}, default "graphx"
        graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC Graphalytics,
        ranks sum to 1 and the rank of vertices without out-edges is spread over all.
    source_ids : sequence of int or str, optional
        Personalised: the walk starts anew at these vertices only.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `pagerank: double`, sums as the variant says.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.pagerank`.

    Notes
    -----
    kernels/pagerank/pagerank.md has the definition, the cost and the source.
    """
    return call_kernel("pagerank", locals())


def rmat(
    *,
    scale: int = 18,
    edge_factor: int = 16,
    seed: int = 1,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """A random graph with the skew of real ones, the same for the same seed.

    Parameters
    ----------
    scale : int, default 18
        log2 of the number of vertices. In [1, 31].
    edge_factor : int, default 16
        Edges per vertex. In [1, 65536].
    seed : int, default 1
        Another seed, another graph.
    a : float, default 0.57
        Probability of the quadrant where both bits are 0. In [0, 1].
    b : float, default 0.19
        Probability of the quadrant where only the bit of dst is 1. In [0, 1].
    c : float, default 0.19
        Probability of the quadrant where only the bit of src is 1; both are 1 with 1 - a - b - c. In [0, 1].
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `src: bigint`, in [0, 2**scale), shuffled labels, `dst: bigint`, in [0, 2**scale).

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.rmat`.

    Notes
    -----
    kernels/rmat/rmat.md has the definition, the cost and the source.
    """
    return call_kernel("rmat", locals())


def scc(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Strongly connected components: which vertices reach each other along the edges.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `component: bigint` (or string, as the input), the smallest id in the
        component.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.scc`.

    Notes
    -----
    kernels/scc/scc.md has the definition, the cost and the source.
    """
    return call_kernel("scc", locals())


def sssp(
    edges: Rows,
    source: int | str,
    *,
    src: str = "src",
    dst: str = "dst",
    weight: str | None = None,
    vertices: Rows | None = None,
    directed: bool = True,
    delta: float | None = None,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Distance from one vertex to every vertex: the least sum of weights on a path.

    Parameters
    ----------
    edges : rows
        One row per edge.
    source : int or str
        The vertex where paths start.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    weight : str, optional
        Column of edges with finite weights of at least 0; without one every edge weighs the same. Beside a stored
        graph: the column that its weights came from.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    delta : float, optional
        Width of the steps in which distances are settled; changes only the time. Without one it follows from weights
        and degrees. Above 0.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `distance: double`, 0 at the source, infinity where no path leads.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.sssp`.

    Notes
    -----
    kernels/sssp/sssp.md has the definition, the cost and the source.
    """
    return call_kernel("sssp", locals())


def triangles(
    edges: Rows,
    *,
    src: str = "src",
    dst: str = "dst",
    vertices: Rows | None = None,
    directed: bool = True,
    ranks: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    progress: bool | None = None,
) -> pa.Table:
    """Triangles at each vertex: sets of three vertices, each pair of which is joined by an edge.

    Parameters
    ----------
    edges : rows
        One row per edge.
    src : str, default "src"
        Column of edges with the ids that edges leave: integers or strings, without nulls.
    dst : str, default "dst"
        Column of edges with the ids that edges enter, of the same kind.
    vertices : rows, optional
        A column id: vertices that are in the result even without edges.
    directed : bool, default True
        Whether edges have a direction; if not, each row stands for both.
    ranks : int, optional
        MPI ranks; by default one.
    threads : int, optional
        Threads of each rank; by default the processors of this process / ranks.
    timeout_s : float, optional
        Deadline of the whole call in seconds; by default an hour.
    progress : bool, optional
        A progress bar; by default on a terminal and in a notebook.

    Returns
    -------
    pyarrow.Table
        `id: bigint` (or string, as the input), `count: bigint`, triangles that the vertex is part of.

    Raises
    ------
    SparkGapError
        As in `sparkgap.graph.triangles`.

    Notes
    -----
    kernels/triangles/triangles.md has the definition, the cost and the source.
    """
    return call_kernel("triangles", locals())


class KernelMethods:
    """The kernels that take a stored graph, as methods of its handle."""

    bfs = bfs
    components = components
    degree = degree
    kcore = kcore
    labelprop = labelprop
    lcc = lcc
    mis = mis
    pagerank = pagerank
    scc = scc
    sssp = sssp
    triangles = triangles
