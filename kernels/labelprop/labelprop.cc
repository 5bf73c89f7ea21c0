// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "labelprop/labelprop.h"

#include <atomic>
#include <cstring>
#include <numeric>

#include "graph/graph_arguments.h"
#include "id_order/id_directory.h"
#include "id_order/id_order.h"
#include "labelprop/label_votes.h"
#include "process/stopwatch.h"
#include "rows/row_chunks.h"
#include "spec/kernel.h"

namespace sparkgap::labelprop {
namespace {

template <typename Labels>
class Propagation {
 public:
  using Label = typename Labels::Label;

  /// first: by place, the label of each vertex at the start.
  Propagation(const Graph& graph, const Labels& labels, Buffer<Label> first, Comm& comm)
      : graph_(graph), comm_(comm), in_(graph.in), out_(graph.out), ghosts_(graph.ghosts), labels_(labels),
        label_(std::move(first)), before_(label_.size(), Content::kAnything), stale_(label_.size()),
        unlike_before_(static_cast<size_t>(graph.rows)) {
    parallel_ranges(ghosts_.places(), 1 << 14, [&](int64_t begin, int64_t end) {
      std::fill(before_.begin() + begin, before_.begin() + end, kNoLabel);
    });
    Buffer<int64_t> starts(static_cast<size_t>(graph.rows) + 1);
    for (int64_t row = 0; row < graph.rows; ++row) {
      starts[static_cast<size_t>(row) + 1] = starts[static_cast<size_t>(row)] + degree(row);
      longest_ = std::max(longest_, degree(row));
    }
    tasks_ = RowChunks(starts.span()).of_whole_rows();
    for (int thread = 0; thread < threads(); ++thread) votes_.emplace_back(labels, longest_);
  }

  /// All vertices one step on; returns how many changed.
  int64_t step() {
    // What lies anywhere is asked for beforehand, for the rows that follow too.
    const auto ask = [in = Followed(in_), out = Followed(out_)](const uint32_t* end, const auto* values) {
      if (in.has(end) || out.has(end)) __builtin_prefetch(&values[end[kAhead]]);
    };
    const auto current = [ask, label = label_.data()](const uint32_t* end) {
      ask(end, label);
      return label[*end];
    };
    const Totals totals = is_first_    ? vote_first(ask, current)
                          : all_stale_ ? vote_anew<true>(current)
                                       : vote_anew<false>(current);
    is_first_ = false;
    share(totals);
    std::swap(label_, before_);
    swings_ = totals.unlike_before.arcs <= totals.changed.arcs;
    const int64_t arcs = swings_ ? totals.unlike_before.arcs : totals.changed.arcs;
    // Where much changes it is cheaper to compute all than to find out what must be.
    all_stale_ = static_cast<double>(arcs) >
                 kMostStale * 2 * static_cast<double>(graph_.directed ? graph_.arcs : graph_.arcs / 2);
    if (!all_stale_ && totals.changed.vertices > 0) mark_neighbours();
    return totals.changed.vertices;
  }

  Label label(int64_t row) const { return label_[place(row)]; }

 private:
  static constexpr double kMostStale = 0.4;
  static constexpr size_t kAhead = 32;

  /// Places in an array of ends that have kAhead more behind them.
  struct Followed {
    uintptr_t first, bytes;
    explicit Followed(const Adjacency& arcs)
        : first(reinterpret_cast<uintptr_t>(arcs.ends.data())),
          bytes((arcs.ends.size() - std::min(arcs.ends.size(), kAhead)) * sizeof(uint32_t)) {}
    bool has(const uint32_t* vertex) const { return reinterpret_cast<uintptr_t>(vertex) - first < bytes; }
  };

  static constexpr Label kNoLabel = ~Label{0};

  /// Some vertices, and the arcs at them.
  struct Count {
    int64_t vertices = 0, arcs = 0;
    /// Without a branch: whether a vertex changed nobody can guess.
    void add_if(bool counts, int64_t degree) { vertices += counts, arcs += -static_cast<int64_t>(counts) & degree; }
  };
  struct Totals {
    Count changed;        ///< in this step
    Count unlike_before;  ///< whose label is not that of two steps ago either
    Totals& operator+=(const Totals& other) {
      changed.vertices += other.changed.vertices, changed.arcs += other.changed.arcs;
      unlike_before.vertices += other.unlike_before.vertices, unlike_before.arcs += other.unlike_before.arcs;
      return *this;
    }
  };

  size_t place(int64_t row) const { return static_cast<size_t>(ghosts_.own() + row); }
  std::span<const uint32_t> in(int64_t row) const { return in_.of(row); }
  /// Without direction both ends of an edge are in `in`.
  std::span<const uint32_t> out(int64_t row) const {
    return graph_.directed ? out_.of(row) : std::span<const uint32_t>();
  }
  int64_t degree(int64_t row) const { return in_.degree(row) + (graph_.directed ? out_.degree(row) : 0); }

  /// The first step: where labels are numbers and places too, an end of an arc is its label.
  template <typename Ask, typename LabelOf>
  Totals vote_first(Ask ask, LabelOf current) {
    if constexpr (std::is_same_v<Labels, NumberLabels>) {
      return vote_anew<true>([ask, places = labels_.places](const uint32_t* end) {
        ask(end, places);
        return *end;
      });
    } else {
      return vote_anew<true>(current);
    }
  }

  /// New labels of this rank's rows into before_, of all computed or of those that are stale. Totals of all ranks.
  template <bool kAll, typename LabelOf>
  Totals vote_anew(LabelOf label_of) {
    std::vector<Totals> parts(tasks_.size());
    parallel_for(static_cast<int64_t>(tasks_.size()), [&](int64_t t) {
      const RowChunk& task = tasks_[static_cast<size_t>(t)];
      LabelVotes<Labels>& votes = votes_[static_cast<size_t>(omp_get_thread_num())];
      uint8_t* const stale = stale_.data() + ghosts_.own();
      Totals totals;
      const auto vote = [&](int64_t row) {
        stale[row] = 0;
        return degree(row) == 0 ? label_[place(row)] : votes.winner(in(row), out(row), label_of);
      };
      const auto put = [&](int64_t row, Label next) {
        Label& before = before_[place(row)];
        unlike_before_[static_cast<size_t>(row)] = next != before;
        totals.unlike_before.add_if(next != before, degree(row));
        before = next;
      };
      if (!kAll && swings_) {
        std::memset(unlike_before_.data() + task.begin, 0, static_cast<size_t>(task.end - task.begin));
        for (int64_t row = next_set(stale, task.begin, task.end); row < task.end;
             row = next_set(stale, row + 1, task.end))
          put(row, vote(row));
        const Label *last = label_.data() + ghosts_.own(), *next = before_.data() + ghosts_.own();
        for (int64_t row = task.begin; row < task.end; ++row) totals.changed.vertices += last[row] != next[row];
        totals.changed.arcs = 2 * graph_.arcs;  // nobody counted: it goes on like this
      } else {
        for (int64_t row = task.begin; row < task.end; ++row) {
          const Label last = label_[place(row)], next = kAll || stale[row] != 0 ? vote(row) : last;
          totals.changed.add_if(next != last, degree(row));
          put(row, next);
        }
      }
      parts[static_cast<size_t>(t)] = totals;
    });
    Totals here;
    for (const Totals& part : parts) here += part;
    int64_t all[4] = {here.changed.vertices, here.changed.arcs, here.unlike_before.vertices, here.unlike_before.arcs};
    comm_.allreduce(std::span<int64_t>(all));
    return {{all[0], all[1]}, {all[2], all[3]}};
  }

  /// Tells the ranks that have them as ghosts: all labels, or those that are not what they were one step or two steps
  /// ago, where that is less.
  void share(const Totals& totals) {
    if (comm_.size() == 1 || totals.changed.vertices == 0) return;
    const bool since_before = totals.unlike_before.vertices <= totals.changed.vertices;
    const int64_t fewest = since_before ? totals.unlike_before.vertices : totals.changed.vertices;
    if (4 * fewest >= 3 * graph_.vertices) {
      ghosts_.bring(before_.span(), comm_);
    } else if (since_before) {
      ghosts_.bring_changed(
          before_.span(), [&](uint32_t row) { return unlike_before_[row] != 0; }, [](int64_t) {}, comm_);
    } else {
      ghosts_.each_range([&](int64_t begin, int64_t end) {
        std::copy(label_.begin() + begin, label_.begin() + end, before_.begin() + begin);
      });
      ghosts_.bring_changed(
          before_.span(), [&](uint32_t row) { return before_[place(row)] != label_[place(row)]; }, [](int64_t) {},
          comm_);
    }
  }

  /// Marks the neighbours of vertices that changed on this rank as stale, on other ranks too.
  void mark_neighbours() {
    parallel_for(static_cast<int64_t>(tasks_.size()), [&](int64_t t) {
      const RowChunk& task = tasks_[static_cast<size_t>(t)];
      const auto mark = [&](int64_t row) {
        for (const auto& neighbours : {in(row), out(row)})
          for (const uint32_t neighbour : neighbours)
            std::atomic_ref(stale_[neighbour]).store(1, std::memory_order_relaxed);
      };
      if (swings_) {
        for (int64_t row = next_set(unlike_before_.data(), task.begin, task.end); row < task.end;
             row = next_set(unlike_before_.data(), row + 1, task.end))
          mark(row);
      } else {
        for (int64_t row = task.begin; row < task.end; ++row)
          if (label_[place(row)] != before_[place(row)]) mark(row);
      }
    });
    ghosts_.take_home(stale_.span(), comm_);
  }

  /// The first in [begin, end) whose flag is 1, else end.
  static int64_t next_set(const uint8_t* flags, int64_t begin, int64_t end) {
    if (begin == end) return end;
    const void* found = std::memchr(flags + begin, 1, static_cast<size_t>(end - begin));
    return found == nullptr ? end : static_cast<const uint8_t*>(found) - flags;
  }

  const Graph& graph_;
  Comm& comm_;
  const Adjacency &in_, &out_;
  const Ghosts& ghosts_;
  const Labels labels_;
  // All by place of Ghosts. Labels may swing between two states for ever; so a vertex keeps the label of the last
  // step where its neighbours' are those of the step before, or takes that of two steps ago where theirs are: whichever
  // leaves fewer to compute.
  Buffer<Label> label_;            ///< of the last step
  Buffer<Label> before_;           ///< of the step before it; while a step is made, its own
  Buffer<uint8_t> stale_;          ///< 1 where a neighbour's changed. Ghosts' are 0 between steps
  Buffer<uint8_t> unlike_before_;  ///< by row: whether the last step's label was another two steps earlier
  bool is_first_ = true, all_stale_ = true;
  bool swings_ = false;  ///< what is not stale takes before_, else label_
  int64_t longest_ = 0;
  std::vector<RowChunk> tasks_;            ///< this rank's rows; those with most arcs first
  std::vector<LabelVotes<Labels>> votes_;  ///< by thread
};

template <typename Labels>
void propagate(Propagation<Labels>& propagation, const Graph& graph, const Params& params, const Progress& progress,
               Result& result) {
  while (result.iterations < params.max_iterations && !result.converged) {
    const int64_t changed = propagation.step();
    result.residual = static_cast<double>(changed) / static_cast<double>(graph.vertices);
    result.converged = changed == 0;
    progress("compute", ++result.iterations, params.max_iterations, result.residual);
  }
}

/// The label of each row is one of `ids`: that with the index at(row).
template <typename At>
void name_rows(const VertexIds& ids, int64_t rows, At&& at, Result& result) {
  const auto fill = [&](const auto& names, auto&& out) {
    parallel_ranges(rows, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) out[static_cast<size_t>(row)] = names[at(row)];
    });
  };
  if (ids.strings()) {
    std::vector<std::string_view> names(static_cast<size_t>(rows));
    fill(ids.texts(), names);
    result.label = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(rows));
    fill(ids.integers(), *names);
    result.label = VertexIds(names->span());
    result.keep = {names};
  }
}

/// Each rank knows all ids.
Result run_by_number(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const KeptIds all = gather_ids(graph.ids, comm);
  const Buffer<uint32_t> places = places_of(all.ids);
  Buffer<uint32_t> first(static_cast<size_t>(graph.vertices), Content::kAnything);
  parallel_ranges(graph.vertices, 1 << 14, [&](int64_t begin, int64_t end) {
    std::iota(first.begin() + begin, first.begin() + end, static_cast<uint32_t>(begin));
  });
  Propagation<NumberLabels> propagation(graph, {graph.vertices, places.data()}, std::move(first), comm);
  Result result;
  result.keep = all.keep;
  propagate(propagation, graph, params, progress, result);
  name_rows(all.ids, graph.rows, [&](int64_t row) { return propagation.label(row); }, result);
  return result;
}

/// No rank knows more ids than it must.
template <typename Label>
Result run_by_place(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const IdDirectory directory(graph.ids, comm);
  Buffer<Label> first(static_cast<size_t>(graph.ghosts.places()));
  for (int64_t row = 0; row < graph.rows; ++row)
    first[graph.ghosts.place(row)] = static_cast<Label>(directory.places()[static_cast<size_t>(row)]);
  graph.ghosts.bring(first.span(), comm);
  Propagation<PlaceLabels<Label>> propagation(graph, {}, std::move(first), comm);
  Result result;
  propagate(propagation, graph, params, progress, result);
  std::vector<int64_t> labels;
  for (int64_t row = 0; row < graph.rows; ++row) labels.push_back(static_cast<int64_t>(propagation.label(row)));
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const KeptIds names = directory.ids_at(labels, comm);
  result.keep = names.keep;
  const auto at = [&](int64_t row) {
    const auto label = static_cast<int64_t>(propagation.label(row));
    return static_cast<size_t>(std::lower_bound(labels.begin(), labels.end(), label) - labels.begin());
  };
  name_rows(names.ids, graph.rows, at, result);
  return result;
}

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  if (graph.ghosts.are_all()) return run_by_number(graph, params, comm, progress);
  if (graph.far) return run_by_place<uint64_t>(graph, params, comm, progress);
  return run_by_place<uint32_t>(graph, params, comm, progress);
}

const Spec kSpec{
    .name = "labelprop",
    .family = "graph",
    .summary =
        "Communities by label propagation: each vertex takes the label that most of its neighbours have, again and "
        "again.",
    .inputs = graph_inputs(),
    .parameters = {source_column(),
                   destination_column(),
                   directed_flag(),
                   {.name = "max_iterations",
                    .kind = Kind::kInt,
                    .fallback = int64_t{10},
                    .doc = "At most that many; fewer where nothing changes any more.",
                    .unit = "iterations",
                    .min = 0},
                   // Says which definition a caller relies on; there is nothing for run() to tell apart.
                   {.name = "variant",
                    .kind = Kind::kChoice,
                    .fallback = std::string("graphx"),
                    .doc = "Of equally frequent labels ldbc takes the smallest, as LDBC Graphalytics; GraphX takes "
                           "any, which is here the smallest, too.",
                    .choices = {"graphx", "ldbc"}}},
    .output = {{"id", "id"}, {.name = "label", .type = "id", .doc = "the id of a vertex"}},
    .match = "exact",
    .source =
        "Raghavan, Albert, Kumara 2007, Near Linear Time Algorithm to Detect Community Structures; LDBC Graphalytics "
        "specification, CDLP",
    .notes =
        "All vertices change at once, from label(v) = v. The two ends of an edge are each other's neighbours, whatever "
        "its direction; duplicates, edges both ways and self-loops count. Time O(edges * iterations). The same result "
        "for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.vertex = 10, .copy = 36, .name = 90, .character = 2}),
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
