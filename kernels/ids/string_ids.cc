// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/string_ids.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "process/error.h"
#include "process/parallel.h"
#include "rows/split.h"

namespace sparkgap {
namespace {

constexpr int64_t kSliceRows = int64_t{1} << 22;  // bounds the memory for sightings
constexpr uint64_t kSeeds = 8;

}  // namespace

StringIds::StringIds(std::span<KeyRows* const> tables, Comm& comm, StringHash hash) : hash_(hash) {
  int64_t rows = 0;
  for (const KeyRows* table : tables) rows += table->table().rows_global;
  partitions_ = Partitions::for_edges(rows, comm.size());
  first_partition_ = comm.rank() * partitions_.per_rank;
  for (seed_ = 0; seed_ < kSeeds; ++seed_) {
    std::vector<Names> local(static_cast<size_t>(partitions_.total()));
    bool exact = true;
    for (KeyRows* table : tables)
      for (size_t c = 0; c < table->id_columns().size() && exact; ++c)
        exact = hash_column(*table, static_cast<int>(c), local);
    // Gathering is collective, so everybody must know first.
    if (comm.allreduce<int64_t>(exact, Reduce::kMin) == 1 && gather(local, comm)) return;
  }
  throw Error(Exit::kBug, "string ids",
              "one of " + std::to_string(kSeeds) + " hash seeds without two strings of one hash", "none",
              "Report this with the ids");
}

bool StringIds::hash_column(KeyRows& rows, int which, std::vector<Names>& names) const {
  Buffer<int64_t> keys(static_cast<size_t>(rows.rows()));
  Buffer<Sighting> sightings(static_cast<size_t>(std::min(kSliceRows, rows.rows())));
  std::atomic<bool> exact{true};
  for (int64_t slice = 0; slice < rows.rows() && exact; slice += kSliceRows) {
    const int64_t slice_rows = std::min(kSliceRows, rows.rows() - slice),
                  groups = std::clamp<int64_t>(slice_rows >> 14, 1, 4 * threads());
    const auto each = [&](int64_t g, auto&& body) {
      rows.texts(which, slice + cut(slice_rows, groups, g), slice + cut(slice_rows, groups, g + 1), body);
    };
    SplitPlan plan(groups, partitions_.total());
    parallel_for(groups, [&](int64_t g) {
      int64_t* counts = plan.row(g).data();
      each(g, [&](int64_t row, std::string_view text) {
        const int64_t key = keys[static_cast<size_t>(row)] = key_of(text);
        ++counts[partitions_.of_hash(mix(key))];
      });
    });
    plan.finish();
    parallel_for(groups, [&](int64_t g) {
      Scatter<Sighting> scatter(sightings.data(), plan.row(g));
      each(g, [&, pen = scatter.pen()](int64_t row, std::string_view text) {
        const int64_t key = keys[static_cast<size_t>(row)];
        pen(partitions_.of_hash(mix(key)), {key, TextView(text)});
      });
    });
    parallel_for(partitions_.total(), [&](int64_t p) {
      for (int64_t i = plan.start(static_cast<int>(p)); i < plan.start(static_cast<int>(p) + 1); ++i) {
        const Sighting& s = sightings[static_cast<size_t>(i)];
        if (!names[static_cast<size_t>(p)].add(s.key, s.text)) exact = false;
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
    for (const TextView& text : local[p].texts)
      send[p / static_cast<size_t>(partitions_.per_rank)] += static_cast<int64_t>(text.view().size());
  }
  plan.finish();
  Buffer<Entry> entries(static_cast<size_t>(plan.records()));
  std::vector<char> characters;
  characters.reserve(static_cast<size_t>(std::accumulate(send.begin(), send.end(), int64_t{0})));
  for (size_t p = 0, at = 0; p < local.size(); ++p)
    for (size_t i = 0; i < local[p].texts.size(); ++i, ++at) {
      const std::string_view text = local[p].texts[i].view();
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
        if (!names_[static_cast<size_t>(p)].add(entry.key, TextView({characters_.data() + at, entry.length})))
          exact = false;
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
  return names->texts[names->table.find(key, mix(key))].view();
}

bool StringIds::holds(std::string_view text) const {
  const int64_t key = key_of(text);
  const Names* names = names_of(key);
  if (names == nullptr) return false;
  const uint32_t number = names->table.find(key, mix(key));
  return number != KeyTable::kNone && names->texts[number].view() == text;
}

}  // namespace sparkgap
