// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/component_names.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "buffers/shared_bits.h"
#include "id_order/id_order.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 13;

/// By root: 1 + the index of the smallest of the ids with that root, 0 where there is none. ids[i] has the root
/// roots(i).
template <typename Ids, typename Roots>
Buffer<uint32_t> smallest_by_root(size_t n_roots, const Ids& ids, Roots&& roots, uint32_t common_root) {
  Buffer<uint32_t> smallest(n_roots);
  const auto offer = [&](uint32_t root, uint32_t index) {
    const std::atomic_ref best(smallest[root]);
    uint32_t seen = best.load(std::memory_order_relaxed);
    while ((seen == 0 || ids[index] < ids[seen - 1]) &&
           !best.compare_exchange_weak(seen, index + 1, std::memory_order_relaxed)) {
    }
  };
  parallel_ranges(static_cast<int64_t>(ids.size()), kGrain, [&](int64_t begin, int64_t end) {
    // Threads would wait for each other at the root that nearly all have.
    uint32_t common = 0;
    for (auto i = static_cast<uint32_t>(begin); i < static_cast<uint32_t>(end); ++i) {
      const uint32_t root = roots(i);
      if (root != common_root) offer(root, i);
      else if (common == 0 || ids[i] < ids[common - 1]) common = i + 1;
    }
    if (common != 0) offer(common_root, common - 1);
  });
  return smallest;
}

const auto& of_kind(const VertexIds& ids, std::string_view) { return ids.texts(); }
auto of_kind(const VertexIds& ids, int64_t) { return ids.integers(); }

/// The smallest id of each component that has rows of this rank.
template <typename Id>
class Names {
 public:
  Names(const Graph& graph, const ComponentRoots& roots, Comm& comm)
      : graph_(graph), own_(of_kind(graph.ids, Id())),
        smallest_(smallest_by_root(
            static_cast<size_t>(graph.ghosts.places()) + roots.strangers.size(), own_,
            [&](int64_t row) { return roots.of_row[static_cast<size_t>(row)]; }, roots.common)) {
    if (comm.size() > 1) compare(roots, comm);
  }

  Id of_root(uint32_t root) const {
    const uint32_t at = smallest_[root] - 1;
    if (!is_own(root)) return answers_[at];
    return !shared_.empty() && has_bit(shared_.data(), root) ? of_shared_[at] : own_[at];
  }
  /// What names lie in, beside the graph.
  std::vector<std::shared_ptr<const void>> keep() { return std::move(keep_); }

 private:
  bool is_own(uint32_t root) const { return root < graph_.ghosts.places() && graph_.ghosts.is_own(root); }

  /// Those of rows of this rank.
  std::vector<uint32_t> roots_of_others() const {
    const auto places = graph_.ghosts.places(), all = static_cast<int64_t>(smallest_.size());
    std::vector<uint32_t> roots;
    const auto find = [&](int64_t first, int64_t last) {
      const int64_t pieces = (last - first) / kGrain + 1;
      std::vector<std::vector<uint32_t>> found(static_cast<size_t>(pieces));
      parallel_for(pieces, [&](int64_t i) {
        const int64_t begin = first + cut(last - first, pieces, i), end = first + cut(last - first, pieces, i + 1);
        for (int64_t root = begin; root < end; ++root)
          if (smallest_[static_cast<size_t>(root)] != 0)
            found[static_cast<size_t>(i)].push_back(static_cast<uint32_t>(root));
      });
      for (const std::vector<uint32_t>& piece : found) roots.insert(roots.end(), piece.begin(), piece.end());
    };
    graph_.ghosts.each_range(find);
    find(places, all);
    return roots;
  }

  /// The owner of a root hears the smallest id of each rank that has rows of that component, and answers with the
  /// smallest of all.
  void compare(const ComponentRoots& roots, Comm& comm) {
    const auto places = static_cast<uint32_t>(graph_.ghosts.places());
    const auto number = [&](uint32_t root) {
      return root < places ? graph_.ghosts.number(root) : roots.strangers[root - places];
    };
    const std::vector<uint32_t> of_others = roots_of_others();
    const auto each = [&](auto&& visit) {
      for (const uint32_t root : of_others) visit(root, static_cast<size_t>(graph_.rank_of(number(root))));
    };
    std::vector<int64_t> counts(graph_.counts.size()), next(counts.size()), asked_counts, answer_counts;
    each([&](uint32_t, size_t rank) { ++counts[rank]; });
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), int64_t{0});
    const auto all = static_cast<size_t>(next.back() + counts.back());
    std::vector<uint32_t> rows(all);
    std::vector<Id> ids(all);
    each([&](uint32_t root, size_t rank) {
      const auto at = static_cast<size_t>(next[rank]++);
      rows[at] = static_cast<uint32_t>(number(root) - graph_.firsts[rank]);
      ids[at] = own_[smallest_[root] - 1];
      smallest_[root] = static_cast<uint32_t>(at) + 1;
    });
    std::vector<uint32_t> asked = comm.alltoallv<uint32_t>(rows, counts, asked_counts);
    rows = {};
    KeptIds offered = send_ids(std::span<const Id>(ids), counts, asked_counts, comm);
    shared_ = Buffer<uint64_t>(words_for(places));
    size_t i = 0;
    for (const uint32_t row : asked) {
      const uint32_t root = graph_.ghosts.place(row);
      const Id& id = of_kind(offered.ids, Id())[i++];
      if (claim_bit(shared_.data(), root)) {
        of_shared_.push_back(own_[smallest_[root] - 1]);
        smallest_[root] = static_cast<uint32_t>(of_shared_.size());
      }
      Id& best = of_shared_[smallest_[root] - 1];
      best = std::min(best, id);
    }
    if constexpr (std::is_same_v<Id, int64_t>) offered = {};
    ids.resize(asked.size());
    i = 0;
    for (const uint32_t row : asked) ids[i++] = of_shared_[smallest_[graph_.ghosts.place(row)] - 1];
    asked = {};
    const KeptIds answered = send_ids(std::span<const Id>(ids), asked_counts, answer_counts, comm);
    const auto& answers = of_kind(answered.ids, Id());
    answers_.assign(answers.begin(), answers.end());
    keep_ = answered.keep;
    keep_.insert(keep_.end(), offered.keep.begin(), offered.keep.end());
  }

  const Graph& graph_;
  const std::conditional_t<std::is_same_v<Id, int64_t>, std::span<const int64_t>, const std::vector<Id>&> own_;
  Buffer<uint32_t> smallest_;  ///< by root 1 + the position of its name: where it is another rank's, among the answers
  Buffer<uint64_t> shared_;    ///< a bit by place: whether others have rows of this rank's root
  std::vector<Id> of_shared_;  ///< names of these
  std::vector<Id> answers_;    ///< names of other ranks' roots
  std::vector<std::shared_ptr<const void>> keep_;
};

/// The smallest id of each row's component.
template <typename Id, typename Out>
std::vector<std::shared_ptr<const void>> write_names(const Graph& graph, const ComponentRoots& roots, Comm& comm,
                                                     Out&& out) {
  Names<Id> names(graph, roots, comm);
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    uint32_t last = roots.of_row[static_cast<size_t>(begin)];  // the same for long runs of rows
    Id name = names.of_root(last);
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      if (const uint32_t root = roots.of_row[row]; root != last) last = root, name = names.of_root(root);
      out[row] = name;
    }
  });
  return names.keep();
}

}  // namespace

ComponentNames name_components(const Graph& graph, const ComponentRoots& roots, Comm& comm) {
  ComponentNames result;
  // A rank without rows does not know which kind the ids are.
  if (comm.allreduce<int64_t>(graph.ids.strings(), Reduce::kMax) > 0) {
    std::vector<std::string_view> names(static_cast<size_t>(graph.rows));
    result.keep = write_names<std::string_view>(graph, roots, comm, names);
    result.names = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(graph.rows));
    write_names<int64_t>(graph, roots, comm, *names);
    result.names = VertexIds(names->span());
    result.keep = {names};
  }
  return result;
}

}  // namespace sparkgap
