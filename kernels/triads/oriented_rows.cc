// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/oriented_rows.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "graph/degree_order.h"
#include "process/error.h"
#include "rows/split.h"
#include "triads/row_reader.h"

namespace sparkgap {
namespace {

/// An arc on its way to the row of its higher label. A partition has every per_rank-th row of a rank.
struct Edge {
  uint32_t place;  ///< row / per_rank * 2, plus 1 where the arc goes from the lower label to the higher
  uint32_t lower;
};

Partitioned<Edge> split_by_row(const Graph& graph, std::span<const uint32_t> label, Partitions partitions, Comm& comm) {
  const int64_t arcs = graph.in.arcs(), groups = std::clamp<int64_t>(arcs >> 16, 1, 8 * threads());
  const auto ranks = static_cast<uint32_t>(partitions.ranks), per_rank = static_cast<uint32_t>(partitions.per_rank);
  const int shift = std::countr_zero(per_rank);
  const auto each = [&](int64_t group, auto&& out) {
    const int64_t begin = cut(arcs, groups, group), end = cut(arcs, groups, group + 1);
    auto row = static_cast<size_t>(std::upper_bound(graph.in.starts.begin(), graph.in.starts.end(), begin) -
                                   graph.in.starts.begin()) -
               1;
    for (int64_t k = begin; k < end; ++row) {
      const uint32_t to = label[static_cast<size_t>(graph.ghosts.own()) + row];
      for (const int64_t stop = std::min(end, graph.in.starts[row + 1]); k < stop; ++k) {
        const uint32_t from = label[graph.in.ends[static_cast<size_t>(k)]];
        // Without direction the other arc of the edge does what this one leaves out.
        if (from == to || (!graph.directed && from > to)) continue;
        const uint32_t higher = std::max(from, to), rank = ranks == 1 ? 0 : higher % ranks,
                       at = ranks == 1 ? higher : higher / ranks;
        out(static_cast<int>(rank * per_rank + (at & (per_rank - 1))),
            Edge{(at >> shift) << 1 | (from < to), std::min(from, to)});
      }
    }
  };
  SplitPlan plan(groups, partitions.total());
  parallel_for(groups, [&](int64_t group) {
    int64_t* counts = plan.row(group).data();
    each(group, [&](int destination, const Edge&) { ++counts[destination]; });
  });
  plan.finish();
  Buffer<Edge> edges(static_cast<size_t>(plan.records()));
  parallel_for(groups, [&](int64_t group) {
    Scatter<Edge> scatter(edges.data(), plan.row(group));
    each(group, scatter.pen());
  });
  return exchange(std::move(edges), plan, partitions, comm);
}

/// Rows as the partitions hold them, one after the other, at first with room for duplicates.
class RowFill {
 public:
  RowFill(Partitioned<Edge> edges, int64_t rows, bool mutual) : edges_(std::move(edges)), mutual_(mutual) {
    const auto total = edges_.records.size();
    made_.rows = rows;
    made_.starts = Buffer<int64_t>(static_cast<size_t>(rows) + 1);
    ends_ = Buffer<uint32_t>(total);
    flags_ = Buffer<uint8_t>(mutual ? total : 0);
    for (int p = 0; p < edges_.partitions; ++p) firsts_.push_back(firsts_.back() + edges_.count(p));
  }

  OrientedRows run() && {
    parallel_for(edges_.partitions, [&](int64_t p) { sort_partition(static_cast<int>(p)); });
    edges_.records.clear();
    int64_t* starts = made_.starts.data();
    for (int64_t row = 0; row < made_.rows; ++row) starts[row + 1] += starts[row];
    made_.ends = Buffer<uint32_t>(static_cast<size_t>(starts[made_.rows]));
    made_.mutual = Buffer<uint8_t>(mutual_ ? made_.ends.size() : 0);
    parallel_for(edges_.partitions, [&](int64_t p) {
      int64_t from = firsts_[static_cast<size_t>(p)];
      for (int64_t row = p; row < made_.rows; row += edges_.partitions) {
        const int64_t n = starts[row + 1] - starts[row];
        std::copy_n(ends_.data() + from, n, made_.ends.data() + starts[row]);
        if (mutual_) std::copy_n(flags_.data() + from, n, made_.mutual.data() + starts[row]);
        from += n;
      }
    });
    return std::move(made_);
  }

 private:
  /// Counting sort by row, then each row by label. Leaves the length of row r in starts[r + 1].
  void sort_partition(int p) {
    const int64_t rows = OrientedRows::count(made_.rows, edges_.partitions, p);
    std::vector<int64_t> at(static_cast<size_t>(rows) + 1);
    const auto each = [&](auto&& body) {
      for (int rank = 0; rank < edges_.ranks; ++rank)
        for (const Edge& edge : edges_.piece(p, rank)) body(edge);
    };
    each([&](const Edge& edge) { ++at[(edge.place >> 1) + 1]; });
    for (size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    std::vector<ArcKey> keys(static_cast<size_t>(at.back()));
    std::vector<int64_t> next = at;
    each([&](const Edge& edge) {
      keys[static_cast<size_t>(next[edge.place >> 1]++)] = uint64_t{edge.lower} << 1 | (edge.place & 1);
    });
    int64_t to = firsts_[static_cast<size_t>(p)];
    for (int64_t i = 0; i < rows; ++i) {
      const std::span<ArcKey> row(keys.data() + at[static_cast<size_t>(i)],
                                  keys.data() + at[static_cast<size_t>(i) + 1]);
      const int64_t n = write_row(row, ends_.data() + to, mutual_ ? flags_.data() + to : nullptr);
      made_.starts[static_cast<size_t>(p + i * edges_.partitions) + 1] = n;
      to += n;
    }
  }

  Partitioned<Edge> edges_;
  const bool mutual_;
  OrientedRows made_;
  Buffer<uint32_t> ends_;
  Buffer<uint8_t> flags_;
  std::vector<int64_t> firsts_{0};  ///< of each partition, in ends_
};

/// Where all rows are here with their arcs in and out, each takes its lower neighbours by itself: nothing is sent or
/// scattered.
OrientedRows pull_rows(const Graph& graph, std::span<const uint32_t> label, bool mutual) {
  const int64_t vertices = graph.vertices, groups = std::clamp<int64_t>(vertices >> 10, 1, 64 * threads());
  Buffer<uint32_t> vertex(static_cast<size_t>(vertices));
  parallel_ranges(vertices, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) vertex[label[static_cast<size_t>(v)]] = static_cast<uint32_t>(v);
  });
  OrientedRows made;
  made.rows = vertices;
  made.starts = Buffer<int64_t>(static_cast<size_t>(vertices) + 1);
  struct Group {
    std::vector<uint32_t> ends;
    std::vector<uint8_t> mutual;
  };
  std::vector<Group> of_group(static_cast<size_t>(groups));
  parallel_for(groups, [&](int64_t g) {
    Group& group = of_group[static_cast<size_t>(g)];
    RowReader reader(graph, label, mutual);
    for (int64_t l = cut(vertices, groups, g), end = cut(vertices, groups, g + 1); l < end; ++l) {
      reader.read(vertex[static_cast<size_t>(l)]);
      group.ends.insert(group.ends.end(), reader.ends().begin(), reader.ends().end());
      group.mutual.insert(group.mutual.end(), reader.mutual().begin(), reader.mutual().end());
      made.starts[static_cast<size_t>(l) + 1] = static_cast<int64_t>(reader.ends().size());
    }
  });
  for (size_t row = 0; row < static_cast<size_t>(vertices); ++row) made.starts[row + 1] += made.starts[row];
  made.ends = Buffer<uint32_t>(static_cast<size_t>(made.starts[static_cast<size_t>(vertices)]));
  made.mutual = Buffer<uint8_t>(mutual ? made.ends.size() : 0);
  parallel_for(groups, [&](int64_t g) {
    Group group = std::move(of_group[static_cast<size_t>(g)]);
    if (group.ends.empty()) return;
    const int64_t to = made.starts[static_cast<size_t>(cut(vertices, groups, g))];
    std::copy(group.ends.begin(), group.ends.end(), made.ends.data() + to);
    if (mutual) std::copy(group.mutual.begin(), group.mutual.end(), made.mutual.data() + to);
  });
  return made;
}

}  // namespace

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

// A counting sort of all vertices by degree class, of which each rank knows its own. For each class one rank finds out
// where the vertices of each begin.
Buffer<uint32_t> labels_by_degree(const Graph& graph, Comm& comm) {
  if (graph.vertices > (int64_t{1} << 32) - 2)
    throw Error(Exit::kData, "edges", "at most 4294967294 vertices where triangles are counted",
                std::to_string(graph.vertices), "Leave out vertices without neighbours, or split the graph");
  const int64_t groups = std::clamp<int64_t>(graph.rows >> 15, 1, 4 * threads());
  SplitPlan plan(groups, kDegreeClasses);
  const auto each = [&](int64_t group, auto&& body) {
    const int64_t end = cut(graph.rows, groups, group + 1);
    for (int64_t row = cut(graph.rows, groups, group); row < end; ++row)
      body(row, static_cast<size_t>(degree_class(graph.in.degree(row) + graph.out_degree[static_cast<size_t>(row)])));
  };
  parallel_for(groups, [&](int64_t group) {
    const auto counts = plan.row(group);
    each(group, [&](int64_t, size_t c) { ++counts[c]; });
  });
  plan.finish();
  std::vector<int64_t> mine(kDegreeClasses), of_rank, received;
  for (int c = 0; c < kDegreeClasses; ++c) mine[static_cast<size_t>(c)] = plan.start(c + 1) - plan.start(c);
  for (int rank = 0; rank < comm.size(); ++rank)
    of_rank.push_back(cut(kDegreeClasses, comm.size(), rank + 1) - cut(kDegreeClasses, comm.size(), rank));
  std::vector<int64_t> counts = comm.alltoallv<int64_t>(mine, of_rank, received);
  const auto here = static_cast<size_t>(of_rank[static_cast<size_t>(comm.rank())]);
  int64_t label = comm.exscan(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  for (size_t c = 0; c < here; ++c)
    for (size_t at = c; at < counts.size(); at += here) label += std::exchange(counts[at], label);
  const std::vector<int64_t> firsts = comm.alltoallv<int64_t>(counts, received, of_rank);
  Buffer<uint32_t> labels(static_cast<size_t>(graph.ghosts.places()));
  parallel_for(groups, [&](int64_t group) {
    const auto places = plan.row(group);
    each(group, [&](int64_t row, size_t c) {
      labels[graph.ghosts.place(row)] =
          static_cast<uint32_t>(firsts[c] + places[c]++ - plan.start(static_cast<int>(c)));
    });
  });
  graph.ghosts.bring(labels.span(), comm);
  return labels;
}

OrientedGraph orient(const Graph& graph, bool mutual, Comm& comm) {
  OrientedGraph oriented{labels_by_degree(graph, comm), {}};
  if (comm.size() == 1 && has_both_directions(graph)) {
    oriented.mine = pull_rows(graph, oriented.label.span(), mutual);
    return oriented;
  }
  Partitions partitions = Partitions::for_edges(graph.arcs, comm.size());
  partitions.per_rank = std::max(partitions.per_rank, 2);  // leaves a bit free in Edge::place
  const int64_t rows = OrientedRows::count(graph.vertices, comm.size(), comm.rank());
  oriented.mine = RowFill(split_by_row(graph, oriented.label.span(), partitions, comm), rows, mutual).run();
  oriented.mine.first = static_cast<uint32_t>(comm.rank());
  oriented.mine.stride = static_cast<uint32_t>(comm.size());
  return oriented;
}

}  // namespace sparkgap
