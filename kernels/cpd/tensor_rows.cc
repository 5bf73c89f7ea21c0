// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/tensor_rows.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "ids/key_table.h"
#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 14;

/// body(row, key) for the rows [begin, end) of the only id column.
template <typename Body>
void each_key(const KeyRows& rows, int64_t begin, int64_t end, Body&& body) {
  int64_t row = begin;
  rows.blocks<false>(begin, end, [&](const KeyBlock& block) {
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
  uint64_t width() const {
    return least > most ? 0 : static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1;
  }  // 0 also where all 2^64 are
};

Span span_of(const KeyRows& rows) {
  return parallel_sum<Span>(rows.rows(), kGrain, [&](int64_t begin, int64_t end) {
    Span span;
    each_key(rows, begin, end, [&](int64_t, int64_t key) { span += Span{key, key}; });
    return span;
  });
}

}  // namespace

/// By an array over the range of the keys.
std::vector<int64_t> TensorRows::number_close(Places& places, uint64_t width, Comm& comm) {
  const KeyRows& rows = places.keys;
  const auto slot = [&](int64_t key) { return static_cast<size_t>(static_cast<uint64_t>(key) - places.least); };
  places.by_key = Buffer<uint32_t>(static_cast<size_t>(width));
  parallel_ranges(rows.rows(), kGrain, [&](int64_t begin, int64_t end) {
    each_key(rows, begin, end, [&](int64_t, int64_t key) {
      const std::atomic_ref there(places.by_key[slot(key)]);
      if (there.load(std::memory_order_relaxed) == 0)
        there.store(1, std::memory_order_relaxed);  // a line that is only read stays with both threads
    });
  });
  std::vector<int64_t> mine;
  for (size_t i = 0; i < places.by_key.size(); ++i)
    if (places.by_key[i] != 0) mine.push_back(static_cast<int64_t>(places.least + i));
  const std::vector<int64_t> all = union_of(mine, comm);
  const std::vector<uint32_t> place = places_in(all, mine);
  for (size_t i = 0; i < mine.size(); ++i) places.by_key[slot(mine[i])] = place[i];
  return all;
}

/// By a hash table for each of as many parts of the rows as there are threads.
std::vector<int64_t> TensorRows::number_far(Places& places, Comm& comm) {
  const KeyRows& rows = places.keys;
  places.by_row = Buffer<uint32_t>(static_cast<size_t>(rows.rows()), Content::kAnything);
  const int64_t parts = std::clamp<int64_t>(rows.rows() / kGrain, 1, threads());
  std::vector<KeyTable> tables(static_cast<size_t>(parts));
  parallel_for(parts, [&](int64_t part) {
    each_key(rows, cut(rows.rows(), parts, part), cut(rows.rows(), parts, part + 1), [&](int64_t row, int64_t key) {
      places.by_row[static_cast<size_t>(row)] = tables[static_cast<size_t>(part)].insert(key, mix(key));
    });
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
    for (const int64_t key : keys)
      place.push_back(static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), key) - all.begin()));
    for (auto row = static_cast<size_t>(cut(rows.rows(), parts, part)),
              end = static_cast<size_t>(cut(rows.rows(), parts, part + 1));
         row < end; ++row)
      places.by_row[row] = place[places.by_row[row]];
  });
  return all;
}

TensorRows::TensorRows(const Table& table, size_t modes, Comm& comm) : table_(table), values_(table, modes) {
  if (table.rows_global == 0)
    throw Error(Exit::kData, table.name, "at least one row", "0 rows", "Check the table, or the filter that made it");
  std::vector<KeyRows*> texts;
  for (size_t mode = 0; mode < modes; ++mode) {
    places_.push_back({KeyRows(table, std::vector<int>{static_cast<int>(mode)}, -1)});
    places_.back().keys.check(comm);
  }
  for (Places& places : places_)
    if (places.keys.strings()) texts.push_back(&places.keys);
  values_.require_finite(std::nullopt);

  if (!texts.empty()) strings_ = std::make_shared<StringIds>(texts, comm);
  for (Places& places : places_) {
    const bool strings = places.keys.strings();
    const Span span = strings ? Span() : span_of(places.keys);
    places.least = static_cast<uint64_t>(span.least);
    // Which way is a matter of this rank alone: both make the same collective call.
    const bool close = !strings && (table.rows == 0 ||
                                    (span.width() > 0 && span.width() <= 4 * static_cast<uint64_t>(table.rows) + 1024));
    std::vector<int64_t> keys = close ? number_close(places, span.width(), comm) : number_far(places, comm);
    if (keys.size() > 0xfffffffeu)
      throw Error(Exit::kData, column_name(table, places.keys.id_columns()[0]), "at most 4294967294 different keys",
                  std::to_string(keys.size()), "Split the table");
    modes_.push_back({std::move(keys), strings});
    places.keys.release();
  }
  for (const Batch& batch : table.batches) starts_.push_back(starts_.back() + batch.rows);
}

void TensorRows::values(int64_t begin, int64_t end, double* out) const {
  for (int64_t row = begin; row < end;) {
    const auto batch = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin()) - 1;
    const int64_t n = std::min(end, starts_[batch + 1]) - row;
    values_.fill(batch, starts_[batch], row, n, out);
    row += n, out += n;
  }
}

}  // namespace sparkgap
