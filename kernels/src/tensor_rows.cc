// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "tensor_rows.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "error.h"
#include "examples.h"
#include "key_table.h"
#include "keys.h"
#include "parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 14;

/// body(row, key) for the rows [begin, end) of the only id column.
template <typename Body>
void each_key(const KeyRows& rows, int64_t begin, int64_t end, Body&& body) {
  int64_t row = begin;
  rows.blocks(begin, end, [&](const KeyBlock& block) {
    for (int64_t i = 0; i < block.rows; ++i) body(row + i, block.a[i]);
    row += block.rows;
  });
}

/// The keys of all ranks, each once, rising: from this rank's, which are that already.
std::vector<int64_t> union_of(std::vector<int64_t> mine, Comm& comm) {
  if (comm.size() == 1) return mine;
  const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(mine.size()));
  std::vector<int64_t> all(static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  std::copy(mine.begin(), mine.end(), all.begin() + comm.exscan(static_cast<int64_t>(mine.size())));
  comm.allgatherv(std::span<int64_t>(all), counts);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Where each of `some` stands in `all`, which has them; both rise.
std::vector<uint32_t> places_in(const std::vector<int64_t>& all, const std::vector<int64_t>& some) {
  std::vector<uint32_t> places;
  places.reserve(some.size());
  size_t at = 0;
  for (const int64_t key : some) {
    while (all[at] != key) ++at;
    places.push_back(static_cast<uint32_t>(at));
  }
  return places;
}

struct Span {
  int64_t least = INT64_MAX, most = INT64_MIN;
  Span& operator+=(const Span& other) {
    least = std::min(least, other.least), most = std::max(most, other.most);
    return *this;
  }
  uint64_t width() const { return least > most ? 0 : static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1; }  // 0 also where all 2^64 are
};

Span span_of(const KeyRows& rows) {
  return parallel_sum<Span>(rows.rows(), kGrain, [&](int64_t begin, int64_t end) {
    Span span;
    each_key(rows, begin, end, [&](int64_t, int64_t key) { span += Span{key, key}; });
    return span;
  });
}

/// By an array over the range of the keys.
std::vector<int64_t> number_close(const KeyRows& rows, const Span& span, Buffer<uint32_t>& places, Comm& comm) {
  const auto width = static_cast<size_t>(span.width());
  const auto slot = [&](int64_t key) { return static_cast<size_t>(static_cast<uint64_t>(key) - static_cast<uint64_t>(span.least)); };
  Buffer<uint32_t> slots(width);
  parallel_ranges(rows.rows(), kGrain, [&](int64_t begin, int64_t end) {
    each_key(rows, begin, end, [&](int64_t, int64_t key) { std::atomic_ref(slots[slot(key)]).store(1, std::memory_order_relaxed); });
  });
  std::vector<int64_t> mine;
  for (size_t i = 0; i < width; ++i)
    if (slots[i] != 0) mine.push_back(static_cast<int64_t>(static_cast<uint64_t>(span.least) + i));
  const std::vector<int64_t> all = union_of(mine, comm);
  const std::vector<uint32_t> place = places_in(all, mine);
  for (size_t i = 0; i < mine.size(); ++i) slots[slot(mine[i])] = place[i];
  parallel_ranges(rows.rows(), kGrain, [&](int64_t begin, int64_t end) {
    each_key(rows, begin, end, [&](int64_t row, int64_t key) { places[static_cast<size_t>(row)] = slots[slot(key)]; });
  });
  return all;
}

/// By a hash table for each of as many parts of the rows as there are threads.
std::vector<int64_t> number_far(const KeyRows& rows, Buffer<uint32_t>& places, Comm& comm) {
  const int64_t parts = std::clamp<int64_t>(rows.rows() / kGrain, 1, threads());
  std::vector<KeyTable> tables(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    each_key(rows, cut(rows.rows(), parts, part), cut(rows.rows(), parts, part + 1),
             [&](int64_t row, int64_t key) { places[static_cast<size_t>(row)] = tables[static_cast<size_t>(part)].insert(key, mix(key)); });
  });
  std::vector<int64_t> mine;
  for (const KeyTable& table : tables) mine.insert(mine.end(), table.keys().begin(), table.keys().end());
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  const std::vector<int64_t> all = union_of(std::move(mine), comm);
  parallel_for(parts, [&](int64_t part) {
    const std::vector<int64_t>& keys = tables[static_cast<size_t>(part)].keys();
    std::vector<uint32_t> place;
    place.reserve(keys.size());
    for (const int64_t key : keys) place.push_back(static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), key) - all.begin()));
    for (auto row = static_cast<size_t>(cut(rows.rows(), parts, part)), end = static_cast<size_t>(cut(rows.rows(), parts, part + 1)); row < end; ++row)
      places[row] = place[places[row]];
  });
  return all;
}

}  // namespace

TensorRows tensor_rows_of(const Table& table, size_t modes, Comm& comm) {
  if (table.rows_global == 0) throw Error(Exit::kData, table.name, "at least one row", "0 rows", "Check the table, or the filter that made it");
  std::vector<KeyRows> columns;
  std::vector<KeyRows*> texts;
  for (size_t mode = 0; mode < modes; ++mode) {
    columns.emplace_back(table, std::vector<int>{static_cast<int>(mode)}, -1);
    columns.back().check(comm);
  }
  for (KeyRows& column : columns)
    if (column.strings()) texts.push_back(&column);
  const NumberColumn values(table, modes);
  values.require_finite(std::nullopt);

  TensorRows rows;
  if (!texts.empty()) rows.strings = std::make_shared<StringIds>(texts, comm);
  for (KeyRows& column : columns) {
    Buffer<uint32_t> places(static_cast<size_t>(table.rows), Content::kAnything);
    const bool strings = column.strings();
    const Span span = strings ? Span() : span_of(column);
    // Which way is a matter of this rank alone: both make the same collective call.
    const bool close = !strings && (table.rows == 0 || (span.width() > 0 && span.width() <= 4 * static_cast<uint64_t>(table.rows) + 1024));
    std::vector<int64_t> keys = close ? number_close(column, span, places, comm) : number_far(column, places, comm);
    if (keys.size() > 0xfffffffeu)
      throw Error(Exit::kData, column_name(table, column.id_columns()[0]), "at most 4294967294 different keys", std::to_string(keys.size()), "Split the table");
    rows.modes.push_back({std::move(keys), strings});
    rows.places.push_back(std::move(places));
    column.release();
  }
  rows.values = Buffer<double>(static_cast<size_t>(table.rows), Content::kAnything);
  std::vector<int64_t> starts{0};
  for (const Batch& batch : table.batches) starts.push_back(starts.back() + batch.rows);
  parallel_for(static_cast<int64_t>(table.batches.size()), [&](int64_t i) {
    const auto batch = static_cast<size_t>(i);
    values.fill(batch, starts[batch], starts[batch], table.batches[batch].rows, rows.values.data() + starts[batch]);
  });
  return rows;
}

}  // namespace sparkgap
