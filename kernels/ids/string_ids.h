// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ids/key_table.h"
#include "ids/keys.h"
#include "ids/string_hash.h"
#include "ids/text_view.h"
#include "mpi/comm.h"

namespace sparkgap {

/// The strings behind the keys of a graph whose ids are strings.
///
/// Exact: the rank that owns a hash compares every distinct string that has it anywhere, and where two differ, all
/// ranks start again with the next seed. So equal keys are equal strings.
class StringIds {
 public:
  /// Hashes the string columns of the tables, which have passed KeyRows::check, and gives them their keys. Collective.
  StringIds(std::span<KeyRows* const> tables, Comm& comm, StringHash hash = hash_string);

  /// The string of a key that this rank owns (Partitions::of_hash of its mix()).
  std::string_view text(int64_t key) const;
  /// The rank that owns a key.
  int owner(int64_t key) const { return partitions_.of_hash(mix(key)) / partitions_.per_rank; }
  int64_t key_of(std::string_view text) const { return static_cast<int64_t>(hash_(text, seed_)); }
  /// Whether this rank owns the string and it occurs.
  bool holds(std::string_view text) const;
  uint64_t seed() const { return seed_; }

 private:
  struct Names {  ///< of one partition, by number
    KeyTable table;
    std::vector<TextView> texts;
    /// False where another string has this key.
    bool add(int64_t key, const TextView& text) {
      const uint32_t number = table.insert(key, mix(key));
      if (number == texts.size()) texts.push_back(text);
      return texts[number] == text;
    }
  };
  struct Sighting {  ///< the string of a row
    int64_t key;
    TextView text;
  };

  bool hash_column(KeyRows& rows, int which, std::vector<Names>& names) const;
  bool gather(const std::vector<Names>& local, Comm& comm);
  const Names* names_of(int64_t key) const;

  StringHash hash_;
  uint64_t seed_ = 0;
  Partitions partitions_;
  int first_partition_ = 0;  ///< of this rank
  std::vector<Names> names_;
  std::vector<char> characters_;
};

}  // namespace sparkgap
