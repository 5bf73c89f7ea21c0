// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/component_names.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "graph/owners.h"
#include "ids/id_order.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 13;

/// By root: 1 + the index of the smallest of the ids with that root, 0 where there is none. ids[i] has the root
/// roots(i).
template <typename Ids, typename Roots>
Buffer<uint32_t> smallest_by_root(int64_t vertices, const Ids& ids, Roots&& roots, uint32_t common_root) {
  Buffer<uint32_t> smallest(static_cast<size_t>(vertices));
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

/// The roots whose components have rows of this rank and of others too, as far as their owners say, and those of other
/// ranks. `smallest` is that of this rank's ids.
std::vector<uint32_t> shared_roots(const Graph& graph, std::span<const uint32_t> smallest, Comm& comm) {
  std::vector<uint32_t> roots;
  for (int64_t v = 0; v < graph.vertices; ++v) {
    if (v == graph.first) v += graph.rows;
    if (v < graph.vertices && smallest[static_cast<size_t>(v)] != 0) roots.push_back(static_cast<uint32_t>(v));
  }
  std::vector<uint32_t> own = tell_owners<uint32_t>(
      graph, comm, [&](auto&& visit) { std::for_each(roots.begin(), roots.end(), visit); },
      [](uint32_t root) { return root; });
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  roots.insert(roots.end(), own.begin(), own.end());
  return roots;
}

/// The smallest id of each row's component.
template <typename Id, typename Out>
void write_names(const Graph& graph, std::span<const uint32_t> roots_of_rows, uint32_t largest, Comm& comm, Out&& out,
                 std::vector<std::shared_ptr<const void>>& keep) {
  const auto root_of_row = [&](int64_t row) { return roots_of_rows[static_cast<size_t>(row)]; };
  const auto smallest = smallest_by_root(graph.vertices, of_kind(graph.ids, Id()), root_of_row, largest);
  GatheredIds gathered;
  Buffer<uint32_t> smallest_of_all;
  if (comm.size() > 1) {
    // Each rank's smallest ids, and from these the smallest of all.
    const std::vector<uint32_t> roots = shared_roots(graph, smallest.span(), comm);
    std::vector<Id> found;
    for (const uint32_t root : roots) found.push_back(of_kind(graph.ids, Id())[smallest[root] - 1]);
    gathered = gather_ids(list_of(found), comm);
    const std::vector<int64_t> counts = comm.allgather(static_cast<int64_t>(roots.size()));
    std::vector<uint32_t> all_roots(static_cast<size_t>(gathered.ids.rows()));
    std::copy(roots.begin(), roots.end(),
              all_roots.begin() + std::accumulate(counts.begin(), counts.begin() + comm.rank(), int64_t{0}));
    comm.allgatherv(std::span(all_roots), counts);
    keep.insert(keep.end(), gathered.keep.begin(), gathered.keep.end());
    smallest_of_all = smallest_by_root(
        graph.vertices, of_kind(gathered.ids, Id()), [&](uint32_t i) { return all_roots[i]; }, largest);
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

ComponentNames name_components(const Graph& graph, std::span<const uint32_t> roots, uint32_t common_root, Comm& comm) {
  ComponentNames result;
  // A rank without rows does not know which kind the ids are.
  if (comm.allreduce<int64_t>(graph.ids.strings(), Reduce::kMax) > 0) {
    std::vector<std::string_view> names(static_cast<size_t>(graph.rows));
    write_names<std::string_view>(graph, roots, common_root, comm, names, result.keep);
    result.names = VertexIds(std::move(names));
  } else {
    const auto names = std::make_shared<Buffer<int64_t>>(static_cast<size_t>(graph.rows));
    write_names<int64_t>(graph, roots, common_root, comm, *names, result.keep);
    result.names = VertexIds(names->span());
    result.keep = {names};
  }
  return result;
}

}  // namespace sparkgap
