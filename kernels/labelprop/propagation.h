// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "ghosts/ghost_parts.h"
#include "graph/graph.h"
#include "labelprop/label_votes.h"
#include "process/parallel.h"
#include "rows/row_chunks.h"

namespace sparkgap::labelprop {

/// The labels of all ranks' vertices, step by step. Over a network they travel while others are counted.
///
/// Memory     9 bytes for each place with labels of 32 bits, 1 for each row; over a network see ChangedParts
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
    cut_into_parts(starts.span());
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
    if (changed_parts_) take_labels();
    else share(totals);
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
    Totals here;
    for (size_t part = tasks_.size(); part-- > 0;) {
      const Totals of_part = vote_part<kAll>(tasks_[part], label_of);
      if (changed_parts_) let_travel(part, of_part);
      here += of_part;
    }
    int64_t all[4] = {here.changed.vertices, here.changed.arcs, here.unlike_before.vertices, here.unlike_before.arcs};
    comm_.allreduce(std::span<int64_t>(all));
    return {{all[0], all[1]}, {all[2], all[3]}};
  }

  template <bool kAll, typename LabelOf>
  Totals vote_part(const std::vector<RowChunk>& tasks, LabelOf label_of) {
    std::vector<Totals> totals_of(tasks.size());
    parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
      const RowChunk& task = tasks[static_cast<size_t>(t)];
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
      totals_of[static_cast<size_t>(t)] = totals;
      if (changed_parts_ && omp_get_thread_num() == 0) comm_.progress();
    });
    Totals all;
    for (const Totals& totals : totals_of) all += totals;
    return all;
  }

  /// Rows in parts of about equal work, and each as tasks for threads. Those with few arcs are last and done first:
  /// most labels travel while most votes are still to be counted.
  void cut_into_parts(std::span<const int64_t> starts) {
    const std::vector<int64_t> cuts =
        GhostCuts::equal(graph_.rows, GhostCuts::parts_worth(ghosts_, sizeof(Label), comm_),
                         [&](int64_t row) { return starts[static_cast<size_t>(row)] + row; });
    for (size_t part = 0; part + 1 < cuts.size(); ++part) {
      const auto first = static_cast<size_t>(cuts[part]), rows = static_cast<size_t>(cuts[part + 1]) - first;
      tasks_.push_back(RowChunks(starts.subspan(first, rows + 1)).of_whole_rows());
      for (RowChunk& task : tasks_.back()) task.begin += cuts[part], task.end += cuts[part];
    }
    if (tasks_.size() > 1) changed_parts_.emplace(ghosts_, cuts, comm_);
  }

  /// Whether the label of a row is not what it was one step ago, or two steps ago.
  bool has_changed(uint32_t row, bool since_before) const {
    return since_before ? unlike_before_[row] != 0 : before_[place(row)] != label_[place(row)];
  }
  /// What changed in a part, since one step or two steps ago, where that is less, begins to travel.
  void let_travel(size_t part, const Totals& totals) {
    const bool since_before = totals.unlike_before.vertices <= totals.changed.vertices;
    changed_parts_->begin(
        part, since_before, [&](uint32_t row) { return has_changed(row, since_before); },
        [&](uint32_t row) { return before_[place(row)]; }, comm_);
  }
  void take_labels() {
    comm_.finish();
    changed_parts_->take([&](bool since_before, int64_t begin, int64_t end) { take_base(since_before, begin, end); },
                         [&](int64_t ghost, Label label) { before_[static_cast<size_t>(ghost)] = label; });
  }

  /// Tells the ranks that have them as ghosts: all labels, or those that are not what they were one step or two steps
  /// ago, where that is less.
  void share(const Totals& totals) {
    if (comm_.size() == 1 || totals.changed.vertices == 0) return;
    const bool since_before = totals.unlike_before.vertices <= totals.changed.vertices;
    const int64_t fewest = since_before ? totals.unlike_before.vertices : totals.changed.vertices;
    if (4 * fewest >= 3 * graph_.vertices) return ghosts_.bring(before_.span(), comm_);
    ghosts_.each_range([&](int64_t begin, int64_t end) { take_base(since_before, begin, end); });
    ghosts_.bring_changed(
        before_.span(), [&](uint32_t row) { return has_changed(row, since_before); }, [](int64_t) {}, comm_);
  }
  /// Ghosts' labels as they are where nothing comes of them.
  void take_base(bool since_before, int64_t begin, int64_t end) {
    if (!since_before) std::copy(label_.begin() + begin, label_.begin() + end, before_.begin() + begin);
  }

  /// Marks the neighbours of vertices that changed on this rank as stale, on other ranks too.
  void mark_neighbours() {
    for (const std::vector<RowChunk>& tasks : tasks_) mark_neighbours_of(tasks);
    ghosts_.take_home(stale_.span(), comm_);
  }
  void mark_neighbours_of(const std::vector<RowChunk>& tasks) {
    parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
      const RowChunk& task = tasks[static_cast<size_t>(t)];
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
  std::vector<std::vector<RowChunk>> tasks_;          ///< of each part of the rows; those with most arcs first
  std::optional<ChangedParts<Label>> changed_parts_;  ///< where labels travel part by part
  std::vector<LabelVotes<Labels>> votes_;             ///< by thread
};

}  // namespace sparkgap::labelprop
