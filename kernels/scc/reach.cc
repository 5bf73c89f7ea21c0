// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "scc/reach.h"

#include "process/parallel.h"

namespace sparkgap {
namespace {

constexpr int64_t kGrain = 1 << 12;
constexpr int64_t kAlone = 1 << 14;  // a barrier, or an exchange, costs more than that many arcs

class Search {
 public:
  Search(const Graph& graph, const Adjacency& along, const Adjacency& against, const VertexBits& within, Comm& comm)
      : graph_(graph), along_(along), against_(against), within_(within), comm_(comm), reached_(graph.ghosts),
        lists_(static_cast<size_t>(threads())) {}

  std::optional<VertexBits> from(std::optional<uint32_t> row, int64_t most_exchanges) {
    if (row && reached_.claim(vertex_of(*row))) frontier_.push_back(*row);
    int64_t unexplored = comm_.allreduce(parallel_sum<int64_t>(graph_.rows, kGrain, [&](int64_t begin, int64_t end) {
      int64_t arcs = 0;
      for (int64_t row = begin; row < end; ++row) arcs += within_.has(vertex_of(row)) ? along_.degree(row) : 0;
      return arcs;
    }));
    for (int64_t exchanges = 0;;) {
      const int64_t arcs = frontier_arcs();
      int64_t all[] = {static_cast<int64_t>(frontier_.size()), arcs, pushed_ahead_};
      comm_.allreduce(std::span<int64_t>(all));
      if (all[0] == 0) break;
      if (comm_.size() > 1 && all[1] <= kAlone && ++exchanges > most_exchanges) return {};
      unexplored -= all[1] + all[2];
      pushed_ahead_ = 0;
      if (all[1] > unexplored / 15) look_back();
      else push(arcs, unexplored / 15);
    }
    reached_.share(graph_.ghosts, comm_);
    return std::optional(std::move(reached_));
  }

 private:
  /// Vertices that one thread found: rows of this rank, and vertices of others.
  struct alignas(64) Lists {
    std::vector<uint32_t> here, elsewhere;
  };

  uint32_t vertex_of(int64_t row) const { return graph_.ghosts.place(row); }
  /// Beyond the rows where it is another rank's.
  uint32_t row_of(uint32_t vertex) const { return graph_.ghosts.row(vertex); }
  int64_t frontier_arcs() const {
    int64_t arcs = 0;
    for (const uint32_t row : frontier_) arcs += along_.degree(row);
    return arcs;
  }
  Lists& own_lists() { return lists_[static_cast<size_t>(omp_get_thread_num())]; }

  /// Each vertex that is not reached looks for one that is. Then those reached meanwhile are the frontier: all others
  /// that are not reached have seen all before them that are.
  void look_back() {
    reached_.share(graph_.ghosts, comm_);
    clear_lists();
    parallel_ranges(graph_.rows, kGrain, [&](int64_t begin, int64_t end) {
      std::vector<uint32_t>& here = own_lists().here;
      for (int64_t row = begin; row < end; ++row) {
        const uint32_t vertex = vertex_of(row);
        if (reached_.has(vertex) || !within_.has(vertex)) continue;
        for (const uint32_t before : against_.of(row)) {
          if (!reached_.has(before)) continue;
          reached_.claim(vertex);
          here.push_back(static_cast<uint32_t>(row));
          break;
        }
      }
    });
    take_lists();
  }

  /// The vertices of the frontier reach those after them; `arcs` is the number of the frontier's arcs. While that makes
  /// a frontier of few arcs, no more than `few`, goes on alone: what is deep would otherwise take an exchange with the
  /// other ranks for each step.
  void push(int64_t arcs, int64_t few) {
    constexpr int64_t kBlock = 64;
    clear_lists();
    while (true) {
      const auto n = static_cast<int64_t>(frontier_.size());
      if (arcs + n <= kAlone) explore(0, n, lists_[0]);
      else
        parallel_for((n + kBlock - 1) / kBlock,
                     [&](int64_t block) { explore(block * kBlock, std::min(n, (block + 1) * kBlock), own_lists()); });
      take_lists();
      arcs = frontier_arcs();
      if (frontier_.empty() || arcs > std::min(few, kAlone)) break;
      pushed_ahead_ += arcs;
    }
    if (comm_.size() > 1) hand_over();
  }

  void explore(int64_t begin, int64_t end, Lists& lists) {
    for (int64_t i = begin; i < end; ++i)
      for (const uint32_t after : along_.of(frontier_[static_cast<size_t>(i)])) {
        if (reached_.has(after) || !within_.has(after) || !reached_.claim(after)) continue;
        if (const uint32_t row = row_of(after); row < graph_.rows) lists.here.push_back(row);
        else lists.elsewhere.push_back(after);
      }
  }

  void hand_over() {
    const auto told = [&](auto&& visit) {
      for (const Lists& lists : lists_) std::for_each(lists.elsewhere.begin(), lists.elsewhere.end(), visit);
    };
    const auto take_in = [&](size_t, uint32_t row) {
      if (reached_.claim(vertex_of(row))) frontier_.push_back(row);
    };
    graph_.ghosts.tell_owners(told, take_in, comm_);
  }

  void clear_lists() {
    for (Lists& lists : lists_) lists.here.clear(), lists.elsewhere.clear();
  }
  void take_lists() {
    frontier_.clear();
    for (Lists& lists : lists_) {
      frontier_.insert(frontier_.end(), lists.here.begin(), lists.here.end());
      lists.here.clear();
    }
  }

  const Graph& graph_;
  const Adjacency &along_, &against_;
  const VertexBits& within_;
  Comm& comm_;
  VertexBits reached_;              ///< of other ranks' vertices those that their owners know of, too
  std::vector<uint32_t> frontier_;  ///< rows that are reached and have not pushed
  std::vector<Lists> lists_;        ///< by thread
  int64_t pushed_ahead_ = 0;        ///< arcs since the ranks last agreed, other than the frontier's
};

}  // namespace

std::optional<VertexBits> reach(const Graph& graph, const Adjacency& along, const Adjacency& against,
                                std::optional<uint32_t> start, const VertexBits& within, int64_t most_exchanges,
                                Comm& comm) {
  return Search(graph, along, against, within, comm).from(start, most_exchanges);
}

}  // namespace sparkgap
