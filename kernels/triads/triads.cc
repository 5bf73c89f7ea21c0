// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/triads.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/graph_arguments.h"
#include "process/least_memory.h"
#include "triads/label_parts.h"
#include "triads/packed_rows.h"
#include "triads/row_meeting.h"

namespace sparkgap {
namespace {

/// The ranks as rows and columns, about as many of both. The rows of rank a meet those of rank b at the rank that is in
/// the row of a and in the column of b: so the rows of a rank go to those of one row and one column alone.
struct RankGrid {
  int ranks, columns, row, column;

  explicit RankGrid(const Comm& comm) : ranks(comm.size()) {
    int rows = 1;
    for (int some = 1; some * some <= ranks; ++some)
      if (ranks % some == 0) rows = some;
    columns = ranks / rows, row = comm.rank() / columns, column = comm.rank() % columns;
  }
  int rows() const { return ranks / columns; }
  int at(int of_row, int of_column) const {
    return (of_row + rows()) % rows() * columns + (of_column + columns) % columns;
  }
};

/// All of them meet the block: this rank's rows, and those of others; met() after those of each rank.
template <bool kArcs, typename Met>
void meet_all(const OrientedRows& mine, const std::vector<PackedRows>& others, const RowBlock& block, int64_t vertices,
              LabelSums& sums, Met&& met) {
  std::vector<std::optional<RowMeeting<kArcs>>> of_thread(static_cast<size_t>(threads()));
  const auto own_meeting = [&]() -> RowMeeting<kArcs>& {
    auto& meeting = of_thread[static_cast<size_t>(omp_get_thread_num())];
    if (!meeting) meeting.emplace(block, vertices, sums);
    return *meeting;
  };
  const std::vector<int64_t> cuts = cut_by_work(mine);
  parallel_for(static_cast<int64_t>(cuts.size()) - 1, [&](int64_t i) {
    RowMeeting<kArcs>& meeting = own_meeting();
    for (int64_t row = cuts[static_cast<size_t>(i)]; row < cuts[static_cast<size_t>(i) + 1]; ++row) {
      if (mine.degree(row) < 2) continue;
      const auto mutual = kArcs ? mine.mutual_of(row) : std::span<const uint8_t>();
      if (row + 1 < mine.rows)
        for (const uint32_t v : mine.of(row + 1)) block.prefetch_place(v);
      meeting.meet(mine.label(row), mine.of(row), mutual);
    }
  });
  met();
  for (const PackedRows& rows : others) {
    parallel_for(rows.chunks(), [&](int64_t chunk) {
      RowMeeting<kArcs>& meeting = own_meeting();
      rows.each_row(chunk, [&](uint32_t u, std::span<const uint32_t> ends, std::span<const uint8_t> mutual) {
        if (ends.size() > 1) meeting.meet(u, ends, mutual);
      });
    });
    met();
  }
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
SummedLabels labels_of(const OrientedRows& mine, const std::vector<PackedRows>& others, int64_t labels,
                       const Comm& comm) {
  return {labels, comm, [&](auto&& visit) {
            for (const PackedRows& rows : others)
              parallel_for(rows.chunks(), [&](int64_t chunk) {
                rows.each_row(chunk, [&](uint32_t u, std::span<const uint32_t> ends, std::span<const uint8_t>) {
                  visit(u);
                  std::ranges::for_each(ends, visit);
                });
              });
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
  if (neighbours)
    triads.neighbours = count_neighbours(graph, oriented, labels_of(mine, {}, graph.vertices, comm).sums(), comm);
  const RankGrid grid(comm);
  PackedRows visiting;
  std::vector<PackedRows> beside;  // of the ranks in this one's row
  if (comm.size() > 1) {
    visiting = PackedRows(mine, arcs);
    for (int step = 1; step < grid.columns; ++step)
      beside.push_back((step == 1 ? visiting : beside.back())
                           .hand_on(grid.at(grid.row, grid.column + 1), grid.at(grid.row, grid.column - 1), comm));
  }
  const SummedLabels summed = labels_of(mine, beside, graph.vertices, comm);
  LabelSums sums = summed.sums();
  int64_t done = 0;
  for (int step = 0; step < grid.rows(); ++step) {
    std::optional<OrientedRows> theirs;
    if (step > 0) {
      visiting = visiting.hand_on(grid.at(grid.row + 1, grid.column), grid.at(grid.row - 1, grid.column), comm);
      theirs = visiting.unpack();
    }
    const RowBlock block(step == 0 ? mine : *theirs, arcs);
    const auto met = [&] { progress("compute", ++done, comm.size()); };
    if (arcs) meet_all<true>(mine, beside, block, graph.vertices, sums, met);
    else meet_all<false>(mine, beside, block, graph.vertices, sums, met);
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
