// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/triads.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/graph_arguments.h"
#include "process/least_memory.h"
#include "triads/label_parts.h"
#include "triads/row_meeting.h"

namespace sparkgap {
namespace {

/// Ranges of rows of about equal work, many for each thread.
std::vector<int64_t> cut_by_work(const OrientedRows& rows) {
  const auto work = [&](int64_t row) { return 8 + rows.degree(row) * (rows.degree(row) + 16); };
  int64_t total = 0;
  for (int64_t row = 0; row < rows.rows; ++row) total += work(row);
  const int64_t share = std::max<int64_t>(total / (64 * threads()), 1 << 14);
  std::vector<int64_t> cuts{0};
  int64_t since = 0;
  for (int64_t row = 0; row < rows.rows; ++row) {
    since += work(row);
    if (since < share && row + 1 < rows.rows) continue;
    cuts.push_back(row + 1);
    since = 0;
  }
  return cuts;
}

template <bool kArcs>
void meet_all(const OrientedRows& mine, const RowBlock& block, int64_t vertices, LabelSums& sums) {
  const std::vector<int64_t> cuts = cut_by_work(mine);
  std::vector<std::optional<RowMeeting<kArcs>>> of_thread(static_cast<size_t>(threads()));
  parallel_for(static_cast<int64_t>(cuts.size()) - 1, [&](int64_t i) {
    auto& meeting = of_thread[static_cast<size_t>(omp_get_thread_num())];
    if (!meeting) meeting.emplace(block, vertices, sums);
    for (int64_t row = cuts[static_cast<size_t>(i)]; row < cuts[static_cast<size_t>(i) + 1]; ++row) {
      if (mine.degree(row) < 2) continue;
      const auto mutual = kArcs ? mine.mutual_of(row) : std::span<const uint8_t>();
      if (row + 1 < mine.rows)
        for (const uint32_t v : mine.of(row + 1)) block.prefetch_place(v);
      meeting->meet(mine.label(row), mine.of(row), mutual);
    }
  });
}

/// The labels that a rank has sums for. With few ranks: all.
class SummedLabels {
 public:
  /// each(visit) calls visit(label) for all of them, on any thread.
  template <typename Each>
  SummedLabels(int64_t labels, const Comm& comm, Each&& each) : labels_(labels) {
    if (comm.size() <= Ghosts::kFewRanks) return;
    known_.emplace(labels);
    each([&](uint32_t label) { known_->add(label); });
    known_->count();
  }
  LabelSums sums() const { return {labels_, known_ ? &*known_ : nullptr}; }

 private:
  int64_t labels_;
  std::optional<CountedBits> known_;
};

/// Of rows and what they name.
SummedLabels labels_of(const OrientedRows& mine, int64_t labels, const Comm& comm) {
  return {labels, comm, [&](auto&& visit) {
            parallel_ranges(mine.rows, 1 << 12, [&](int64_t begin, int64_t end) {
              for (int64_t row = begin; row < end; ++row) {
                if (mine.degree(row) == 0) continue;
                visit(mine.label(row));
                for (const uint32_t label : mine.of(row)) visit(label);
              }
            });
          }};
}

Buffer<int64_t> count_neighbours(const Graph& graph, const OrientedGraph& oriented, LabelSums sums, Comm& comm) {
  const OrientedRows& mine = oriented.mine;
  parallel_ranges(mine.rows, 1 << 12, [&](int64_t begin, int64_t end) {
    const LabelSums::Adder adder(sums);
    for (int64_t row = begin; row < end; ++row) {
      if (mine.degree(row) == 0) continue;
      adder.add(mine.label(row), mine.degree(row));
      for (const uint32_t label : mine.of(row)) adder.add(label, 1);
    }
  });
  return std::move(sums).take_by_row(graph, oriented.label.span(), comm);
}

/// Meets all rows above the block's first label, as they are read from the graph, and counts their neighbours where
/// that is wanted.
template <bool kArcs>
void meet_from_graph(const Graph& graph, std::span<const uint32_t> label, const RowBlock& block, uint32_t first,
                     LabelSums& sums, LabelSums* neighbours) {
  std::vector<std::optional<RowMeeting<kArcs>>> of_thread(static_cast<size_t>(threads()));
  parallel_vertices(graph, [&](int64_t begin, int64_t end) {
    auto& meeting = of_thread[static_cast<size_t>(omp_get_thread_num())];
    if (!meeting) meeting.emplace(block, graph.vertices, sums);
    RowReader reader(graph, label, kArcs);
    for (int64_t vertex = begin; vertex < end; ++vertex) {
      const uint32_t own = label[graph.ghosts.place(vertex)];
      if (own <= first) continue;
      reader.read(vertex);
      if (neighbours != nullptr) {
        const LabelSums::Adder adder(*neighbours);
        adder.add(own, static_cast<int64_t>(reader.ends().size()));
        for (const uint32_t lower : reader.ends()) adder.add(lower, 1);
      }
      if (reader.ends().size() > 1) meeting->meet(own, reader.ends(), reader.mutual());
    }
  });
}

/// Holds a part of the rows at a time, and reads the others from the graph as they are met.
template <bool kArcs>
Triads count_in_parts(const Graph& graph, bool neighbours, Comm& comm, const Progress& progress) {
  const Buffer<uint32_t> labels = labels_by_degree(graph, comm);
  const std::span<const uint32_t> label = labels.span();
  const std::vector<int64_t> cuts = cut_labels(graph, label, comm);
  Triads triads;
  const SummedLabels summed(graph.vertices, comm, [&](auto&& visit) { std::ranges::for_each(label, visit); });
  LabelSums sums = summed.sums();
  std::optional<LabelSums> near;
  if (neighbours) near = summed.sums();
  for (size_t part = 0; part + 1 < cuts.size(); ++part) {
    const OrientedRows rows = rows_of_labels(graph, label, cuts[part], cuts[part + 1], kArcs, comm);
    meet_from_graph<kArcs>(graph, label, RowBlock(rows, kArcs), rows.first, sums, near && part == 0 ? &*near : nullptr);
    if (near && part == 0) {
      triads.neighbours = std::move(*near).take_by_row(graph, label, comm);
      near.reset();
    }
    progress("compute", static_cast<int64_t>(part) + 1, static_cast<int64_t>(cuts.size()) - 1);
  }
  triads.sums = std::move(sums).take_by_row(graph, label, comm);
  return triads;
}

}  // namespace

Triads count_triads(const Graph& graph, CornerValue value, bool neighbours, Comm& comm, const Progress& progress) {
  const bool arcs = value == CornerValue::kArcs;
  if (has_both_directions(graph) && comm.allreduce<int64_t>(has_least_memory(), Reduce::kMax) > 0)
    return arcs ? count_in_parts<true>(graph, neighbours, comm, progress)
                : count_in_parts<false>(graph, neighbours, comm, progress);
  const OrientedGraph oriented = orient(graph, arcs, comm);
  const OrientedRows& mine = oriented.mine;
  Triads triads;
  const SummedLabels summed = labels_of(mine, graph.vertices, comm);
  if (neighbours) triads.neighbours = count_neighbours(graph, oriented, summed.sums(), comm);
  LabelSums sums = summed.sums();
  const std::vector<int64_t> edges = comm.allgather(static_cast<int64_t>(mine.ends.size()));
  OrientedRows visiting;
  for (int step = 0, of = comm.rank(); step < comm.size(); ++step) {
    const OrientedRows& theirs = step == 0 ? mine : visiting;
    {
      const RowBlock block(theirs, arcs);
      if (arcs) meet_all<true>(mine, block, graph.vertices, sums);
      else meet_all<false>(mine, block, graph.vertices, sums);
    }
    progress("compute", step + 1, comm.size());
    if (step + 1 == comm.size()) break;
    visiting = pass_on(theirs, arcs, of, graph.vertices, edges, comm);
    of = (of + comm.size() - 1) % comm.size();
  }
  triads.sums = std::move(sums).take_by_row(graph, oriented.label.span(), comm);
  return triads;
}

MemoryNeed triads_memory(const MemoryUse& own) {
  constexpr double kInParts = 2;
  MemoryNeed need = graph_memory(Directions::kIn, own);
  need.stored_faster.arc = need.stored.arc - kInParts;
  need.stored.arc = kInParts;
  return need;
}

}  // namespace sparkgap
