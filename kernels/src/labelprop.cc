// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "labelprop.h"

#include <atomic>
#include <cstring>
#include <numeric>

#include "graph_arguments.h"
#include "id_order.h"
#include "kernel.h"
#include "label_votes.h"
#include "row_chunks.h"
#include "stopwatch.h"

namespace sparkgap::labelprop {
namespace {

/// Labels are numbers of vertices; which of two is smaller, the places of their ids say.
class Propagation {
 public:
  Propagation(const Graph& graph, const Buffer<uint32_t>& places, Comm& comm)
      : graph_(graph), comm_(comm), label_(static_cast<size_t>(graph.vertices)), stale_(static_cast<size_t>(graph.vertices)) {
    parallel_ranges(graph.vertices, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t v = begin; v < end; ++v) label_[static_cast<size_t>(v)] = static_cast<uint32_t>(v);
    });
    Buffer<int64_t> starts(static_cast<size_t>(graph.rows) + 1);
    for (int64_t row = 0; row < graph.rows; ++row) {
      starts[static_cast<size_t>(row) + 1] = starts[static_cast<size_t>(row)] + degree(row);
      longest_ = std::max(longest_, degree(row));
    }
    const RowChunks chunks(starts.span());
    for (const LongRow& row : chunks.long_rows) tasks_.push_back({row.row, row.row + 1});
    tasks_.insert(tasks_.end(), chunks.chunks.begin(), chunks.chunks.end());
    changes_.resize(tasks_.size());
    for (int thread = 0; thread < threads(); ++thread) votes_.emplace_back(graph.vertices, longest_, places.data());
  }

  /// All vertices one step on; returns how many changed.
  int64_t step() {
    const auto own = [](uint32_t vertex) { return vertex; };
    const auto current = [label = label_.data()](uint32_t vertex) { return label[vertex]; };
    const Totals totals = is_first_ ? vote_anew<true>(own) : all_stale_ ? vote_anew<true>(current) : vote_anew<false>(current);
    is_first_ = false;
    share(totals.changed);
    // Where much changes it is cheaper to compute all than to find out what must be.
    all_stale_ = totals.arcs > kMostStale * 2 * static_cast<double>(graph_.directed ? graph_.arcs : graph_.arcs / 2);
    if (!all_stale_ && totals.changed > 0) mark_neighbours();
    return totals.changed;
  }

  uint32_t label(int64_t row) const { return label_[static_cast<size_t>(graph_.first + row)]; }

 private:
  static constexpr double kMostStale = 0.4;

  struct Change {
    uint32_t vertex, label;
  };
  struct Totals {
    int64_t changed = 0, arcs = 0;
  };

  std::span<const uint32_t> in(int64_t row) const { return graph_.in.of(row); }
  /// Without direction both ends of an edge are in `in`.
  std::span<const uint32_t> out(int64_t row) const { return graph_.directed ? graph_.out.of(row) : std::span<const uint32_t>(); }
  int64_t degree(int64_t row) const { return graph_.in.degree(row) + (graph_.directed ? graph_.out.degree(row) : 0); }

  /// New labels of this rank's rows, of all or of those that are stale, into label_ and changes_. Totals of all ranks.
  template <bool kAll, typename LabelOf>
  Totals vote_anew(LabelOf label_of) {
    std::atomic<int64_t> changed_arcs{0};
    parallel_for(static_cast<int64_t>(tasks_.size()), [&](int64_t t) {
      const RowChunk& task = tasks_[static_cast<size_t>(t)];
      std::vector<Change>& changes = changes_[static_cast<size_t>(t)];
      LabelVotes& votes = votes_[static_cast<size_t>(omp_get_thread_num())];
      uint8_t* const stale = stale_.data() + graph_.first;
      changes.clear();
      int64_t arcs = 0;
      for (int64_t row = task.begin; row < task.end; ++row) {
        if (!kAll && stale[row] == 0) continue;
        stale[row] = 0;
        if (degree(row) == 0) continue;
        const auto vertex = static_cast<uint32_t>(graph_.first + row);
        const uint32_t label = votes.winner(in(row), out(row), label_of);
        if (label == label_[vertex]) continue;
        changes.push_back({vertex, label});
        arcs += degree(row);
      }
      changed_arcs += arcs;
    });
    Totals totals{0, changed_arcs};
    for (const auto& changes : changes_) totals.changed += static_cast<int64_t>(changes.size());
    // Nobody may see a new label before all have voted.
    parallel_for(static_cast<int64_t>(tasks_.size()), [&](int64_t t) {
      for (const Change& change : changes_[static_cast<size_t>(t)]) label_[change.vertex] = change.label;
    });
    int64_t both[2] = {totals.changed, totals.arcs};
    changed_here_ = totals.changed;
    comm_.allreduce(std::span<int64_t>(both));
    return {both[0], both[1]};
  }

  /// Tells the other ranks: all labels, or those that changed where that is less.
  void share(int64_t changed) {
    if (comm_.size() == 1 || changed == 0) return;
    if (2 * changed >= graph_.vertices) {
      comm_.allgatherv(label_.span(), graph_.counts);
      return;
    }
    const std::vector<int64_t> counts = comm_.allgather(changed_here_);
    std::vector<Change> all(static_cast<size_t>(changed));
    auto to = all.begin() + std::accumulate(counts.begin(), counts.begin() + comm_.rank(), int64_t{0});
    for (const auto& changes : changes_) to = std::copy(changes.begin(), changes.end(), to);
    comm_.allgatherv(std::span(all), counts);
    for (const Change& change : all) label_[change.vertex] = change.label;
  }

  /// Marks the neighbours of what changed here as stale, those of other ranks too.
  void mark_neighbours() {
    parallel_for(static_cast<int64_t>(tasks_.size()), [&](int64_t t) {
      for (const Change& change : changes_[static_cast<size_t>(t)]) {
        const int64_t row = change.vertex - graph_.first;
        for (const auto& neighbours : {in(row), out(row)})
          for (const uint32_t vertex : neighbours) std::atomic_ref(stale_[vertex]).store(1, std::memory_order_relaxed);
      }
    });
    if (comm_.size() == 1) return;
    std::vector<uint32_t> found;
    std::vector<int64_t> counts(static_cast<size_t>(comm_.size())), received;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (rank == comm_.rank()) continue;
      const int64_t end = graph_.firsts[static_cast<size_t>(rank) + 1];
      const size_t before = found.size();
      for (int64_t v = next_stale(graph_.firsts[static_cast<size_t>(rank)], end); v < end; v = next_stale(v + 1, end)) {
        found.push_back(static_cast<uint32_t>(v));
        stale_[static_cast<size_t>(v)] = 0;
      }
      counts[static_cast<size_t>(rank)] = static_cast<int64_t>(found.size() - before);
    }
    for (const uint32_t vertex : comm_.alltoallv<uint32_t>(found, counts, received)) stale_[vertex] = 1;
  }

  /// The first stale vertex in [begin, end), else end.
  int64_t next_stale(int64_t begin, int64_t end) const {
    if (begin == end) return end;
    const void* found = std::memchr(stale_.data() + begin, 1, static_cast<size_t>(end - begin));
    return found == nullptr ? end : static_cast<const uint8_t*>(found) - stale_.data();
  }

  const Graph& graph_;
  Comm& comm_;
  Buffer<uint32_t> label_;  ///< by vertex of all ranks
  Buffer<uint8_t> stale_;   ///< by vertex of all ranks: 1 where a neighbour changed. Other ranks' are empty between steps
  bool is_first_ = true, all_stale_ = true;
  int64_t longest_ = 0;
  int64_t changed_here_ = 0;
  std::vector<RowChunk> tasks_;                ///< this rank's rows; those with most arcs first
  std::vector<std::vector<Change>> changes_;   ///< of the last step, by task
  std::vector<LabelVotes> votes_;              ///< by thread
};

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const GatheredIds all = gather_ids(graph.ids, comm);
  const Buffer<uint32_t> places = places_of(all.ids);
  Propagation propagation(graph, places, comm);
  Result result;
  while (result.iterations < params.max_iterations && !result.converged) {
    const int64_t changed = propagation.step();
    result.residual = static_cast<double>(changed) / static_cast<double>(graph.vertices);
    result.converged = changed == 0;
    progress("compute", ++result.iterations, params.max_iterations, result.residual);
  }
  const auto name_rows = [&](const auto& names, auto&& out) {
    parallel_ranges(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) out[static_cast<size_t>(row)] = names[propagation.label(row)];
    });
  };
  result.keep = all.keep;
  if (all.ids.strings()) {
    std::vector<std::string_view> names(static_cast<size_t>(graph.rows));
    name_rows(all.ids.texts(), names);
    result.label = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(graph.rows));
    name_rows(all.ids.integers(), *names);
    result.label = VertexIds(names->span());
    result.keep = {names};
  }
  return result;
}

const Spec kSpec{
    .name = "labelprop",
    .family = "graph",
    .summary = "Communities: every vertex takes the label that most of its neighbours have, again and again.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag(),
                   {.name = "max_iterations", .kind = Kind::kInt, .fallback = int64_t{10}, .doc = "At most that many iterations; fewer where one changes nothing.", .unit = "iterations", .min = 0},
                   // Says which definition a caller relies on; there is nothing for run() to tell apart.
                   {.name = "variant", .kind = Kind::kChoice, .fallback = std::string("graphx"),
                    .doc = "graphx leaves open which of equally frequent labels wins, ldbc takes the smallest; both give the smallest here, so the results are the same.",
                    .choices = {"graphx", "ldbc"}}},
    .output = {{"id", "id"}, {"label", "id"}},
    .match = "exact",
    .source = "Raghavan, Albert, Kumara 2007, Near linear time algorithm to detect community structures; LDBC Graphalytics specification, CDLP",
    .memory = graph_memory(Directions::kBoth, {.vertex = 40, .copy = 48, .thread = 8, .name = 48, .character = 2}),
};

}  // namespace sparkgap::labelprop

namespace sparkgap {
namespace {

Output run_labelprop(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const labelprop::Params params{get_int(values, "max_iterations")};
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<labelprop::Result>(labelprop::run(opened.graph, params, comm, progress));
  Output output = per_vertex(std::move(opened), {result->label.column("label")}, result);
  output.compute_s = compute.seconds();
  output.iterations = result->iterations;
  output.converged = result->converged;
  output.residual = result->residual;
  return output;
}

}  // namespace

const Kernel kKernel{labelprop::kSpec, run_labelprop};

}  // namespace sparkgap
