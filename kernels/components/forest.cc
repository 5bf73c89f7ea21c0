// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "components/forest.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "buffers/shared_bits.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kDrawn = 1024;

using Parent = std::atomic_ref<uint32_t>;

uint32_t load(uint32_t& parent) { return Parent(parent).load(std::memory_order_relaxed); }

/// Long runs are equal.
void add(std::vector<uint32_t>& values, uint32_t value) {
  if (values.empty() || values.back() != value) values.push_back(value);
}

template <typename T>
struct Frequent {
  T value;
  bool is_most = false;  ///< nine tenths
};

/// That which is there most often; `none` where there are none.
template <typename T>
Frequent<T> most_frequent(std::vector<T>& values, T none) {
  std::sort(values.begin(), values.end());
  Frequent<T> found{none};
  int64_t most = 0;
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::upper_bound(at, values.end(), *at);
    if (end - at > most) most = end - at, found.value = *at;
    at = end;
  }
  found.is_most = 10 * most > 9 * static_cast<int64_t>(values.size());
  return found;
}

}  // namespace

Forest::Forest(const Ghosts& ghosts, Comm& comm, bool in_common) : ghosts_(ghosts), own_(ghosts.own()) {
  const int64_t all = ghosts.first(ghosts.ranks());
  if (in_common && all < kNone) common_ = comm.share<uint32_t>(static_cast<size_t>(all));
  if (is_common()) {
    parent_ = common_.span();
    is_by_number_ = !ghosts.are_all();
    own_ = ghosts.first();
  } else {
    alone_ = Buffer<uint32_t>(static_cast<size_t>(ghosts.places()));
    parent_ = alone_.span();
  }
  const int64_t first = is_common() ? own_ : 0;
  parallel_ranges(is_common() ? ghosts.rows() : size(), kGrain, [&](int64_t begin, int64_t end) {
    std::iota(parent_.begin() + first + begin, parent_.begin() + first + end, static_cast<uint32_t>(first + begin));
  });
  if (is_common()) comm.barrier();
}

uint32_t Forest::root(uint32_t place) const { return load(parent_[node(place)]); }

uint32_t Forest::top(uint32_t root) const {
  for (uint32_t above; (above = load(parent_[root])) != root;) root = above;
  return root;
}

void Forest::join(uint32_t a, uint32_t b) {
  a = root(a), b = root(b);
  while (a != b) {
    const uint32_t high = std::max(a, b), low = std::min(a, b);
    uint32_t above = load(parent_[high]);
    if (above == low) return;
    // Only a root may be pointed elsewhere, or its set would be torn apart.
    if (above == high && Parent(parent_[high]).compare_exchange_strong(above, low, std::memory_order_relaxed)) return;
    a = load(parent_[above]), b = load(parent_[low]);
  }
}

void Forest::compress(int64_t first, int64_t last) {
  parallel_ranges(last - first, kGrain, [&](int64_t begin, int64_t end) {
    for (auto v = static_cast<size_t>(first + begin); v < static_cast<size_t>(first + end); ++v) {
      const uint32_t before = load(parent_[v]), root = top(before);
      if (root != before) Parent(parent_[v]).store(root, std::memory_order_relaxed);
    }
  });
}

/// Ghosts that are no longer alone, and whose owners do not know that yet.
Forest::Joined Forest::find_joined(uint32_t largest) {
  Buffer<uint64_t> has_others(words_for(size()));
  parallel_ranges(size(), kGrain, [&](int64_t begin, int64_t end) {
    uint32_t last = kNone;  // the same for long runs of places
    for (auto v = static_cast<uint32_t>(begin); v < static_cast<uint32_t>(end); ++v)
      if (const uint32_t root = parent_[v]; root != last && root != v) {
        last = root;
        if (!ghosts_.is_own(root)) claim_bit(has_others.data(), root);
      }
  });
  // By words of bits, each of one thread.
  const int64_t words = static_cast<int64_t>(told_.size()), pieces = std::max<int64_t>(1, 64 * words / kGrain);
  Joined joined{Buffer<uint64_t>(told_.size()), std::vector<std::vector<uint32_t>>(static_cast<size_t>(pieces))};
  parallel_for(pieces, [&](int64_t i) {
    for (int64_t word = cut(words, pieces, i); word < cut(words, pieces, i + 1); ++word) {
      uint64_t ghosts = 0, found = 0, of_largest = 0;
      for (int64_t v = 64 * word; v < std::min(64 * word + 64, size()); ++v) {
        const auto place = static_cast<uint32_t>(v);
        const uint32_t root = parent_[place];
        ghosts |= uint64_t{!ghosts_.is_own(place)} << v % 64;
        found |= uint64_t{root != place} << v % 64;
        of_largest |= uint64_t{root == largest} << v % 64;
      }
      const auto at = static_cast<size_t>(word);
      found = (found | has_others[at]) & ghosts & ~told_[at];
      told_[at] |= found;
      joined.to_largest[at] = found & of_largest;
      for (uint64_t left = found & ~of_largest; left != 0; left &= left - 1)
        joined.to_others[static_cast<size_t>(i)].push_back(static_cast<uint32_t>(64 * word + std::countr_zero(left)));
    }
  });
  return joined;
}

/// All that is known of a vertex comes together where it is at home.
template <typename Name>
void Forest::tell_home(NameSets<Name>& names, Comm& comm) {
  const auto name_of = [&](uint32_t root) { return static_cast<Name>(ghosts_.number(root)); };
  const uint32_t largest = largest_here().root;
  const std::vector<Name> largest_names = comm.allgather(largest == kNone ? Name{} : name_of(largest));
  const Joined joined = find_joined(largest);
  const auto each_other = [&](auto&& visit) {
    for (const std::vector<uint32_t>& places : joined.to_others) std::for_each(places.begin(), places.end(), visit);
  };
  if (std::any_of(joined.to_largest.begin(), joined.to_largest.end(), [](uint64_t word) { return word != 0; }))
    shared_.push_back(largest);
  each_other([&](uint32_t place) { add(shared_, parent_[place]); });
  uint32_t last_root = kNone;
  Name last_name{};
  const auto hear = [&](size_t, uint32_t row, Name name) {
    const uint32_t root = parent_[ghosts_.place(row)];
    if (root == last_root && name == last_name) return;
    last_root = root, last_name = name;
    add(shared_, root);
    names.join(name, name_of(root));
  };
  ghosts_.tell_owners_by_bits(
      joined.to_largest.span(), [&](size_t rank, uint32_t row) { hear(rank, row, largest_names[rank]); }, comm);
  ghosts_.tell_owners<Name>(each_other, [&](uint32_t place) { return name_of(parent_[place]); }, hear, comm);
  make_set(shared_);
}

/// Joins here what is of one name, and finds the sets whose name is a stranger's.
template <typename Name>
void Forest::take_names(const NameSets<Name>& names, Comm& comm) {
  const auto is_no_root = [&](uint32_t place) { return parent_[place] != place; };
  std::erase_if(shared_, is_no_root);
  std::vector<Name> own;
  for (const uint32_t root : shared_) own.push_back(static_cast<Name>(ghosts_.number(root)));
  const std::vector<Name> tops = names.tops(own, comm);
  // Most are called by a number of their own, and that is found by it.
  std::vector<std::pair<Name, uint32_t>> named;
  for (size_t i = 0; i < own.size(); ++i)
    if (tops[i] != own[i]) named.emplace_back(tops[i], shared_[i]);
  std::sort(named.begin(), named.end());
  const auto each_name = [&](auto&& body) {
    for (size_t begin = 0, end; begin < named.size(); begin = end) {
      for (end = begin + 1; end < named.size() && named[end].first == named[begin].first;) ++end;
      body(named[begin].first, std::span(named).subspan(begin, end - begin));
    }
  };
  each_name([&](Name name, std::span<const std::pair<Name, uint32_t>> sets) {
    const uint32_t first = sets[0].second, place = ghosts_.find(static_cast<int64_t>(name)).value_or(first);
    if (place != first) shared_.push_back(place);  // a ghost, perhaps, of which no arc was followed yet
    for (const auto& set : sets) join(set.second, place);
  });
  make_set(shared_);
  compress_rows();
  std::erase_if(shared_, is_no_root);
  renamed_.clear();
  strangers_.clear();
  each_name([&](Name name, std::span<const std::pair<Name, uint32_t>> sets) {
    const uint32_t root = top(sets[0].second);
    if (ghosts_.number(root) == static_cast<int64_t>(name)) return;
    renamed_.push_back({root, static_cast<uint32_t>(size()) + static_cast<uint32_t>(strangers_.size())});
    strangers_.push_back(static_cast<int64_t>(name));
  });
  std::sort(renamed_.begin(), renamed_.end(), [](const Renamed& a, const Renamed& b) { return a.root < b.root; });
}

void Forest::merge(Comm& comm) {
  if (comm.size() == 1) return;
  if (is_common()) {
    comm.barrier();
    compress_rows();
    if (is_by_number_) name_in_common();
    comm.barrier();
    return;
  }
  if (told_.empty()) told_ = Buffer<uint64_t>(words_for(size()));
  if (std::holds_alternative<std::monostate>(names_)) {
    if (ghosts_.are_near()) names_.emplace<NameSets<uint32_t>>(ghosts_);
    else names_.emplace<NameSets<int64_t>>(ghosts_);
  }
  const auto merge_as = [&]<typename Name>(NameSets<Name>& names) {
    // What was joined here since, of sets that others know.
    for (size_t i = 0, n = shared_.size(); i < n; ++i)
      if (const uint32_t place = shared_[i], root = parent_[place]; root != place) {
        shared_.push_back(root);
        names.join(static_cast<Name>(ghosts_.number(place)), static_cast<Name>(ghosts_.number(root)));
      }
    tell_home(names, comm);
    names.settle(comm);
    take_names(names, comm);
  };
  if (auto* const near = std::get_if<NameSets<uint32_t>>(&names_)) merge_as(*near);
  else merge_as(std::get<NameSets<int64_t>>(names_));
}

uint32_t Forest::named(uint32_t root) const {
  const auto at = std::lower_bound(renamed_.begin(), renamed_.end(), root,
                                   [](const Renamed& one, uint32_t place) { return one.root < place; });
  return at != renamed_.end() && at->root == root ? at->stranger : root;
}

uint32_t Forest::named_in_common(uint32_t root) const {
  if (const auto place = ghosts_.find(root)) return *place;
  const auto at = std::lower_bound(strangers_.begin(), strangers_.end(), int64_t{root});
  if (at == strangers_.end() || *at != root) return kNone;
  return static_cast<uint32_t>(ghosts_.places() + (at - strangers_.begin()));
}

/// Finds the roots that this rank has no place for.
void Forest::name_in_common() {
  const int64_t rows = ghosts_.rows(), pieces = rows / kGrain + 1;
  std::vector<std::vector<int64_t>> found(static_cast<size_t>(pieces));
  parallel_for(pieces, [&](int64_t i) {
    uint32_t last = kNone;  // the same for long runs of rows
    for (int64_t row = cut(rows, pieces, i); row < cut(rows, pieces, i + 1); ++row)
      if (const uint32_t root = parent_[static_cast<size_t>(own_ + row)]; root != last) {
        last = root;
        if (!ghosts_.find(root)) found[static_cast<size_t>(i)].push_back(root);
      }
  });
  strangers_.clear();
  for (const std::vector<int64_t>& of_piece : found)
    strangers_.insert(strangers_.end(), of_piece.begin(), of_piece.end());
  make_set(strangers_);
}

std::span<const uint32_t> Forest::roots() {
  const int64_t rows = ghosts_.rows();
  if (!is_by_number_ && renamed_.empty()) return parent_.subspan(static_cast<size_t>(own_), static_cast<size_t>(rows));
  roots_ = Buffer<uint32_t>(static_cast<size_t>(rows), Content::kAnything);
  parallel_ranges(rows, kGrain, [&](int64_t begin, int64_t end) {
    uint32_t last = kNone, name = kNone;  // the same for long runs of rows
    for (int64_t row = begin; row < end; ++row) {
      if (const uint32_t root = parent_[static_cast<size_t>(own_ + row)]; root != last)
        last = root, name = is_by_number_ ? named_in_common(root) : named(root);
      roots_[static_cast<size_t>(row)] = name;
    }
  });
  return roots_.span();
}

Forest::Largest Forest::largest_here() const {
  const int64_t drawn = std::min(ghosts_.rows(), kDrawn);
  std::vector<uint32_t> roots;
  for (int64_t i = 0; i < drawn; ++i) roots.push_back(root(ghosts_.place(cut(ghosts_.rows(), drawn, i))));
  const auto [largest, is_most] = most_frequent(roots, kNone);
  return {.root = largest, .has_most = is_most};
}

Forest::Largest Forest::largest(Comm& comm) const {
  // Every so many vertices of all ranks one.
  const std::vector<int64_t> rows = comm.allgather<int64_t>(ghosts_.rows());
  const int64_t all = std::accumulate(rows.begin(), rows.end(), int64_t{0}), drawn = std::min(all, kDrawn);
  const int64_t before = std::accumulate(rows.begin(), rows.begin() + comm.rank(), int64_t{0});
  std::vector<int64_t> names(static_cast<size_t>(drawn)), counts(rows.size()), ends(rows.size());
  std::partial_sum(rows.begin(), rows.end(), ends.begin());
  for (int64_t i = 0; i < drawn; ++i) {
    const int64_t vertex = cut(all, drawn, i);
    const auto owner = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), vertex) - ends.begin());
    ++counts[owner];
    if (static_cast<int>(owner) != comm.rank()) continue;
    const uint32_t here = root(ghosts_.place(vertex - before)), name = is_common() ? here : named(here);
    names[static_cast<size_t>(i)] = is_common()     ? int64_t{here}
                                    : name < size() ? ghosts_.number(name)
                                                    : strangers_[name - parent_.size()];
  }
  comm.allgatherv(std::span(names), counts);
  const auto [largest, is_most] = most_frequent(names, int64_t{0});
  if (is_common()) {
    const auto root = static_cast<uint32_t>(largest);
    return {root, named_in_common(root), is_most};
  }
  if (const auto place = ghosts_.find(largest)) return {*place, *place, is_most};
  for (const Renamed& one : renamed_)
    if (strangers_[one.stranger - parent_.size()] == largest) return {one.root, one.stranger, is_most};
  return {.has_most = is_most};
}

}  // namespace sparkgap
