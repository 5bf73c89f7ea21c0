// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/component_names.h"

#include <algorithm>
#include <atomic>
#include <numeric>

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
VertexIds list_of(const std::vector<std::string_view>& texts) { return VertexIds(texts); }
VertexIds list_of(const std::vector<int64_t>& integers) { return VertexIds(std::span(integers)); }

/// A root that other ranks may have rows of, too.
struct SharedRoot {
  int64_t number;
  uint32_t root;
};

/// Those whose components have rows of this rank and of others, as far as their owners say, and all that are other
/// ranks' vertices; by number. `smallest` is that of this rank's ids.
std::vector<SharedRoot> shared_roots(const Graph& graph, const ComponentRoots& roots,
                                     std::span<const uint32_t> smallest, Comm& comm) {
  const auto places = static_cast<uint32_t>(graph.ghosts.places());
  std::vector<SharedRoot> shared;
  for (uint32_t root = 0; root < smallest.size(); ++root)
    if (smallest[root] != 0 && (root >= places || !graph.ghosts.is_own(root)))
      shared.push_back({root < places ? graph.ghosts.number(root) : roots.strangers[root - places], root});
  const auto by_number = [](const SharedRoot& a, const SharedRoot& b) { return a.number < b.number; };
  std::sort(shared.begin(), shared.end(), by_number);
  std::vector<int64_t> counts(graph.counts.size()), received;
  std::vector<uint32_t> rows;
  for (const SharedRoot& one : shared) {
    const auto rank = static_cast<size_t>(graph.rank_of(one.number));
    ++counts[rank];
    rows.push_back(static_cast<uint32_t>(one.number - graph.firsts[rank]));
  }
  std::vector<uint32_t> own = comm.alltoallv<uint32_t>(rows, counts, received);
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  for (const uint32_t row : own) shared.push_back({graph.first + row, graph.ghosts.place(row)});
  std::sort(shared.begin(), shared.end(), by_number);
  return shared;
}

/// The smallest id of each row's component.
template <typename Id, typename Out>
void write_names(const Graph& graph, const ComponentRoots& roots, Comm& comm, Out&& out,
                 std::vector<std::shared_ptr<const void>>& keep) {
  const auto root_of_row = [&](int64_t row) { return roots.of_row[static_cast<size_t>(row)]; };
  const size_t n_roots = static_cast<size_t>(graph.ghosts.places()) + roots.strangers.size();
  const auto smallest = smallest_by_root(n_roots, of_kind(graph.ids, Id()), root_of_row, roots.common);
  KeptIds gathered;
  Buffer<uint32_t> smallest_of_all;
  if (comm.size() > 1) {
    // Each rank's smallest ids, and from these the smallest of all.
    const std::vector<SharedRoot> shared = shared_roots(graph, roots, smallest.span(), comm);
    std::vector<Id> found;
    for (const SharedRoot& one : shared) found.push_back(of_kind(graph.ids, Id())[smallest[one.root] - 1]);
    gathered = gather_ids(list_of(found), comm);
    keep.insert(keep.end(), gathered.keep.begin(), gathered.keep.end());
    const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(shared.size()));
    std::vector<int64_t> numbers(static_cast<size_t>(gathered.ids.rows()));
    auto number = numbers.begin() + std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t{0});
    for (const SharedRoot& one : shared) *number++ = one.number;
    comm.allgatherv(std::span(numbers), counts);
    smallest_of_all = Buffer<uint32_t>(n_roots);
    const auto& ids = of_kind(gathered.ids, Id());
    size_t i = 0;
    for (const int64_t count : counts) {  // those of each rank rise
      auto here = shared.begin();
      for (const size_t end = i + static_cast<size_t>(count); i < end; ++i) {
        while (here != shared.end() && here->number < numbers[i]) ++here;
        if (here == shared.end() || here->number != numbers[i]) continue;
        uint32_t& best = smallest_of_all[here->root];
        if (best == 0 || ids[i] < ids[best - 1]) best = static_cast<uint32_t>(i) + 1;
      }
    }
  }
  const auto& own_names = of_kind(graph.ids, Id());
  const auto& all_names = of_kind(gathered.ids, Id());
  const auto name_of = [&](uint32_t root) {
    const uint32_t of_all = smallest_of_all.empty() ? 0 : smallest_of_all[root];
    return of_all != 0 ? all_names[of_all - 1] : own_names[smallest[root] - 1];
  };
  parallel_ranges(graph.rows, kGrain, [&](int64_t begin, int64_t end) {
    uint32_t last = root_of_row(begin);  // the same for long runs of rows
    Id name = name_of(last);
    for (int64_t row = begin; row < end; ++row) {
      if (const uint32_t root = root_of_row(row); root != last) last = root, name = name_of(root);
      out[static_cast<size_t>(row)] = name;
    }
  });
}

}  // namespace

ComponentNames name_components(const Graph& graph, const ComponentRoots& roots, Comm& comm) {
  ComponentNames result;
  // A rank without rows does not know which kind the ids are.
  if (comm.allreduce<int64_t>(graph.ids.strings(), Reduce::kMax) > 0) {
    std::vector<std::string_view> names(static_cast<size_t>(graph.rows));
    write_names<std::string_view>(graph, roots, comm, names, result.keep);
    result.names = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(graph.rows));
    write_names<int64_t>(graph, roots, comm, *names, result.keep);
    result.names = VertexIds(names->span());
    result.keep = {names};
  }
  return result;
}

}  // namespace sparkgap
