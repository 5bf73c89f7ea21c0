// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "triads/packed_rows.h"

#include <algorithm>

#include "process/parallel.h"

namespace sparkgap {
namespace {

/// To one rank, and from one that sends `length`.
template <typename T>
void exchange(std::span<const T> mine, int to, std::span<T> theirs, int from, Comm& comm) {
  std::vector<int64_t> send(static_cast<size_t>(comm.size())), receive(send.size());
  send[static_cast<size_t>(to)] = static_cast<int64_t>(mine.size());
  receive[static_cast<size_t>(from)] = static_cast<int64_t>(theirs.size());
  comm.alltoallv<T>(mine, send, theirs, receive);
}

}  // namespace

PackedRows::PackedRows(const OrientedRows& rows, bool mutual) {
  head_ = {rows.first, rows.stride, mutual ? 1 : 0};
  const std::vector<int64_t> cuts = cut_by_work(rows);
  chunks_.resize(cuts.size());
  std::vector<std::vector<uint8_t>> parts(cuts.size() - 1);
  parallel_for(chunks(), [&](int64_t i) {
    const auto chunk = static_cast<size_t>(i);
    std::vector<uint8_t>& bytes = parts[chunk];
    bytes.reserve(static_cast<size_t>(
        2 * (rows.starts[static_cast<size_t>(cuts[chunk + 1])] - rows.starts[static_cast<size_t>(cuts[chunk])])));
    for (int64_t row = cuts[chunk]; row < cuts[chunk + 1]; ++row) {
      put_number(static_cast<uint64_t>(rows.degree(row)), bytes);
      const auto ends = rows.of(row);
      uint32_t before = 0;
      for (size_t k = 0; k < ends.size(); before = ends[k++]) {
        const uint64_t gap = ends[k] - before;
        put_number(mutual ? gap << 1 | rows.mutual_of(row)[k] : gap, bytes);
      }
    }
  });
  for (size_t chunk = 0; chunk < cuts.size(); ++chunk) {
    chunks_[chunk].row = cuts[chunk];
    chunks_[chunk].edge = rows.starts[static_cast<size_t>(cuts[chunk])];
    if (chunk > 0) chunks_[chunk].at = chunks_[chunk - 1].at + static_cast<int64_t>(parts[chunk - 1].size());
  }
  head_.chunks = static_cast<int64_t>(chunks_.size());
  head_.bytes = chunks_.back().at;
  bytes_ = Buffer<uint8_t>(static_cast<size_t>(head_.bytes), Content::kAnything);
  parallel_for(chunks(), [&](int64_t i) {
    const auto chunk = static_cast<size_t>(i);
    std::copy(parts[chunk].begin(), parts[chunk].end(), bytes_.data() + chunks_[chunk].at);
  });
}

OrientedRows PackedRows::unpack() const {
  const auto rows = static_cast<size_t>(chunks_.back().row), edges = static_cast<size_t>(chunks_.back().edge);
  OrientedRows made{.rows = chunks_.back().row,
                    .first = static_cast<uint32_t>(head_.first),
                    .stride = static_cast<uint32_t>(head_.stride),
                    .starts = Buffer<int64_t>(rows + 1),
                    .ends = Buffer<uint32_t>(edges, Content::kAnything),
                    .mutual = Buffer<uint8_t>(head_.mutual != 0 ? edges : 0, Content::kAnything)};
  parallel_for(chunks(), [&](int64_t i) {
    const Chunk &from = chunks_[static_cast<size_t>(i)], &to = chunks_[static_cast<size_t>(i) + 1];
    int64_t row = from.row, edge = from.edge;
    each_row(i, [&](uint32_t label, const std::vector<uint32_t>& ends, const std::vector<uint8_t>& mutual) {
      const int64_t of_label = (label - head_.first) / head_.stride;
      for (; row <= of_label; ++row) made.starts[static_cast<size_t>(row)] = edge;
      std::copy(ends.begin(), ends.end(), made.ends.data() + edge);
      if (head_.mutual != 0) std::copy(mutual.begin(), mutual.end(), made.mutual.data() + edge);
      edge += static_cast<int64_t>(ends.size());
    });
    for (; row < to.row; ++row) made.starts[static_cast<size_t>(row)] = edge;
  });
  made.starts[rows] = static_cast<int64_t>(edges);
  return made;
}

PackedRows PackedRows::hand_on(int to, int from, Comm& comm) const {
  PackedRows got;
  exchange<Head>({&head_, 1}, to, {&got.head_, 1}, from, comm);
  got.chunks_.resize(static_cast<size_t>(got.head_.chunks));
  exchange<Chunk>(chunks_, to, got.chunks_, from, comm);
  got.bytes_ = Buffer<uint8_t>(static_cast<size_t>(got.head_.bytes), Content::kAnything);
  exchange<uint8_t>(bytes_.span(), to, got.bytes_.span(), from, comm);
  return got;
}

}  // namespace sparkgap
