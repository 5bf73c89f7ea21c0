// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/stored_graph.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>

#include "process/error.h"
#include "process/parallel.h"
#include "table/seal.h"

namespace sparkgap {
namespace {

constexpr size_t kId = 0, kInDegree = 1, kOutDegree = 2, kOutWeight = 3;

struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

/// body(batch, first row in it, number of rows, rows before it in the range) over the rows of a range.
template <typename Body>
void each_batch(const Table& table, Range range, Body&& body) {
  int64_t first = 0;
  for (const Batch& batch : table.batches) {
    const int64_t from = std::max(range.begin, first), to = std::min(range.end, first + batch.rows);
    if (from < to) body(batch, from - first, to - from, from - range.begin);
    first += batch.rows;
  }
}

/// Rows of a fixed-width column in one piece: in place where they lie in one batch.
template <typename T>
std::span<const T> in_one_piece(const Table& table, size_t column, Range range, Graph& graph) {
  std::span<const T> view;
  std::span<T> copy;
  each_batch(table, range, [&](const Batch& batch, int64_t first, int64_t rows, int64_t before) {
    const T* values = batch.columns[column].template data<T>() + first;
    if (rows == range.size()) {
      view = {values, static_cast<size_t>(rows)};
      return;
    }
    if (copy.empty()) copy = graph.own(Buffer<T>(static_cast<size_t>(range.size())));
    parallel_ranges(rows, 1 << 18, [&](int64_t begin, int64_t end) {
      std::copy(values + begin, values + end, copy.data() + before + begin);
    });
  });
  return copy.empty() ? view : std::span<const T>(copy);
}

[[noreturn]] void refuse(const Table& table, size_t column, const std::string& expected, const std::string& found) {
  throw Error(Exit::kData, table.name + "." + table.column_names[column], expected, found, "Build the graph again");
}

/// The arcs before each row, and after the last: from the degrees of all rows of the host. The file may say anything:
/// not one place beyond the arcs comes out.
Buffer<int64_t> arcs_before(const Table& vertices, size_t degree_column, const Table& arcs) {
  constexpr int64_t kPiece = 1 << 16;
  struct Piece {
    std::span<const int64_t> degrees;
    int64_t row, sum;
  };
  std::vector<Piece> pieces;
  each_batch(vertices, {0, vertices.rows}, [&](const Batch& batch, int64_t first, int64_t rows, int64_t before) {
    const std::span degrees(batch.columns[degree_column].data<int64_t>() + first, static_cast<size_t>(rows));
    for (int64_t at = 0; at < rows; at += kPiece)
      pieces.push_back(
          {degrees.subspan(static_cast<size_t>(at), static_cast<size_t>(std::min(kPiece, rows - at))), before + at, 0});
  });
  const auto wrong = [&] {
    refuse(vertices, degree_column,
           "degrees >= 0 whose sum is the " + std::to_string(arcs.rows) + " arcs of " + arcs.name, "others");
  };
  const auto n = static_cast<int64_t>(pieces.size());
  parallel_for(n, [&](int64_t i) {
    Piece& piece = pieces[static_cast<size_t>(i)];
    for (const int64_t degree : piece.degrees) {
      if (degree < 0 || degree > arcs.rows - piece.sum) wrong();
      piece.sum += degree;
    }
  });
  int64_t all = 0;
  for (Piece& piece : pieces) {
    if (piece.sum > arcs.rows - all) wrong();
    all += std::exchange(piece.sum, all);
  }
  if (arcs.rows != all)
    throw Error(Exit::kData, arcs.name, std::to_string(all) + " arcs, the sum of the degrees",
                std::to_string(arcs.rows), "Build the graph again");
  Buffer<int64_t> before(static_cast<size_t>(vertices.rows) + 1, Content::kAnything);
  before[static_cast<size_t>(vertices.rows)] = all;
  parallel_for(n, [&](int64_t i) {
    const Piece& piece = pieces[static_cast<size_t>(i)];
    std::exclusive_scan(piece.degrees.begin(), piece.degrees.end(), before.data() + piece.row, piece.sum);
  });
  return before;
}

/// The rows of one of several ranks: shares of equal work, counted in arcs and rows. Where a file ends near the end of
/// a share, there: arcs of two files would have to be copied.
Range rows_of(Share share, const Buffer<int64_t>& before, const Table& vertices) {
  constexpr int64_t kArcsOfRow = 4, kNear = 16;
  const auto rows = static_cast<int64_t>(before.size()) - 1;
  const auto work = [&](int64_t row) { return before[static_cast<size_t>(row)] + kArcsOfRow * row; };
  const auto cut_at = [&](int part) {
    const int64_t goal = cut(work(rows), share.parts, part), near = work(rows) / share.parts / kNear;
    int64_t file_end = 0;
    for (const Batch& batch : vertices.batches)
      if (file_end += batch.rows; std::abs(work(file_end) - goal) <= near) return file_end;
    int64_t low = 0, high = rows;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (work(middle) >= goal) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {share.part == 0 ? 0 : cut_at(share.part), share.part + 1 == share.parts ? rows : cut_at(share.part + 1)};
}

/// Whether something is wrong with any of the values; without a branch, so that the compiler takes many at a time.
template <typename T, typename Wrong>
bool any(std::span<const T> values, Wrong&& wrong) {
  std::atomic<bool> found{false};
  parallel_ranges(static_cast<int64_t>(values.size()), 1 << 16, [&](int64_t begin, int64_t end) {
    int here = 0;
    for (int64_t k = begin; k < end; ++k) here |= wrong(values[static_cast<size_t>(k)]);
    if (here != 0) found.store(true, std::memory_order_relaxed);
  });
  return found.load();
}

/// `not (>= 0)` is true of NaN.
bool any_is_no_weight(std::span<const double> values) {
  return any(values,
             [](double weight) { return int{!(weight >= 0)} | int{weight > std::numeric_limits<double>::max()}; });
}

/// Whether all of it is as this user wrote it, after what `any` looks for was ruled out.
bool is_sealed(const Table& arcs, int64_t vertices) {
  return std::ranges::all_of(arcs.batches, [&](const Batch& batch) {
    return batch.file != nullptr && is_sealed(*batch.file, batch.crc32c, vertices);
  });
}

/// Kernels read these columns as what a graph has by store/FORMAT.md, whatever the file says they are.
void expect_type(const Table& table, size_t column, std::initializer_list<Type> types) {
  for (const Batch& batch : table.batches) {
    const ColumnView& view = batch.columns[column];
    if (std::find(types.begin(), types.end(), view.type) == types.end())
      refuse(table, column, type_name(*types.begin()), type_name(view.type));
    if (view.validity != nullptr) refuse(table, column, "no nulls", "some");
  }
}

/// Whether numbers of vertices take 64 bits in these files.
bool is_far(const Table& arcs) {
  return std::ranges::any_of(arcs.batches, [](const Batch& batch) { return batch.columns[0].type == Type::kInt64; });
}

/// Rows of a column that will be read, and that nobody looked at before.
void enter(const Table& table, size_t column, Range range) {
  each_batch(table, range, [&](const Batch& batch, int64_t first, int64_t rows, int64_t) {
    const ColumnView& view = batch.columns[column];
    const int64_t width = view.bytes / std::max<int64_t>(1, batch.rows);
    const auto* const values = static_cast<const char*>(view.values) + (view.offset + first) * width;
    if (batch.file != nullptr)
      parallel_ranges(rows * width, 1 << 22,
                      [&](int64_t begin, int64_t end) { batch.file->enter(values + begin, end - begin); });
  });
}

/// The rows' arcs. Kernels index with their vertices and sort by their weights, so the rank that will use them checks
/// both here, unless the file is sealed.
Adjacency adjacency(const Table& arcs, Buffer<int64_t> before, Range rows, bool with_weights, Graph& graph) {
  const Range of_rows{before[static_cast<size_t>(rows.begin)], before[static_cast<size_t>(rows.end)]};
  Buffer<int64_t> starts;
  if (static_cast<size_t>(rows.size()) + 1 == before.size()) {
    starts = std::move(before);
  } else {
    starts = Buffer<int64_t>(static_cast<size_t>(rows.size()) + 1, Content::kAnything);
    for (size_t row = 0; row < starts.size(); ++row)
      starts[row] = before[static_cast<size_t>(rows.begin) + row] - of_rows.begin;
  }
  expect_type(arcs, 0, {graph.far ? Type::kInt64 : Type::kInt32});
  Adjacency made{.starts = graph.own(std::move(starts)), .ends = {}, .far_ends = {}, .weights = {}};
  if (graph.far) made.far_ends = in_one_piece<uint64_t>(arcs, 0, of_rows, graph);
  else made.ends = in_one_piece<uint32_t>(arcs, 0, of_rows, graph);
  const bool sealed = is_sealed(arcs, graph.vertices);
  if (sealed) enter(arcs, 0, of_rows);
  const auto vertices = static_cast<uint64_t>(graph.vertices);
  const auto is_none = [vertices](uint64_t end) { return int{end >= vertices}; };
  if (!sealed && (any(made.ends, is_none) || any(made.far_ends, is_none)))
    refuse(arcs, 0, "numbers below " + std::to_string(vertices) + ", that of vertices", "others");
  if (!graph.weighted) return made;
  if (sealed && with_weights) enter(arcs, 1, of_rows);
  made.weights = in_one_piece<double>(arcs, 1, of_rows, graph);
  if (!sealed && any_is_no_weight(made.weights)) refuse(arcs, 1, "finite weights >= 0", "others");
  return made;
}

Table read_arcs(const std::string& name, const std::vector<Segment>& segments, bool weighted, bool verify) {
  std::vector<ColumnRequest> columns{{"vertex", "number"}};
  if (weighted) columns.push_back({"weight", "number"});
  Table arcs = read_table(name, segments, columns, {}, verify);
  expect_type(arcs, 0, {Type::kInt32, Type::kInt64});
  if (weighted) expect_type(arcs, 1, {Type::kFloat64});
  return arcs;
}

void expect_equal_degrees(std::span<const int64_t> in_before, std::span<const int64_t> out_before,
                          const Table& vertices) {
  if (!std::ranges::equal(in_before, out_before))
    refuse(vertices, kOutDegree, "the in_degree of each vertex, because the graph has no direction", "others");
}

}  // namespace

Table read_graph(const std::string& name, const std::vector<Segment>& vertices, const GraphSegments& arcs, Share share,
                 bool verify) {
  std::vector<ColumnRequest> columns{{"id", "id"}, {"in_degree", "number"}, {"out_degree", "number"}};
  if (arcs.weighted) columns.push_back({"out_weight", "number"});
  Table table = read_table(name, vertices, columns, {}, verify);
  expect_type(table, kId, {Type::kInt64, Type::kString});
  expect_type(table, kInDegree, {Type::kInt64});
  expect_type(table, kOutDegree, {Type::kInt64});
  if (arcs.weighted) expect_type(table, kOutWeight, {Type::kFloat64});
  auto stored = std::make_shared<StoredGraph>();
  stored->directed = arcs.directed;
  stored->weighted = arcs.weighted;
  stored->share = share;
  stored->in = read_arcs(name + ".in", arcs.in, arcs.weighted, verify);
  if (arcs.directed) stored->out = read_arcs(name + ".out", arcs.out, arcs.weighted, verify);
  table.graph = std::move(stored);
  return table;
}

Graph map_graph(const Table& stored, Directions directions, bool with_weights, Comm& comm) {
  const StoredGraph& files = *stored.graph;
  const bool with_in = directions != Directions::kOut || !files.directed,
             with_out = directions != Directions::kIn && files.directed;
  Buffer<int64_t> in_before, out_before = arcs_before(stored, kOutDegree, files.directed ? files.out : files.in);
  if (with_in || !files.directed) in_before = arcs_before(stored, kInDegree, files.in);
  if (!files.directed) expect_equal_degrees(in_before.span(), out_before.span(), stored);
  const Range rows = rows_of(files.share, with_in ? in_before : out_before, stored);
  Graph graph;
  graph.directed = files.directed;
  graph.weighted = files.weighted;
  graph.keep = {stored.mapping, stored.graph};
  const bool has_far = comm.allreduce<int64_t>(is_far(files.in) || is_far(files.out), Reduce::kMax) > 0;
  graph.deal(rows.size(), comm, has_far ? Numbering{.most_near = 0} : Numbering{});
  if (with_in) graph.in = adjacency(files.in, std::move(in_before), rows, with_weights, graph);
  if (with_out) graph.out = adjacency(files.out, std::move(out_before), rows, with_weights, graph);
  if (!files.directed && directions != Directions::kIn) graph.out = graph.in;
  graph.arcs = comm.allreduce<int64_t>(with_in ? graph.in.arcs() : graph.out.arcs());
  graph.out_degree = in_one_piece<int64_t>(stored, kOutDegree, rows, graph);
  if (files.weighted) graph.out_weight = in_one_piece<double>(stored, kOutWeight, rows, graph);
  if (any_is_no_weight(graph.out_weight)) refuse(stored, kOutWeight, "finite sums >= 0", "others");
  if (stored.types[kId] != Type::kString) {
    graph.ids = VertexIds(in_one_piece<int64_t>(stored, kId, rows, graph));
    return graph;
  }
  std::vector<std::string_view> texts;
  texts.reserve(static_cast<size_t>(rows.size()));
  each_batch(stored, rows, [&](const Batch& batch, int64_t first, int64_t n, int64_t) {
    for (int64_t i = first; i < first + n; ++i) texts.push_back(batch.columns[kId].string(i));
  });
  graph.ids = VertexIds(std::move(texts));
  return graph;
}

}  // namespace sparkgap
