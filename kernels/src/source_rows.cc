// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "source_rows.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "error.h"
#include "parallel.h"

namespace sparkgap {
namespace {

std::optional<int64_t> parse(const std::string& text) {
  int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The key that the text would have here, if it can have one: a string must be among this rank's.
std::optional<int64_t> key_of(const Graph& graph, const std::string& text) {
  if (graph.strings == nullptr) return parse(text);
  if (!graph.strings->holds(text)) return std::nullopt;
  return graph.strings->key_of(text);
}

}  // namespace

NamedRows find_named_rows(const Graph& graph, const std::vector<std::string>& ids, const std::string& parameter, Comm& comm) {
  if (ids.empty()) throw Error(Exit::kArguments, parameter, "at least one id", "an empty list", "Name one, or leave " + parameter + " out");
  std::unordered_map<int64_t, int64_t> found;  // key -> 1 where a row here has it
  std::vector<std::optional<int64_t>> keys;
  for (const std::string& id : ids) {
    keys.push_back(key_of(graph, id));
    if (keys.back()) found[*keys.back()] = 0;
  }
  NamedRows named;
  std::mutex lock;
  parallel_ranges(graph.rows, 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const auto at = found.find(graph.ids[static_cast<size_t>(row)]);
      if (at == found.end()) continue;
      const std::lock_guard guard(lock);
      at->second = 1;
      named.rows.push_back(row);
    }
  });
  std::sort(named.rows.begin(), named.rows.end());

  std::vector<int64_t> hits;  // by place in the list, summed over ranks
  for (const auto& key : keys) hits.push_back(key ? found[*key] : 0);
  comm.allreduce(std::span<int64_t>(hits));
  if (const auto missing = std::count(hits.begin(), hits.end(), 0); missing > 0) {
    const auto first = static_cast<size_t>(std::find(hits.begin(), hits.end(), 0) - hits.begin());
    throw Error(Exit::kData, parameter, "ids that occur in the graph", std::to_string(missing) + " that do not, first " + ids[first], "Remove them from the list");
  }
  named.distinct = comm.allreduce<int64_t>(static_cast<int64_t>(named.rows.size()));
  return named;
}

}  // namespace sparkgap
