// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "rows/row_chunks.h"
#include "test/error_text.h"
#include "test/memory_table.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

using Arc3 = std::tuple<std::string, std::string, double>;

/// What a graph holds, in terms of its ids.
struct Content {
  std::set<std::string> vertices;
  std::multiset<Arc3> arcs;
  std::map<std::string, double> out;  ///< number or weight of outgoing arcs
};

/// All arcs of one direction over all ranks, source first.
std::multiset<Arc3> arcs_of(const Graph& graph, const Adjacency& adjacency, const std::map<int64_t, std::string>& names,
                            bool incoming) {
  std::vector<std::pair<std::string, std::vector<double>>> mine;
  for (int64_t row = 0; row < graph.rows; ++row)
    for (auto k = static_cast<size_t>(adjacency.starts[static_cast<size_t>(row)]);
         k < static_cast<size_t>(adjacency.starts[static_cast<size_t>(row) + 1]); ++k)
      mine.push_back({graph.ids.text(row),
                      {static_cast<double>(adjacency.far_ends.empty() ? adjacency.ends[k] : adjacency.far_ends[k]),
                       adjacency.weights.empty() ? 1 : adjacency.weights[k]}});
  std::multiset<Arc3> arcs;
  for (const auto& [id, values] : gather_rows(mine, test_comm())) {
    const std::string& other = names.at(static_cast<int64_t>(values[0]));
    arcs.insert({incoming ? other : id, incoming ? id : other, values[1]});
  }
  return arcs;
}

/// On every rank; checks the header's promises for a graph with these directions.
Content content_of(const Graph& graph, Directions directions = Directions::kBoth) {
  Comm& comm = test_comm();
  const bool turned = graph.directed && directions == Directions::kOut;
  EXPECT_EQ(graph.in.empty(), turned);
  EXPECT_EQ(graph.out.empty(), directions == Directions::kIn);
  EXPECT_EQ(graph.out_weight.empty(), graph.rows == 0 || !graph.weighted || turned);
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) {
    double out = graph.weighted && !turned ? graph.out_weight[row] : static_cast<double>(graph.out_degree[row]);
    if (turned) {
      EXPECT_EQ(graph.out.degree(static_cast<int64_t>(row)), graph.out_degree[row]);
      const auto weights = graph.weighted ? graph.out.weights.subspan(static_cast<size_t>(graph.out.starts[row]),
                                                                      static_cast<size_t>(graph.out_degree[row]))
                                          : graph.out.weights;
      if (graph.weighted) out = std::accumulate(weights.begin(), weights.end(), 0.0);
    }
    rows.push_back({graph.ids.text(static_cast<int64_t>(row)),
                    {static_cast<double>(graph.first) + static_cast<double>(row), out}});
    if (row > 0 && graph.out_degree[row] < 2048) {
      EXPECT_GE(graph.out_degree[row - 1], graph.out_degree[row]);
    }
  }
  Content content;
  std::map<int64_t, std::string> names;
  for (const auto& [id, values] : gather_rows(rows, comm)) {
    EXPECT_TRUE(names.emplace(static_cast<int64_t>(values[0]), id).second);
    EXPECT_TRUE(content.vertices.insert(id).second) << id << " is two vertices";
    content.out[id] = values[1];
  }
  EXPECT_EQ(static_cast<int64_t>(content.vertices.size()), graph.vertices);
  content.arcs = arcs_of(graph, turned ? graph.out : graph.in, names, !turned);
  if (directions == Directions::kBoth) {
    EXPECT_EQ(arcs_of(graph, graph.out, names, false), content.arcs);
  }
  EXPECT_EQ(static_cast<int64_t>(content.arcs.size()), graph.arcs);
  return content;
}

template <typename Id>
std::string text_of(const Id& id) {
  if constexpr (std::is_same_v<Id, std::string>) return id;
  else return std::to_string(id);
}

/// The same from the rows, one by one.
template <typename Id>
Content expected_content(const std::vector<Id>& src, const std::vector<Id>& dst, const std::vector<double>& weight,
                         const std::vector<Id>& vertices, bool directed) {
  Content content;
  const auto add = [&](const std::string& from, const std::string& to, double w) {
    content.vertices.insert({from, to});
    content.arcs.insert({from, to, w});
    content.out[from] += w;
    content.out[to] += 0;
  };
  for (size_t i = 0; i < src.size(); ++i) {
    const double w = weight.empty() ? 1 : weight[i];
    add(text_of(src[i]), text_of(dst[i]), w);
    if (!directed) add(text_of(dst[i]), text_of(src[i]), w);
  }
  for (const Id& id : vertices) {
    content.vertices.insert(text_of(id));
    content.out[text_of(id)] += 0;
  }
  return content;
}

MemoryColumn ids(const std::string& name, const std::vector<int64_t>& values) { return longs(name, values); }
MemoryColumn ids(const std::string& name, const std::vector<std::string>& values) { return {name, values}; }

/// Builds with every combination of threads, direction, weights and vertices table, and compares.
template <typename Id>
void expect_graph(const std::vector<Id>& src, const std::vector<Id>& dst, const std::vector<Id>& vertices) {
  Comm& comm = test_comm();
  std::vector<double> weight;
  for (size_t i = 0; i < src.size(); ++i) weight.push_back(static_cast<double>(i % 4) * 0.5);
  for (const int threads : {1, 2})
    for (const bool directed : {true, false})
      for (const bool weighted : {false, true})
        for (const bool listed : {false, true}) {
          if (src.empty() && !listed) continue;
          SCOPED_TRACE(testing::Message() << "threads " << threads << " directed " << directed << " weighted "
                                          << weighted << " listed " << listed);
          omp_set_num_threads(threads);
          std::vector<MemoryColumn> columns{ids("src", src), ids("dst", dst)};
          if (weighted) columns.push_back(doubles("weight", weight));
          const Table edges = memory_table("edges", columns, comm),
                      more = memory_table("vertices", {ids("id", vertices)}, comm);
          const Content expected = expected_content<Id>(src, dst, weighted ? weight : std::vector<double>{},
                                                        listed ? vertices : std::vector<Id>{}, directed);
          for (const Directions directions : {Directions::kIn, Directions::kOut, Directions::kBoth}) {
            if (directions != Directions::kBoth && threads == 1) continue;
            SCOPED_TRACE(static_cast<int>(directions));
            const Content found = content_of(
                build_graph({&edges, listed ? &more : nullptr, weighted, directed}, directions, comm, {}), directions);
            EXPECT_EQ(found.vertices, expected.vertices);
            EXPECT_EQ(found.arcs, expected.arcs);
            EXPECT_EQ(found.out, expected.out);
            if (threads == 1) continue;
            const Graph far = build_graph({&edges, listed ? &more : nullptr, weighted, directed}, directions, comm, {},
                                          hash_string, kFarNumbers);
            EXPECT_TRUE(far.far);
            const Content with_far = content_of(far, directions);
            EXPECT_EQ(with_far.arcs, expected.arcs);
            EXPECT_EQ(with_far.out, expected.out);
          }
        }
}

constexpr int64_t kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();

TEST(Graph, HasNoEdgesButVertices) { expect_graph<int64_t>({}, {}, {3, 1, 3, 7}); }
TEST(Graph, HasOneEdgeFewerThanRanks) { expect_graph<int64_t>({5}, {6}, {5, 9}); }
TEST(Graph, HasOneVertexWithLoops) { expect_graph<int64_t>({4, 4, 4}, {4, 4, 4}, {4}); }
TEST(Graph, TakesEveryIntegerAsId) {
  expect_graph<int64_t>({kLow, kHigh, -1, 0, kLow, 1, kHigh - 1}, {kHigh, -1, 0, kLow, kLow, 0, 1},
                        {kLow + 1, 0xffffffff, -1});
}
TEST(Graph, TakesDenseIdsFarFromZero) {
  expect_graph<int64_t>({kHigh, kHigh - 1, kHigh - 3, kHigh - 4, kHigh - 4},
                        {kHigh - 1, kHigh - 3, kHigh, kHigh - 4, kHigh}, {kHigh - 2});
  expect_graph<int64_t>({kLow, kLow + 1, kLow + 3, kLow + 4, kLow}, {kLow + 1, kLow + 3, kLow, kLow + 4, kLow},
                        {kLow + 2});
}
TEST(Graph, HasAHubWithNearlyAllArcs) {
  std::vector<int64_t> src, hub;
  for (int64_t i = 0; i < 3000; ++i) src.push_back(i), hub.push_back(17);
  expect_graph<int64_t>(src, hub, {});
  for (int64_t& id : src) id *= 1000003;
  expect_graph<int64_t>(src, hub, {});
  expect_graph<int64_t>(hub, src, {});
}
TEST(Graph, TakesStrings) {
  expect_graph<std::string>({"", "a", "é", "日本", "a", "x"},
                            {"a", "", "日本", "é", "a", "a long name beyond eight bytes"},
                            {"", "alone", std::string("a\0", 2)});
}

TEST(Graph, IsTheSameForRandomRows) {
  std::mt19937_64 random(1);
  for (const int64_t rows : {10, 2000})
    for (const int64_t spread : {int64_t{1}, int64_t{1} << 40}) {
      std::vector<int64_t> src, dst, vertices;
      const auto vertex = [&] { return static_cast<int64_t>(random() % 97 * (random() % 7 + 1)) * spread - 50; };
      for (int64_t i = 0; i < rows; ++i) src.push_back(vertex()), dst.push_back(vertex());
      for (int i = 0; i < 30; ++i) vertices.push_back(vertex());
      expect_graph(src, dst, vertices);
    }
}

uint64_t arc_hash(int64_t from, int64_t to, double weight) {
  return mix(mix(mix(from) + static_cast<uint64_t>(to)) + static_cast<uint64_t>(weight * 8));
}

/// Enough rows for many partitions, groups and windows; compared by the sum of a hash of every arc.
void expect_sum(const std::vector<int64_t>& src, const std::vector<int64_t>& dst) {
  Comm& comm = test_comm();
  std::vector<double> weight;
  std::map<int64_t, int64_t> out_degree;
  uint64_t expected = 0;
  for (size_t i = 0; i < src.size(); ++i) {
    weight.push_back(static_cast<double>(i % 5));
    expected += arc_hash(src[i], dst[i], weight[i]);
    ++out_degree[src[i]];
  }
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    const Table edges =
        memory_table("edges", {longs("src", src), longs("dst", dst), doubles("weight", weight)}, comm, 10000);
    const Graph graph = build_graph({&edges, nullptr, true, true}, Directions::kBoth, comm, {});
    std::vector<int64_t> ids(static_cast<size_t>(graph.vertices));
    std::copy(graph.ids.integers().begin(), graph.ids.integers().end(), ids.begin() + graph.first);
    comm.allgatherv(std::span<int64_t>(ids), graph.counts);
    EXPECT_EQ(std::set<int64_t>(ids.begin(), ids.end()).size(), ids.size());
    uint64_t found = 0, turned = 0;
    int64_t unsorted = 0;
    for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row) {
      const int64_t id = graph.ids.integers()[row];
      const auto known = out_degree.find(id);
      EXPECT_EQ(graph.out_degree[row], known == out_degree.end() ? 0 : known->second);
      for (auto k = static_cast<size_t>(graph.in.starts[row]); k < static_cast<size_t>(graph.in.starts[row + 1]); ++k) {
        found += arc_hash(ids[graph.in.ends[k]], id, graph.in.weights[k]);
        unsorted += k > static_cast<size_t>(graph.in.starts[row]) && graph.in.ends[k] < graph.in.ends[k - 1];
      }
      for (auto k = static_cast<size_t>(graph.out.starts[row]); k < static_cast<size_t>(graph.out.starts[row + 1]); ++k)
        turned += arc_hash(id, ids[graph.out.ends[k]], graph.out.weights[k]);
    }
    EXPECT_EQ(comm.allreduce<uint64_t>(found), expected);
    EXPECT_EQ(comm.allreduce<uint64_t>(turned), expected);
    EXPECT_EQ(unsorted, 0);

    const Graph incoming = build_graph({&edges, nullptr, true, true}, Directions::kIn, comm, {});
    for (size_t row = 0; row < static_cast<size_t>(incoming.rows); ++row)
      for (auto k = static_cast<size_t>(incoming.in.starts[row]) + 1;
           k < static_cast<size_t>(incoming.in.starts[row + 1]); ++k)
        unsorted += incoming.in.ends[k] >> 12 < incoming.in.ends[k - 1] >> 12;
    EXPECT_LE(unsorted, incoming.in.arcs() >> 19);  // rows are sorted by 4096 sources, but for those of several windows
  }
}

TEST(Graph, IsTheSameForManyPartitions) {
  std::mt19937_64 random(2);
  std::vector<int64_t> src, dst, sparse_src, sparse_dst, hub;
  for (int i = 0; i < 1200000; ++i) {
    const uint64_t a = random() & 0x1ffff, b = random() & random() & 0x1ffff;
    src.push_back(static_cast<int64_t>(a)), dst.push_back(static_cast<int64_t>(b));
    sparse_src.push_back(static_cast<int64_t>(a * 0x9e3779b97f4a7c15u)),
        sparse_dst.push_back(static_cast<int64_t>(b * 0x9e3779b97f4a7c15u));
    hub.push_back(-1);
  }
  expect_sum(src, dst);
  expect_sum(sparse_src, sparse_dst);
  expect_sum(sparse_src, hub);  // one partition gets all, in two windows
  expect_sum(hub, dst);
}

// With so few arcs for a vertex, both ends of an arc do not stand in one word.
TEST(Graph, IsTheSameForLongPartitions) {
  std::mt19937_64 random(4);
  std::vector<int64_t> path(300000);
  std::iota(path.begin(), path.end(), int64_t{-7});
  std::shuffle(path.begin(), path.end(), random);
  std::vector<int64_t> next(path.begin() + 1, path.end());
  next.push_back(path.front());
  expect_sum(path, next);
}

// The order of a row's arcs depends on the ranks and on how they were sorted; their sum must not.
TEST(Graph, SumsWeightsAlikeHoweverBuilt) {
  Comm& comm = test_comm();
  Comm alone;
  std::mt19937_64 random(3);
  std::vector<int64_t> src, dst;
  std::vector<double> weight;
  for (int i = 0; i < 200000; ++i) {
    src.push_back(static_cast<int64_t>(random() % 4 == 0 ? random() % 200 : 7));  // one row so long that it is cut
    dst.push_back(static_cast<int64_t>(random() % 300));
    weight.push_back(std::ldexp(static_cast<double>(random() >> 11), -53));
  }
  const auto sums = [&](Comm& ranks, Directions directions) {
    const Table edges = memory_table("edges", {longs("src", src), longs("dst", dst), doubles("weight", weight)}, ranks);
    const Graph graph = build_graph({&edges, nullptr, true, true}, directions, ranks, {});
    std::map<int64_t, double> by_id;
    for (size_t row = 0; row < static_cast<size_t>(graph.rows); ++row)
      by_id[graph.ids.integers()[row]] = graph.out_weight[row];
    return by_id;
  };
  const auto expected = sums(alone, Directions::kIn);
  for (const Directions directions : {Directions::kIn, Directions::kBoth})
    for (const auto& [id, sum] : sums(comm, directions)) EXPECT_EQ(sum, expected.at(id));
}

TEST(Graph, WidensNarrowIntegers) {
  Comm& comm = test_comm();
  const std::vector<int8_t> src{-128, 127, 0, 5};
  const std::vector<int32_t> dst{127, 70000, -128, 5};
  const std::vector<int16_t> weight{1, 2, 3, 4}, vertices{-300, 127};
  const Table edges = memory_table(
      "edges", {{"src", Type::kInt8, src}, {"dst", Type::kInt32, dst}, {"weight", Type::kInt16, weight}}, comm, 2);
  const Table more = memory_table("vertices", {{"id", Type::kInt16, vertices}}, comm);
  const Content found = content_of(build_graph({&edges, &more, true, true}, Directions::kBoth, comm, {}));
  EXPECT_EQ(found.arcs,
            (std::multiset<Arc3>{{"-128", "127", 1}, {"127", "70000", 2}, {"0", "-128", 3}, {"5", "5", 4}}));
  EXPECT_EQ(found.vertices.count("-300"), 1u);
}

TEST(Graph, RefusesBadRowsOnEveryRank) {
  Comm& comm = test_comm();
  const auto text = [&](std::vector<MemoryColumn> columns, std::vector<MemoryColumn> vertices = {}) {
    const Table edges = memory_table("edges", columns, comm),
                more = vertices.empty() ? Table{} : memory_table("vertices", vertices, comm);
    return error_text(Exit::kData, [&] {
      (void)build_graph({&edges, vertices.empty() ? nullptr : &more, columns.size() > 2, true}, Directions::kBoth, comm,
                        {});
    });
  };
  EXPECT_EQ(text({longs("from", {1, 2, 3}).with_nulls({0, 2}), longs("to", {1, 2, 3})}),
            "edges.from: expected no nulls, found 2. Filter them out before the call.");
  EXPECT_EQ(text({longs("from", {1, 2, 3}), longs("to", {1, 2, 3}), doubles("w", {1, 2, 3}).with_nulls({1})}),
            "edges.w: expected no nulls, found 1. Filter them out before the call.");
  EXPECT_EQ(
      text({longs("from", {1, 2, 3, 4}), longs("to", {1, 2, 3, 4}), doubles("w", {-1, std::nan(""), INFINITY, 0})}),
      "edges.w: expected finite numbers >= 0, found 3 that are negative, NaN or infinite. Filter them out or replace "
      "them before the call.");
  EXPECT_EQ(text({longs("from", {1}), MemoryColumn("to", {"a"})}),
            "edges.to: expected integers like edges.from, found string. Cast one of the two columns.");
  EXPECT_EQ(text({longs("from", {1}), longs("to", {1})}, {MemoryColumn("id", {"a"})}),
            "vertices.id: expected integers like edges.from, found strings. Cast one of the two columns.");
  EXPECT_EQ(text({longs("from", {1}), longs("to", {1})}, {longs("id", {1, 2}).with_nulls({1})}),
            "vertices.id: expected no nulls, found 1. Filter them out before the call.");
  EXPECT_EQ(text({longs("from", {}), longs("to", {})}),
            "edges: expected at least one row, or a table of vertices, found 0 rows. Check the table, or the filter "
            "that made it.");
}

TEST(NamedRows, AreFoundOnceAndMissedByName) {
  Comm& comm = test_comm();
  const Table edges = memory_table("edges", {longs("src", {1, 2, 3, -4}), longs("dst", {2, 3, 1, 1})}, comm);
  const Graph graph = build_graph({&edges}, Directions::kIn, comm, {});
  const NamedRows named = find_named_rows(graph.ids, {"3", "-4", "3"}, "source_ids", comm);
  EXPECT_EQ(named.distinct, 2);
  EXPECT_EQ(comm.allreduce<int64_t>(static_cast<int64_t>(named.rows.size())), 2);
  EXPECT_EQ(
      error_text(Exit::kData, [&] { find_named_rows(graph.ids, {"3", "5", "x"}, "source_ids", comm); }),
      "source_ids: expected ids that occur in the graph, found 2 that do not, first 5. Remove them from the list.");
  EXPECT_EQ(error_text(Exit::kArguments, [&] { find_named_rows(graph.ids, {}, "source_ids", comm); }),
            "source_ids: expected at least one id, found an empty list. Name one, or leave source_ids out.");
}

TEST(RowChunks, CoverEveryRowOnceAndCutLongRows) {
  Buffer<int64_t> starts(5001);
  for (size_t row = 0; row < 5000; ++row)
    starts[row + 1] = starts[row] + (row == 0 || row == 2500 || row == 4999 ? 100000 : static_cast<int64_t>(row % 7));
  const RowChunks chunks(starts.span());
  std::vector<int> seen(5000);
  for (const RowChunk& chunk : chunks.chunks)
    for (int64_t row = chunk.begin; row < chunk.end; ++row) ++seen[static_cast<size_t>(row)];
  ASSERT_EQ(chunks.long_rows.size(), 3u);
  for (const LongRow& row : chunks.long_rows) {
    ++seen[static_cast<size_t>(row.row)];
    int64_t at = starts[static_cast<size_t>(row.row)];
    for (size_t piece = row.first_piece; piece < row.end_piece; ++piece) {
      EXPECT_EQ(chunks.pieces[piece].begin, at);
      at = chunks.pieces[piece].end;
    }
    EXPECT_EQ(at, starts[static_cast<size_t>(row.row) + 1]);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5000);
}

}  // namespace
}  // namespace sparkgap
