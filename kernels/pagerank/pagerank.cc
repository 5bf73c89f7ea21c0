// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "pagerank/pagerank.h"

#include <cmath>

#include "arithmetic/exact_sum.h"
#include "gather/blocked_rows.h"
#include "ghosts/ghost_parts.h"
#include "graph/graph_arguments.h"
#include "process/least_memory.h"
#include "process/stopwatch.h"
#include "rows/row_chunks.h"
#include "spec/kernel.h"

namespace sparkgap::pagerank {
namespace {

/// Sums contributions along arcs.
template <bool kWeighted>
struct Gather {
  /// Longest sum without partial sums, which keep its rounding below 4096 / 4 * 1e-16.
  static constexpr int64_t kPlain = 4096;
  const uint32_t* from;
  const double* weight;
  const double* x;

  double term(int64_t k) const { return kWeighted ? x[from[k]] * weight[k] : x[from[k]]; }
  /// In four chains, because in one every addition waits for the one before.
  [[gnu::always_inline]] double plain(int64_t k, int64_t end) const {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; k + 4 <= end; k += 4) s0 += term(k), s1 += term(k + 1), s2 += term(k + 2), s3 += term(k + 3);
    for (; k < end; ++k) s0 += term(k);
    return (s0 + s1) + (s2 + s3);
  }
  [[gnu::always_inline]] double operator()(int64_t begin, int64_t end) const {
    if (end - begin <= kPlain) [[likely]]
      return plain(begin, end);
    return in_parts(begin, end);
  }
  [[gnu::noinline]] double in_parts(int64_t begin, int64_t end) const {
    ExactSum sum;
    for (; begin < end; begin += kPlain) sum.add(plain(begin, std::min(begin + kPlain, end)));
    return sum.value();
  }
};

/// What an iteration needs to know of all ranks.
struct Totals {
  ExactSum sink_mass;
  double residual = 0;
  double change = 0;  ///< summed over vertices
  Totals& operator+=(const Totals& other) {
    sink_mass += other.sink_mass;
    residual = std::max(residual, other.residual);
    change += other.change;
    return *this;
  }
};

constexpr size_t kMostChanges = 1000;
constexpr int64_t kFewIterations = 8;  // no more than another layout of the arcs takes

/// Summed in rank order.
Totals over_ranks(const Totals& mine, Comm& comm) {
  Totals all;
  for (const Totals& one : comm.allgather(mine)) all += one;
  return all;
}

class Iteration {
 public:
  Iteration(const Graph& graph, const Params& params, Comm& comm)
      : graph_(graph), params_(params), comm_(comm), chunks_(graph.in.starts), in_(graph.in), ghosts_(graph.ghosts),
        of_piece_(chunks_.pieces.size()), rank_(static_cast<size_t>(graph.rows)),
        share_(static_cast<size_t>(graph.rows)), x_(static_cast<size_t>(ghosts_.places())), next_x_(x_.size()) {
    if (!params.weighted) in_.weights = {};
    const double n = static_cast<double>(graph.vertices);
    const bool ldbc = params.variant == Variant::kLdbc;
    start_ = ldbc ? 1 / n : 1;
    double first = start_;
    if (params.source_ids) {
      const NamedRows sources = find_named_rows(graph.ids, *params.source_ids, "source_ids", comm);
      start_ = 1 / static_cast<double>(sources.distinct);
      first = 0;
      is_source_ = Buffer<uint8_t>(static_cast<size_t>(graph.rows));
      for (const int64_t row : sources.rows) {
        is_source_[static_cast<size_t>(row)] = 1;
        rank_[static_cast<size_t>(row)] = ldbc ? start_ : 1;
      }
    }
    const auto own = static_cast<size_t>(ghosts_.own());
    const auto mine = parallel_sum<Totals>(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
      Totals totals;
      for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
        const double out = params.weighted ? graph.out_weight[row] : static_cast<double>(graph.out_degree[row]);
        share_[row] = out > 0 ? 1 / out : 0;
        if (is_source_.empty()) rank_[row] = first;
        x_[own + row] = rank_[row] * share_[row];
        if (share_[row] == 0) totals.sink_mass.add(rank_[row]);
      }
      return totals;
    });
    totals_ = over_ranks(mine, comm);
    ghosts_.bring(x_.span(), comm_);
    std::vector<int64_t> near;
    if (params.max_iterations > kFewIterations && !has_least_memory())
      near = BlockedRows::near_blocks(in_, ghosts_.places());
    if (!near.empty()) {
      blocked_.emplace(in_, chunks_.chunks, ghosts_.places(), std::move(near));
      for (int thread = 0; thread < threads(); ++thread) sums_.emplace_back(BlockedRows::kMostRows);
    }
    cut_into_parts();
  }

  /// All ranks one step on; returns the largest change and their sum.
  Totals step() { return params_.weighted ? step_with<true>() : step_with<false>(); }

  /// The ranks; all of them, over all ranks, sum to `sum` where it is given.
  Buffer<double> take(std::optional<double> sum) {
    if (sum) {
      const auto mine = parallel_sum<ExactSum>(graph_.rows, 1 << 14, [&](int64_t begin, int64_t end) {
        ExactSum part;
        for (int64_t row = begin; row < end; ++row) part.add(rank_[static_cast<size_t>(row)]);
        return part;
      });
      ExactSum all;
      for (const ExactSum& one : comm_.allgather(mine)) all += one;
      const double scale = all.value() > 0 ? *sum / all.value() : 0;
      parallel_ranges(graph_.rows, 1 << 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) rank_[static_cast<size_t>(row)] *= scale;
      });
    }
    return std::move(rank_);
  }

 private:
  template <bool kWeighted>
  Totals step_with() {
    const Gather<kWeighted> gather{in_.ends.data(), in_.weights.data(), x_.data()};
    const double kept = params_.variant == Variant::kLdbc ? params_.damping * totals_.sink_mass.value() : 0;
    const double restart = start_ * (1 - params_.damping + kept);
    const int64_t tasks = this->tasks();
    for (size_t part = ghost_parts_->size(); part-- > 0;) {
      const RowMark &begin = marks_[part], &end = marks_[part + 1];
      parallel_for(end.piece - begin.piece, [&](int64_t k) {
        const auto i = static_cast<size_t>(begin.piece + k);
        of_piece_[i] = gather(chunks_.pieces[i].begin, chunks_.pieces[i].end);
        let_values_travel();
      });
      const int64_t in_part = end.chunk - begin.chunk;
      parallel_for(in_part + end.long_row - begin.long_row, [&](int64_t k) {
        const int64_t i = k < in_part ? begin.chunk + k : tasks + begin.long_row + k - in_part;
        Totals totals;
        if (i < tasks && blocked_) {
          const RowChunk rows = blocked_->rows(i);
          double* const sums = sums_[static_cast<size_t>(omp_get_thread_num())].data();
          blocked_->sum(i, x_.data(), sums);
          for (int64_t row = rows.begin; row < rows.end; ++row) finish(row, sums[row - rows.begin], restart, totals);
        } else if (i < tasks) {
          const RowChunk& chunk = chunks_.chunks[static_cast<size_t>(i)];
          const int64_t* starts = in_.starts.data();
          for (int64_t row = chunk.begin; row < chunk.end; ++row)
            finish(row, gather(starts[row], starts[row + 1]), restart, totals);
        } else {
          const LongRow& row = chunks_.long_rows[static_cast<size_t>(i - tasks)];
          ExactSum sum;
          for (size_t piece = row.first_piece; piece < row.end_piece; ++piece) sum.add(of_piece_[piece]);
          finish(row.row, sum.value(), restart, totals);
        }
        of_task_[static_cast<size_t>(i)] = totals;
        let_values_travel();
      });
      ghost_parts_->begin(part, next_x_.span(), sent_.span(), comm_);
    }
    Totals mine;
    for (const Totals& one : of_task_) mine += one;
    totals_ = over_ranks(mine, comm_);
    comm_.finish();
    std::swap(x_, next_x_);
    return totals_;
  }

  /// Those with few arcs are last and done first: nearly all values travel while most arcs are still to be summed.
  void cut_into_parts() {
    marks_ = chunks_.marks(in_.starts, GhostCuts::parts_worth(ghosts_, sizeof(double), comm_), tasks(),
                           [&](int64_t task) { return rows_of(task); });
    of_task_.resize(static_cast<size_t>(tasks()) + chunks_.long_rows.size());
    ghost_parts_.emplace(ghosts_, sparkgap::rows_of(marks_), comm_);
    sent_ = Buffer<double>(ghost_parts_->room(), Content::kAnything);
  }
  int64_t tasks() const { return blocked_ ? blocked_->groups() : static_cast<int64_t>(chunks_.chunks.size()); }
  RowChunk rows_of(int64_t task) const {
    return blocked_ ? blocked_->rows(task) : chunks_.chunks[static_cast<size_t>(task)];
  }
  void let_values_travel() {
    if (omp_get_thread_num() == 0) comm_.progress();
  }

  void finish(int64_t r, double sum, double restart, Totals& totals) {
    const auto row = static_cast<size_t>(r);
    const double rank = (is_source_.empty() || is_source_[row] ? restart : 0) + params_.damping * sum;
    const double change = std::abs(rank - rank_[row]);
    totals.residual = std::max(totals.residual, change);
    totals.change += change;
    if (share_[row] == 0) totals.sink_mass.add(rank);
    rank_[row] = rank;
    next_x_[static_cast<size_t>(ghosts_.own()) + row] = rank * share_[row];
  }

  const Graph& graph_;
  const Params& params_;
  Comm& comm_;
  const RowChunks chunks_;
  Adjacency in_;  ///< without weights where they do not count
  const Ghosts& ghosts_;
  std::optional<BlockedRows> blocked_;  ///< of the chunks, where that pays
  std::vector<Buffer<double>> sums_;    ///< of a group's rows, by thread
  std::vector<RowMark> marks_;          ///< of the parts whose values travel together
  std::optional<GhostParts> ghost_parts_;
  Buffer<double> sent_;          ///< the room of these
  std::vector<Totals> of_task_;  ///< chunks or groups, and long rows
  std::vector<double> of_piece_;
  Buffer<double> rank_, share_;  ///< by row; share = 1 / what leaves the vertex, 0 for sinks
  Buffer<double> x_, next_x_;    ///< by place: rank * share
  Buffer<uint8_t> is_source_;    ///< empty where not personalised
  double start_ = 1;
  Totals totals_;
};

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  Iteration iteration(graph, params, comm);
  Result result;
  result.converged = !params.tolerance;
  while (result.iterations < params.max_iterations) {
    const Totals step = iteration.step();
    result.residual = step.residual;
    if (result.changes.size() < kMostChanges) result.changes.push_back(step.change);
    progress("compute", ++result.iterations, params.max_iterations, result.residual);
    if (params.tolerance && result.residual <= *params.tolerance) {
      result.converged = true;
      break;
    }
  }
  std::optional<double> sum;
  if (params.variant == Variant::kGraphx) sum = params.source_ids ? 1.0 : static_cast<double>(graph.vertices);
  result.pagerank = iteration.take(sum);
  return result;
}

const Spec kSpec{
    .name = "pagerank",
    .family = "graph",
    .summary = "PageRank of every vertex: how often a random surfer is there.",
    .inputs = graph_inputs(),
    .parameters = {source_column(),
                   destination_column(),
                   weight_column(),
                   directed_flag(),
                   {.name = "damping",
                    .kind = Kind::kDouble,
                    .fallback = 0.85,
                    .doc = "Chance to follow an edge instead of starting anew.",
                    .min = 0,
                    .max = 1},
                   {.name = "max_iterations",
                    .kind = Kind::kInt,
                    .fallback = int64_t{20},
                    .doc = "At most that many iterations.",
                    .unit = "iterations",
                    .min = 0},
                   {.name = "tolerance",
                    .kind = Kind::kDouble,
                    .fallback = {},
                    .doc = "Stop when no rank changes by more than this, before the final scaling.",
                    .min = 0,
                    .min_exclusive = true},
                   {.name = "variant",
                    .kind = Kind::kChoice,
                    .fallback = std::string("graphx"),
                    .doc =
                        "graphx: as Spark's GraphX and GraphFrames, ranks sum to the number of vertices. ldbc: as LDBC "
                        "Graphalytics, ranks sum to 1 and the rank of vertices without out-edges is spread over all.",
                    .choices = {"graphx", "ldbc"}},
                   {.name = "source_ids",
                    .kind = Kind::kIds,
                    .fallback = {},
                    .doc = "Personalised: the walk starts anew at these vertices only."}},
    .output = {{"id", "id"}, {.name = "pagerank", .type = "double", .doc = "sums as the variant says"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source = "Page, Brin, Motwani, Winograd 1999, The PageRank Citation Ranking; LDBC Graphalytics specification, PR",
    .notes =
        "rank(v) = (1 - d) + d * sum over edges u -> v of rank(u) * weight / weights out of u (graphx, then scaled), "
        "where d is the damping. Duplicate edges and self-loops count. Time O(edges * iterations). The same result "
        "within 1e-12 for every ranks x threads. No convergence is no error: read converged, iterations and residual "
        "of the call.",
    .refuses = "a weight that is NaN, infinite or negative",
    .figures = {{"changes", "how much all ranks together moved, in each of the first 1000 iterations"}},
    .memory =
        [] {
          MemoryNeed need = graph_memory(Directions::kIn, {.sent = 4, .vertex = 10, .copy = 26});
          need.faster = {.arc = 3, .weight = 8};  // BlockedRows
          return need;
        }(),
};

}  // namespace sparkgap::pagerank

namespace sparkgap {
namespace {

Output run_pagerank(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const pagerank::Params params{
      .weighted = find_string(values, "weight").has_value(),
      .damping = get_double(values, "damping"),
      .max_iterations = get_int(values, "max_iterations"),
      .tolerance = find_double(values, "tolerance"),
      .variant = get_string(values, "variant") == "ldbc" ? pagerank::Variant::kLdbc : pagerank::Variant::kGraphx,
      .source_ids = find_ids(values, "source_ids"),
  };
  Opened opened = open_graph(inputs, values, Directions::kIn, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<pagerank::Result>(pagerank::run(opened.graph, params, comm, progress));
  Output output = per_vertex(std::move(opened), {{"pagerank", Type::kFloat64, result->pagerank.data(), {}}}, result);
  output.compute_s = compute.seconds();
  output.iterations = result->iterations;
  output.converged = params.tolerance ? std::optional(result->converged) : std::nullopt;
  output.residual = result->residual;
  output.figures = {{"changes", result->changes}};
  return output;
}

}  // namespace

const Kernel kKernel{pagerank::kSpec, run_pagerank};

}  // namespace sparkgap
