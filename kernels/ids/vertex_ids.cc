// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/vertex_ids.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "process/error.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

std::optional<int64_t> parse(const std::string& text) {
  int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// found(key, row) for each row whose id is a key of `wanted`, under a lock.
template <typename Key, typename Ids, typename Found>
void each_row_of(const std::unordered_map<Key, int64_t>& wanted, const Ids& ids, Found&& found) {
  if (wanted.empty()) return;
  const bool single = wanted.size() == 1;
  const Key only = wanted.begin()->first;
  std::mutex lock;
  parallel_ranges(static_cast<int64_t>(ids.size()), 1 << 16, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      if (single ? ids[row] != only : !wanted.contains(ids[row])) continue;
      const std::lock_guard guard(lock);
      found(ids[row], static_cast<int64_t>(row));
    }
  });
}

}  // namespace

NamedRows find_named_rows(const VertexIds& ids, const std::vector<std::string>& wanted, const std::string& parameter,
                          Comm& comm) {
  if (wanted.empty())
    throw Error(Exit::kArguments, parameter, "at least one id", "an empty list",
                "Name one, or leave " + parameter + " out");
  NamedRows named;
  std::vector<int64_t> hits(wanted.size());  // by place in the list, summed over ranks
  // `place` tells the first of equal ids in the list; the others look there.
  const auto find = [&](const auto& place, const auto& values) {
    each_row_of(place, values, [&](const auto& key, int64_t row) {
      hits[static_cast<size_t>(place.at(key))] = 1;
      named.rows.push_back(row);
    });
  };
  std::vector<size_t> first_equal(wanted.size());
  const auto places = [&](auto& place, auto&& key_of) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto key = key_of(wanted[i]);
      first_equal[i] = key ? static_cast<size_t>(place.try_emplace(*key, static_cast<int64_t>(i)).first->second) : i;
    }
  };
  // A rank without rows does not know which kind the ids are, and need not.
  if (ids.strings()) {
    std::unordered_map<std::string_view, int64_t> place;
    places(place, [](const std::string& text) { return std::optional<std::string_view>(text); });
    find(place, ids.texts());
  } else {
    std::unordered_map<int64_t, int64_t> place;
    places(place, parse);
    find(place, ids.integers());
  }
  std::sort(named.rows.begin(), named.rows.end());
  for (size_t i = 0; i < wanted.size(); ++i) hits[i] = hits[first_equal[i]];
  comm.allreduce(std::span<int64_t>(hits));
  if (const auto missing = std::count(hits.begin(), hits.end(), 0); missing > 0) {
    if (wanted.size() == 1)
      throw Error(Exit::kData, parameter, "an id that occurs in the graph", wanted[0],
                  "Pass an id that occurs in edges or vertices");
    const auto first = static_cast<size_t>(std::find(hits.begin(), hits.end(), 0) - hits.begin());
    throw Error(Exit::kData, parameter, "ids that occur in the graph",
                std::to_string(missing) + " that do not, first " + wanted[first], "Remove them from the list");
  }
  named.distinct = comm.allreduce<int64_t>(static_cast<int64_t>(named.rows.size()));
  return named;
}

}  // namespace sparkgap
