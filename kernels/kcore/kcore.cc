// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "kcore/kcore.h"

#include <atomic>
#include <limits>

#include "buffers/shared_bits.h"
#include "graph/graph_arguments.h"
#include "process/stopwatch.h"
#include "rows/row_chunks.h"
#include "spec/kernel.h"

namespace sparkgap::kcore {
namespace {

/// Tells which vertices a thread has met in the row at hand, so that duplicates need no sorting.
class Met {
 public:
  /// In registers while a row is gone through.
  struct Row {
    uint32_t* last;
    uint32_t number;
    bool is_new(uint32_t vertex) const { return std::exchange(last[vertex], number) != number; }
  };

  explicit Met(int64_t places) : last_(static_cast<size_t>(places)) {}
  /// A new row, that of `vertex`, which counts as met.
  Row begin(uint32_t vertex) {
    if (++number_ == 0) {
      std::fill(last_.begin(), last_.end(), 0);
      number_ = 1;
    }
    last_[vertex] = number_;
    return {last_.data(), number_};
  }

 private:
  Buffer<uint32_t> last_;  ///< by place: the last row with it
  uint32_t number_ = 0;
};

/// Takes vertices away level by level: at level k all that have k neighbours left or fewer, until none is.
class Peeling {
 public:
  Peeling(const Graph& graph, Comm& comm)
      : graph_(graph), comm_(comm), left_(static_cast<size_t>(graph.rows)), parts_(static_cast<size_t>(4 * threads())) {
    for (int thread = 0; thread < threads(); ++thread) workers_.push_back({Met(graph.ghosts.places()), {}, {}, 0});
    if (comm.size() > 1) lost_ = Buffer<uint32_t>(static_cast<size_t>(graph.ghosts.places()));
    if (graph.ghosts.are_near()) gone_ = comm.share<uint64_t>(words_for(graph.ghosts.first(graph.ghosts.ranks())));
    count_neighbours();
    constexpr int64_t kBlock = 256;  // those that stay longest are the hubs, which stand together
    for (int64_t row = 0; row < graph.rows; ++row)
      parts_[static_cast<size_t>(row / kBlock) % parts_.size()].rows.push_back(static_cast<uint32_t>(row));
    for (Part& part : parts_) part.found.resize(part.rows.size());
    remaining_ = graph.rows;
  }

  static constexpr int64_t kNone = std::numeric_limits<uint32_t>::max();

  /// Lists those with k neighbours left; none has fewer. Returns the least number that any vertex of all ranks has
  /// left, kNone where all are taken away: nothing is listed where that is more than k.
  int64_t find(int64_t k) {
    const auto level = static_cast<uint32_t>(k);
    const auto scan = [&](Part& part) {
      uint32_t* const rows = part.rows.data();
      uint32_t* const found = part.found.data();
      auto lowest = static_cast<uint32_t>(kNone);
      size_t kept = 0, n_found = 0;
      for (const uint32_t row : part.rows) {  // no branch to guess; those with fewer were taken away since
        const uint32_t left = left_[row];
        rows[kept] = row;
        kept += left > level;
        found[n_found] = row;
        n_found += left == level;
        lowest = std::min(lowest, left < level ? static_cast<uint32_t>(kNone) : left);
      }
      part.rows.resize(kept);
      part.n_found = n_found;
      part.lowest = lowest;
    };
    if (remaining_ < kAlone)
      for (Part& part : parts_) scan(part);
    else parallel_for(static_cast<int64_t>(parts_.size()), [&](int64_t p) { scan(parts_[static_cast<size_t>(p)]); });
    auto lowest = static_cast<uint32_t>(kNone);
    remaining_ = 0;
    for (const Part& part : parts_) {
      lowest = std::min(lowest, part.lowest);
      remaining_ += static_cast<int64_t>(part.rows.size());
      frontier_.insert(frontier_.end(), part.found.begin(), part.found.begin() + static_cast<int64_t>(part.n_found));
    }
    for (const uint32_t row : frontier_) work_ += arcs(row);
    return comm_.allreduce(static_cast<int64_t>(lowest), Reduce::kMin);
  }

  /// Takes away what find() found, and all that then have no more than k neighbours left.
  void take(int64_t k) {
    const auto level = static_cast<uint32_t>(k);
    while (true) {
      while (!frontier_.empty()) {
        if (work_ < alone_) take_alone(level);
        else take_together(level);
      }
      if (comm_.size() == 1) return;
      int64_t told = 0;
      for (const Worker& worker : workers_) told += static_cast<int64_t>(worker.elsewhere.size());
      if (comm_.allreduce(told) == 0) return;
      exchange(level);
    }
  }

  int64_t core(int64_t row) const { return left_[static_cast<size_t>(row)]; }

 private:
  static constexpr int64_t kAlone = 1 << 16;  ///< arcs; a barrier costs more than walking them

  struct alignas(64) Worker {
    Met met;
    std::vector<uint32_t> here,
        elsewhere;     ///< rows that came down to the level; vertices of other ranks that lost neighbours
    int64_t work = 0;  ///< arcs of `here`
  };
  struct alignas(64) Part {
    std::vector<uint32_t> rows;   ///< not taken away yet, rising
    std::vector<uint32_t> found;  ///< those of the level: the first n_found, with room for all
    size_t n_found = 0;
    uint32_t lowest = 0;
  };

  std::span<const uint32_t> in(uint32_t row) const { return graph_.in.of(row); }
  /// Without direction both ends of an edge are in `in`.
  std::span<const uint32_t> out(uint32_t row) const {
    return graph_.directed ? graph_.out.of(row) : std::span<const uint32_t>();
  }
  int64_t arcs(uint32_t row) const { return graph_.in.degree(row) + (graph_.directed ? graph_.out.degree(row) : 0); }

  void count_neighbours() {
    Buffer<int64_t> starts(static_cast<size_t>(graph_.rows) + 1);
    for (int64_t row = 0; row < graph_.rows; ++row)
      starts[static_cast<size_t>(row) + 1] = starts[static_cast<size_t>(row)] + arcs(static_cast<uint32_t>(row));
    const std::vector<RowChunk> tasks = RowChunks(starts.span()).of_whole_rows();
    parallel_for(static_cast<int64_t>(tasks.size()), [&](int64_t t) {
      Met& met = workers_[static_cast<size_t>(omp_get_thread_num())].met;
      const RowChunk& task = tasks[static_cast<size_t>(t)];
      for (auto row = static_cast<uint32_t>(task.begin); row < static_cast<uint32_t>(task.end); ++row) {
        const Met::Row met_here = met.begin(graph_.ghosts.place(row));
        uint32_t n = 0;
        for (const auto& ends : {in(row), out(row)})
          for (const uint32_t vertex : ends) n += met_here.is_new(vertex);  // no branch to guess
        left_[row] = n;
      }
    });
  }

  /// The neighbours of a row have one neighbour less. Those that thereby come down to the level go to `here`, their
  /// arcs to the worker's.
  template <bool kShared>
  void take_row(uint32_t row, uint32_t level, Worker& worker, std::vector<uint32_t>& here) {
    const auto first = static_cast<uint32_t>(graph_.ghosts.own()), rows = static_cast<uint32_t>(graph_.rows);
    const Met::Row met = worker.met.begin(first + row);
    uint32_t* const left = left_.data();
    if (!gone_.empty()) claim_bit(gone_.span().data(), static_cast<size_t>(graph_.ghosts.first() + row));
    for (const auto& ends : {in(row), out(row)})
      for (const uint32_t vertex : ends) {
        const uint32_t other = vertex - first;  // beyond `rows` where it is another rank's
        if (other >= rows) {
          if (is_there(vertex) && met.is_new(vertex)) lose_elsewhere<kShared>(vertex, worker);
        } else if (kShared ? lose_one(left[other], level, met, vertex)
                           : lose_one_alone(left[other], level, met, vertex)) {
          come_down(other, worker, here);
        }
      }
  }

  /// One neighbour less for a row that is still there, if this one is new, while other threads do the same; whether
  /// that brought it to the level.
  static bool lose_one(uint32_t& left, uint32_t level, const Met::Row& met, uint32_t vertex) {
    const std::atomic_ref shared(left);
    uint32_t before = shared.load(std::memory_order_relaxed);
    if (before <= level || !met.is_new(vertex)) return false;
    while (before > level && !shared.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
    }
    return before == level + 1;
  }
  /// The same where nobody else does. One branch, nearly never taken: whether a neighbour is new or still there no
  /// processor can guess. `left` is read before the mark is written, as both arrays begin at the same place of a page.
  static bool lose_one_alone(uint32_t& left, uint32_t level, const Met::Row& met, uint32_t vertex) {
    const uint32_t before = left, is_new = met.is_new(vertex);
    left = before - (is_new & static_cast<uint32_t>(before > level));
    return ((before - level - 1) | (is_new ^ 1)) == 0;
  }
  [[gnu::noinline]] void come_down(uint32_t row, Worker& worker, std::vector<uint32_t>& here) const {
    here.push_back(row);
    worker.work += arcs(row);
  }
  /// Whether a vertex of another rank may not be taken away yet.
  bool is_there(uint32_t vertex) const {
    return gone_.empty() || !has_bit(gone_.span().data(), static_cast<size_t>(graph_.ghosts.number(vertex)));
  }
  template <bool kShared>
  void lose_elsewhere(uint32_t vertex, Worker& worker) const {
    uint32_t& lost = lost_[vertex];
    if ((kShared ? std::atomic_ref(lost).fetch_add(1, std::memory_order_relaxed) : lost++) == 0)
      worker.elsewhere.push_back(vertex);
  }

  /// One after the other, and those that come down by it, until there is work for all threads.
  void take_alone(uint32_t level) {
    Worker& worker = workers_[0];
    worker.work = 0;
    size_t taken = 0;
    while (taken < frontier_.size() && work_ < 2 * alone_) {
      const uint32_t row = frontier_[taken++];
      take_row<false>(row, level, worker, frontier_);
      work_ += std::exchange(worker.work, 0) - arcs(row);
    }
    frontier_.erase(frontier_.begin(), frontier_.begin() + static_cast<int64_t>(taken));
  }

  void take_together(uint32_t level) {
    for (Worker& worker : workers_) worker.here.clear(), worker.work = 0;
    constexpr int64_t kBlock = 32;
    const auto n = static_cast<int64_t>(frontier_.size());
    parallel_for((n + kBlock - 1) / kBlock, [&](int64_t block) {
      Worker& worker = workers_[static_cast<size_t>(omp_get_thread_num())];
      for (int64_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i)
        take_row<true>(frontier_[static_cast<size_t>(i)], level, worker, worker.here);
    });
    frontier_.clear();
    work_ = 0;
    for (const Worker& worker : workers_) {
      frontier_.insert(frontier_.end(), worker.here.begin(), worker.here.end());
      work_ += worker.work;
    }
  }

  /// Tells the other ranks how many neighbours their vertices have lost, and takes in what they tell.
  void exchange(uint32_t level) {
    const auto told = [&](auto&& visit) {
      for (const Worker& worker : workers_) std::for_each(worker.elsewhere.begin(), worker.elsewhere.end(), visit);
    };
    const auto take_in = [&](size_t, uint32_t row, uint32_t neighbours) {
      uint32_t& left = left_[row];
      if (left <= level) return;  // taken away
      left -= std::min(neighbours, left - level);
      if (left > level) return;
      frontier_.push_back(row);
      work_ += arcs(row);
    };
    graph_.ghosts.tell_owners<uint32_t>(
        told, [&](uint32_t vertex) { return std::exchange(lost_[vertex], 0); }, take_in, comm_);
    for (Worker& worker : workers_) worker.elsewhere.clear();
  }

  /// Up to how many arcs one thread does by itself. Several count down what they share, which costs each three times as
  /// much as long as the counts fit a cache.
  int64_t alone() const {
    constexpr int64_t kCachedRows = 1 << 19;
    return threads() == 1 || (threads() <= 3 && graph_.rows <= kCachedRows) ? std::numeric_limits<int64_t>::max() / 2
                                                                            : kAlone;
  }

  const Graph& graph_;
  Comm& comm_;
  const int64_t alone_ = alone();
  Buffer<uint32_t> left_;  ///< by row: neighbours that are left; once it is taken away, its core number
  /// A bit by number, where ranks have memory in common: whether a vertex was taken away, so that nobody needs to hear
  /// what it loses.
  SharedBuffer<uint64_t> gone_;
  Buffer<uint32_t> lost_;        ///< by place: neighbours that one of another rank lost, and its rank does not know yet
  std::vector<Worker> workers_;  ///< by thread
  std::vector<Part> parts_;
  std::vector<uint32_t> frontier_;  ///< rows to take away
  int64_t remaining_ = 0;           ///< rows of parts_
  int64_t work_ = 0;                ///< arcs of frontier_
};

}  // namespace

Result run(const Graph& graph, const Params&, Comm& comm, const Progress& progress) {
  Peeling peeling(graph, comm);
  Result result;
  for (int64_t level = 0, lowest; (lowest = peeling.find(level)) != Peeling::kNone;) {
    if (lowest > level) {
      level = lowest;
      continue;
    }
    peeling.take(level++);
    progress("compute", ++result.levels);
  }
  result.core = Buffer<int64_t>(static_cast<size_t>(graph.rows));
  parallel_ranges(graph.rows, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) result.core[static_cast<size_t>(row)] = peeling.core(row);
  });
  return result;
}

const Spec kSpec{
    .name = "kcore",
    .family = "graph",
    .summary =
        "Core numbers: the largest k for which a vertex is in a set where each has at least k neighbours of the set.",
    .inputs = graph_inputs(),
    .parameters = {source_column(), destination_column(), directed_flag()},
    .output = {{"id", "id"}, {.name = "core", .type = "bigint", .doc = "0 for a vertex without neighbours"}},
    .match = "exact",
    .source =
        "Seidman 1983, Network Structure and Minimum Degree; Dasari, Desh, Zubair 2014, ParK: an efficient algorithm "
        "for k-core decomposition on multicore processors",
    .notes =
        "The k-core of a graph is what is left when vertices with fewer than k neighbours go, again and again: the "
        "vertices with core >= k. Directions do not count, nor self-loops, nor how many edges join a pair. Time "
        "O(edges + sum of core numbers). The same result for every ranks x threads.",
    .memory = graph_memory(Directions::kBoth, {.vertex = 28, .copy = 7, .thread = 1}),
};

}  // namespace sparkgap::kcore

namespace sparkgap {
namespace {

Output run_kcore(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<kcore::Result>(kcore::run(opened.graph, {}, comm, progress));
  Output output = per_vertex(std::move(opened), {{"core", Type::kInt64, result->core.data(), {}}}, result);
  output.compute_s = compute.seconds();
  output.iterations = result->levels;
  return output;
}

}  // namespace

const Kernel kKernel{kcore::kSpec, run_kcore};

}  // namespace sparkgap
