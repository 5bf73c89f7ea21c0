// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/label_parts.h"

#include "triads/label_sums.h"

namespace sparkgap {

std::vector<int64_t> cut_labels(const Graph& graph, std::span<const uint32_t> label, Comm& comm) {
  constexpr int64_t kBuckets = 1 << 12, kArcParts = 16, kLabelParts = 4;
  const int64_t labels = graph.vertices, buckets = std::min(labels, kBuckets);
  LabelSums arcs_of(buckets);
  parallel_vertices(graph, [&](int64_t begin, int64_t end) {
    const RowReader reader(graph, label, false);
    const LabelSums::Adder adder(arcs_of);
    for (int64_t vertex = begin; vertex < end; ++vertex) {
      const auto own = int64_t{label[graph.ghosts.place(vertex)]};
      adder.add(static_cast<uint32_t>(static_cast<__int128>(own) * buckets / labels), reader.count(vertex));
    }
  });
  const Buffer<int64_t> arcs = std::move(arcs_of).take(comm);
  const int64_t most_arcs = std::max<int64_t>(graph.arcs / (kArcParts * comm.size()), 1);
  const int64_t most_labels = std::max<int64_t>(labels / (kLabelParts * comm.size()), 1);
  std::vector<int64_t> cuts{0};
  int64_t since = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    // The first label of a bucket, as the division above has it.
    const int64_t end = (static_cast<__int128>(bucket + 1) * labels + buckets - 1) / buckets;
    since += arcs[static_cast<size_t>(bucket)];
    if (since < most_arcs && end - cuts.back() < most_labels && end < labels) continue;
    cuts.push_back(end);
    since = 0;
  }
  return cuts;
}

OrientedRows rows_of_labels(const Graph& graph, std::span<const uint32_t> label, int64_t first, int64_t last,
                            bool mutual, Comm& comm) {
  const auto n = static_cast<size_t>(last - first);
  /// Where this rank has the label, its place in the part.
  const auto place = [&](int64_t vertex) {
    return static_cast<uint64_t>(int64_t{label[graph.ghosts.place(vertex)]} - first);
  };
  Buffer<int64_t> starts(n + 1);
  parallel_vertices(graph, [&](int64_t begin, int64_t end) {
    const RowReader reader(graph, label, false);
    for (int64_t vertex = begin; vertex < end; ++vertex)
      if (const uint64_t at = place(vertex); at < n) starts[at + 1] = reader.count(vertex);
  });
  comm.allreduce(starts.span());
  for (size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  // A label * 2 + mutual, with zeroes where other ranks have the row, or duplicates were.
  Buffer<uint64_t> keys(static_cast<size_t>(starts[n]));
  Buffer<uint32_t> lengths(n);
  parallel_vertices(graph, [&](int64_t begin, int64_t end) {
    RowReader reader(graph, label, mutual);
    for (int64_t vertex = begin; vertex < end; ++vertex) {
      const uint64_t at = place(vertex);
      if (at >= n) continue;
      reader.read(vertex);
      lengths[at] = static_cast<uint32_t>(reader.ends().size());
      uint64_t* const to = keys.data() + starts[at];
      for (size_t i = 0; i < reader.ends().size(); ++i)
        to[i] = uint64_t{reader.ends()[i]} << 1 | (mutual ? reader.mutual()[i] : 0);
    }
  });
  comm.allreduce(keys.span());
  comm.allreduce(lengths.span());
  OrientedRows made;
  made.rows = last - first;
  made.first = static_cast<uint32_t>(first);
  made.starts = Buffer<int64_t>(n + 1);
  for (size_t i = 0; i < n; ++i) made.starts[i + 1] = made.starts[i] + lengths[i];
  made.ends = Buffer<uint32_t>(static_cast<size_t>(made.starts[n]));
  made.mutual = Buffer<uint8_t>(mutual ? made.ends.size() : 0);
  parallel_ranges(made.rows, 1 << 12, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      for (size_t k = 0; k < lengths[i]; ++k) {
        const uint64_t key = keys[static_cast<size_t>(starts[i]) + k];
        made.ends[static_cast<size_t>(made.starts[i]) + k] = static_cast<uint32_t>(key >> 1);
        if (mutual) made.mutual[static_cast<size_t>(made.starts[i]) + k] = key & 1;
      }
  });
  return made;
}

}  // namespace sparkgap
