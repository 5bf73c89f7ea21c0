// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "string_ids.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "error.h"
#include "parallel.h"
#include "split.h"

namespace sparkgap {
namespace {

constexpr int64_t kSliceRows = int64_t{1} << 21;  // bounds the memory for sightings
constexpr uint64_t kSeeds = 8;

ColumnView column_at(const Table& table, int column, const std::vector<int64_t>& starts, int64_t row, int64_t& in_batch, int64_t& left) {
  const size_t at = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), row) - starts.begin()) - 1;
  in_batch = row - starts[at];
  left = table.batches[at].rows - in_batch;
  return table.batches[at].columns[static_cast<size_t>(column)];
}

}  // namespace

/// What a thread saw lately, by key. Few vertices make most of the ends of edges, so most rows end here.
class StringIds::Recent {
 public:
  Recent() : seen_(size_t{1} << 14) {}
  enum class Verdict { kKnown, kNew, kCollision };
  Verdict look(const Sighting& now) {
    Sighting& then = seen_[static_cast<uint64_t>(now.key) & (seen_.size() - 1)];
    if (then.text != nullptr && then.key == now.key)
      return std::string_view(then.text, then.length) == std::string_view(now.text, now.length) ? Verdict::kKnown : Verdict::kCollision;
    then = now;
    return Verdict::kNew;
  }

 private:
  std::vector<Sighting> seen_;
};

StringIds::StringIds(std::span<KeyRows* const> tables, Comm& comm, StringHash hash) : hash_(hash) {
  int64_t rows = 0;
  for (const KeyRows* table : tables) rows += table->table().rows_global;
  partitions_ = Partitions::for_edges(rows, comm.size());
  first_partition_ = comm.rank() * partitions_.per_rank;
  for (seed_ = 0; seed_ < kSeeds; ++seed_) {
    std::vector<Names> local(static_cast<size_t>(partitions_.total()));
    bool exact = true;
    for (KeyRows* table : tables)
      for (size_t c = 0; c < table->id_columns().size() && exact; ++c) exact = hash_column(*table, static_cast<int>(c), local);
    // Gathering is collective, so everybody must know first.
    if (comm.allreduce<int64_t>(exact, Reduce::kMin) == 1 && gather(local, comm)) return;
  }
  throw Error(Exit::kBug, "string ids", "one of " + std::to_string(kSeeds) + " hash seeds without two strings of one hash", "none",
              "Report this with the ids");
}

bool StringIds::hash_column(KeyRows& rows, int which, std::vector<Names>& names) const {
  const Table& table = rows.table();
  const int column = rows.id_columns()[static_cast<size_t>(which)];
  std::vector<int64_t> starts{0};
  for (const Batch& batch : table.batches) starts.push_back(starts.back() + batch.rows);
  Buffer<int64_t> keys(static_cast<size_t>(rows.rows()));
  std::vector<Recent> recent(static_cast<size_t>(threads()));
  std::atomic<bool> exact{true};

  for (int64_t slice = 0; slice < rows.rows() && exact; slice += kSliceRows) {
    const int64_t slice_rows = std::min(kSliceRows, rows.rows() - slice), groups = 4 * threads();
    std::vector<std::vector<Sighting>> sightings(static_cast<size_t>(groups));
    SplitPlan plan(groups, partitions_.total());
    parallel_for(groups, [&](int64_t g) {
      Recent& lately = recent[static_cast<size_t>(omp_get_thread_num())];
      const auto counts = plan.row(g);
      auto& fresh = sightings[static_cast<size_t>(g)];
      const int64_t end = slice + cut(slice_rows, groups, g + 1);
      for (int64_t row = slice + cut(slice_rows, groups, g), first, left; row < end;) {
        const ColumnView view = column_at(table, column, starts, row, first, left);
        for (const int64_t stop = first + std::min(left, end - row); first < stop; ++first, ++row) {
          const std::string_view text = view.string(first);
          const Sighting now{key_of(text), text.data(), static_cast<uint32_t>(text.size())};
          keys[static_cast<size_t>(row)] = now.key;
          const auto verdict = lately.look(now);
          if (verdict == Recent::Verdict::kCollision) exact = false;
          if (verdict != Recent::Verdict::kNew) continue;
          fresh.push_back(now);
          ++counts[static_cast<size_t>(partitions_.of_hash(mix(now.key)))];
        }
      }
    });
    plan.finish();
    Buffer<Sighting> sorted(static_cast<size_t>(plan.records()));
    parallel_for(groups, [&](int64_t g) {
      Scatter<Sighting> scatter(sorted.data(), plan.row(g));
      for (const Sighting& s : sightings[static_cast<size_t>(g)]) scatter.push(partitions_.of_hash(mix(s.key)), s);
    });
    sightings.clear();
    parallel_for(partitions_.total(), [&](int64_t p) {
      for (int64_t i = plan.start(static_cast<int>(p)); i < plan.start(static_cast<int>(p) + 1); ++i) {
        const Sighting& s = sorted[static_cast<size_t>(i)];
        if (!names[static_cast<size_t>(p)].add(s.key, {s.text, s.length})) exact = false;
      }
    });
  }
  rows.replace(which, std::move(keys));
  return exact;
}

bool StringIds::gather(const std::vector<Names>& local, Comm& comm) {
#pragma pack(push, 4)
  struct Entry {
    int64_t key;
    uint32_t length;
  };
#pragma pack(pop)
  SplitPlan plan(1, partitions_.total());
  std::vector<int64_t> send(static_cast<size_t>(comm.size())), receive;
  for (size_t p = 0; p < local.size(); ++p) {
    plan.row(0)[p] = local[p].table.size();
    for (const std::string_view text : local[p].texts) send[p / static_cast<size_t>(partitions_.per_rank)] += static_cast<int64_t>(text.size());
  }
  plan.finish();
  Buffer<Entry> entries(static_cast<size_t>(plan.records()));
  std::vector<char> characters;
  characters.reserve(static_cast<size_t>(std::accumulate(send.begin(), send.end(), int64_t{0})));
  for (size_t p = 0, at = 0; p < local.size(); ++p)
    for (size_t i = 0; i < local[p].texts.size(); ++i, ++at) {
      const std::string_view text = local[p].texts[i];
      entries[at] = {local[p].table.keys()[i], static_cast<uint32_t>(text.size())};
      characters.insert(characters.end(), text.begin(), text.end());
    }
  const Partitioned<Entry> mine = exchange(std::move(entries), plan, partitions_, comm);
  characters_ = comm.alltoallv<char>(characters, send, receive);
  std::vector<int64_t> text_starts{0};
  text_starts.reserve(mine.records.size() + 1);
  for (const Entry& entry : mine.records) text_starts.push_back(text_starts.back() + entry.length);

  names_.assign(static_cast<size_t>(partitions_.per_rank), {});
  std::atomic<bool> exact{true};
  parallel_for(partitions_.per_rank, [&](int64_t p) {
    for (int rank = 0; rank < mine.ranks; ++rank) {
      const std::span<Entry> piece = mine.piece(static_cast<int>(p), rank);
      for (const Entry& entry : piece) {
        const auto at = static_cast<size_t>(text_starts[static_cast<size_t>(&entry - mine.records.data())]);
        if (!names_[static_cast<size_t>(p)].add(entry.key, {characters_.data() + at, entry.length})) exact = false;
      }
    }
  });
  return comm.allreduce<int64_t>(exact, Reduce::kMin) == 1;
}

const StringIds::Names* StringIds::names_of(int64_t key) const {
  const int p = partitions_.of_hash(mix(key)) - first_partition_;
  return p < 0 || p >= partitions_.per_rank ? nullptr : &names_[static_cast<size_t>(p)];
}

std::string_view StringIds::text(int64_t key) const {
  const Names* names = names_of(key);
  return names->texts[names->table.find(key, mix(key))];
}

bool StringIds::holds(std::string_view text) const {
  const int64_t key = key_of(text);
  const Names* names = names_of(key);
  if (names == nullptr) return false;
  const uint32_t number = names->table.find(key, mix(key));
  return number != KeyTable::kNone && names->texts[number] == text;
}

}  // namespace sparkgap
