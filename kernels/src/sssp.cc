// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "sssp.h"

#include <cmath>
#include <limits>

#include "distance_buckets.h"
#include "graph_arguments.h"
#include "kernel.h"
#include "stopwatch.h"

namespace sparkgap::sssp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <bool kWeighted>
class Search {
 public:
  Search(const Graph& graph, double delta, Comm& comm)
      : graph_(graph), comm_(comm), delta_(delta), window_(0, delta), distance_(static_cast<size_t>(graph.vertices)), workers_(static_cast<size_t>(threads())) {
    parallel_ranges(graph.vertices, 1 << 16, [&](int64_t begin, int64_t end) { std::fill(distance_.data() + begin, distance_.data() + end, kInfinity); });
    if (comm.size() > 1) listed_ = Buffer<uint8_t>(static_cast<size_t>(graph.vertices));
  }

  void start(const std::vector<int64_t>& rows) {
    for (const int64_t row : rows) reach<false>(workers_[0], static_cast<uint32_t>(graph_.first + row), 0);
  }

  /// Works off the nearest bucket of all ranks; false where none is left.
  bool step() {
    int64_t nearest = BucketWindow::kBuckets;
    for (const Worker& worker : workers_) nearest = std::min<int64_t>(nearest, worker.buckets.next(bucket_));
    // Received distances are not below the bucket that all ranks work on, so the search goes on from there.
    bucket_ = static_cast<int>(comm_.allreduce(nearest, Reduce::kMin));
    if (bucket_ == BucketWindow::kBuckets && !move_window()) return false;
    while (take_bucket()) {
      if (arcs_of_frontier(kAlone) < kAlone) work_alone();
      else work_together();
    }
    if (comm_.size() > 1) exchange();
    return true;
  }

  Buffer<double> take() {
    if (graph_.rows == graph_.vertices) return std::move(distance_);
    Buffer<double> mine(static_cast<size_t>(graph_.rows));
    std::copy_n(distance_.data() + graph_.first, graph_.rows, mine.data());
    return mine;
  }

 private:
  static constexpr int64_t kAlone = 1 << 15;  ///< a barrier costs more than that many arcs
  static constexpr int64_t kUnit = 1 << 13;   ///< arcs that a thread takes at once
  static constexpr size_t kFused = 1024;      ///< a thread goes on alone with what it found for the same bucket, up to that many

  struct alignas(64) Worker {
    DistanceBuckets buckets;
    std::vector<Reached> fused;
    std::vector<uint32_t> elsewhere;  ///< vertices of other ranks whose distance fell
  };
  /// Arcs [arc_begin, arc_end) of one entry of the frontier, or all arcs of several.
  struct Unit {
    size_t begin, end;
    int64_t arc_begin = 0, arc_end = -1;
  };

  int64_t row_of(const Reached& reached) const { return static_cast<int64_t>(reached.vertex) - graph_.first; }
  bool outdated(const Reached& reached) const { return std::atomic_ref<double>(distance_[reached.vertex]).load(std::memory_order_relaxed) < reached.distance; }

  /// Lowers a distance and keeps what follows from that. kShared: other threads do the same.
  template <bool kShared>
  void reach(Worker& worker, uint32_t vertex, double distance) {
    std::atomic_ref<double> known(distance_[vertex]);
    if constexpr (kShared) {
      double old = known.load(std::memory_order_relaxed);
      do {
        if (old <= distance) return;
      } while (!known.compare_exchange_weak(old, distance, std::memory_order_relaxed));
    } else {
      known.store(distance, std::memory_order_relaxed);
    }
    if (static_cast<uint64_t>(static_cast<int64_t>(vertex) - graph_.first) < static_cast<uint64_t>(graph_.rows)) {
      worker.buckets.push(window_, {distance, vertex});
    } else if (std::atomic_ref<uint8_t>(listed_[vertex]).exchange(1, std::memory_order_relaxed) == 0) {
      worker.elsewhere.push_back(vertex);
    }
  }

  template <bool kShared>
  void follow(Worker& worker, double distance, int64_t begin, int64_t end) {
    const uint32_t* ends = graph_.out.ends.data();
    const double* weights = graph_.out.weights.data();
    const double* known = distance_.data();
    for (int64_t k = begin; k < end; ++k) {
      const double next = distance + (kWeighted ? weights[k] : 1.0);
      if (next < std::atomic_ref<const double>(known[ends[k]]).load(std::memory_order_relaxed)) reach<kShared>(worker, ends[k], next);
    }
  }

  template <bool kShared>
  void follow_all(Worker& worker, const Reached* begin, const Reached* end) {
    constexpr int64_t kStartsAhead = 24, kRowsAhead = 12;
    const int64_t* starts = graph_.out.starts.data();
    for (const Reached* at = begin; at < end; ++at) {
      if (end - at > kStartsAhead) __builtin_prefetch(starts + row_of(at[kStartsAhead]));
      if (end - at > kRowsAhead) {
        const int64_t first = starts[row_of(at[kRowsAhead])];
        __builtin_prefetch(graph_.out.ends.data() + first);
        if (kWeighted) {
          __builtin_prefetch(graph_.out.weights.data() + first);
          __builtin_prefetch(graph_.out.weights.data() + first + 8);
        }
      }
      if (!outdated(*at)) follow<kShared>(worker, at->distance, starts[row_of(*at)], starts[row_of(*at) + 1]);
    }
  }

  /// Moves what all threads have for the bucket into the frontier; false where there is nothing.
  bool take_bucket() {
    frontier_.clear();
    for (Worker& worker : workers_) {
      std::vector<Reached>& found = worker.buckets[bucket_];
      if (frontier_.empty()) std::swap(frontier_, found);
      else frontier_.insert(frontier_.end(), found.begin(), found.end());
      found.clear();
    }
    return !frontier_.empty();
  }
  /// Counted up to a limit.
  int64_t arcs_of_frontier(int64_t limit) const {
    int64_t arcs = 0;
    for (const Reached& reached : frontier_)
      if ((arcs += graph_.out.degree(row_of(reached)) + 1) >= limit) break;
    return arcs;
  }

  void work_alone() { follow_all<false>(workers_[0], frontier_.data(), frontier_.data() + frontier_.size()); }

  void work_together() {
    cut_frontier();
    std::atomic<size_t> next{0};
    parallel_for(static_cast<int64_t>(workers_.size()), [&](int64_t i) {
      Worker& worker = workers_[static_cast<size_t>(i)];
      for (size_t at; (at = next.fetch_add(1, std::memory_order_relaxed)) < units_.size();) {
        const Unit& unit = units_[at];
        if (unit.arc_end < 0) follow_all<true>(worker, &frontier_[unit.begin], &frontier_[unit.begin] + (unit.end - unit.begin));
        else if (!outdated(frontier_[unit.begin])) follow<true>(worker, frontier_[unit.begin].distance, unit.arc_begin, unit.arc_end);
      }
      for (std::vector<Reached>& found = worker.buckets[bucket_]; !found.empty() && found.size() < kFused;) {
        worker.fused.clear();
        std::swap(worker.fused, found);
        follow_all<true>(worker, worker.fused.data(), worker.fused.data() + worker.fused.size());
      }
    });
  }

  /// The frontier as units of about equal work; rows with many arcs are cut.
  void cut_frontier() {
    units_.clear();
    size_t begin = 0;
    int64_t arcs = 0;
    for (size_t i = 0; i < frontier_.size(); ++i) {
      const int64_t row = row_of(frontier_[i]), degree = graph_.out.degree(row);
      if (degree > 2 * kUnit) {
        if (begin < i) units_.push_back({begin, i});
        begin = i + 1;
        arcs = 0;
        const int64_t first = graph_.out.starts[static_cast<size_t>(row)];
        for (int64_t at = 0; at < degree; at += kUnit) units_.push_back({i, i + 1, first + at, first + std::min(degree, at + kUnit)});
      } else if ((arcs += degree + 1) >= kUnit) {
        units_.push_back({begin, i + 1});
        begin = i + 1;
        arcs = 0;
      }
    }
    if (begin < frontier_.size()) units_.push_back({begin, frontier_.size()});
  }

  /// Tells the owners the least distance that was found here for each of their vertices, and takes in what others found.
  void exchange() {
    const auto ranks = static_cast<size_t>(comm_.size());
    std::vector<int64_t> counts(ranks), places(ranks), received;
    for (const Worker& worker : workers_)
      for (const uint32_t vertex : worker.elsewhere) ++counts[static_cast<size_t>(graph_.rank_of(vertex))];
    for (size_t rank = 1; rank < ranks; ++rank) places[rank] = places[rank - 1] + counts[rank - 1];
    std::vector<Reached> send(static_cast<size_t>(places.back() + counts.back()));
    for (Worker& worker : workers_) {
      for (const uint32_t vertex : worker.elsewhere) {
        send[static_cast<size_t>(places[static_cast<size_t>(graph_.rank_of(vertex))]++)] = {distance_[vertex], vertex};
        listed_[vertex] = 0;
      }
      worker.elsewhere.clear();
    }
    for (const Reached& reached : comm_.alltoallv<Reached>(send, counts, received))
      if (reached.distance < distance_[reached.vertex]) reach<false>(workers_[0], reached.vertex, reached.distance);
  }

  /// All buckets are empty: puts what is far into new ones. They are wide enough to take half of it, so that far distances are
  /// not looked at again and again where weights differ by orders of magnitude. False where nothing is far.
  bool move_window() {
    frontier_.clear();
    for (Worker& worker : workers_) {
      for (const Reached& reached : worker.buckets.far())
        if (!outdated(reached)) frontier_.push_back(reached);
      worker.buckets.far().clear();
    }
    double nearest = kInfinity;
    for (const Reached& reached : frontier_) nearest = std::min(nearest, reached.distance);
    nearest = comm_.allreduce(nearest, Reduce::kMin);
    if (nearest == kInfinity) return false;
    double delta = delta_;
    if (!frontier_.empty()) {
      const auto middle = frontier_.begin() + static_cast<int64_t>((frontier_.size() - 1) / 2);
      std::nth_element(frontier_.begin(), middle, frontier_.end(), [](const Reached& a, const Reached& b) { return a.distance < b.distance; });
      delta = std::max(delta, (middle->distance - nearest) / (BucketWindow::kBuckets / 2));
    }
    window_ = BucketWindow(nearest, comm_.allreduce(delta, Reduce::kMax));
    bucket_ = 0;
    for (const Reached& reached : frontier_) workers_[0].buckets.push(window_, reached);
    return true;
  }

  const Graph& graph_;
  Comm& comm_;
  const double delta_;
  BucketWindow window_;
  int bucket_ = 0;
  Buffer<double> distance_;      ///< by vertex of all ranks; of those of other ranks: the least that was found here
  Buffer<uint8_t> listed_;       ///< by vertex of all ranks: whether it stands in some worker's `elsewhere`
  std::vector<Worker> workers_;
  std::vector<Reached> frontier_;
  std::vector<Unit> units_;
};

/// About the mean weight: of 16 384 arcs of each rank, by how many it has.
double mean_weight(const Graph& graph, Comm& comm) {
  constexpr int64_t kPlaces = 1024, kTogether = 16;
  const int64_t arcs = graph.out.arcs();
  const double share = static_cast<double>(arcs) / static_cast<double>(std::max<int64_t>(graph.arcs, 1));
  int64_t seen = 0;
  double mean = 0;
  for (int64_t place = 0; place < kPlaces; ++place)
    for (int64_t k = cut(arcs, kPlaces, place), end = std::min(k + kTogether, cut(arcs, kPlaces, place + 1)); k < end; ++k)
      mean += (graph.out.weights[static_cast<size_t>(k)] - mean) / static_cast<double>(++seen);  // no sum that gets too large
  return comm.allreduce(mean * share);
}

/// Narrow enough that few vertices are reached again within a bucket, wide enough that a bucket is worth its round.
double fitting_delta(const Graph& graph, Comm& comm) {
  const double mean_degree = static_cast<double>(std::max<int64_t>(graph.arcs, 1)) / static_cast<double>(graph.vertices);
  const double delta = 1.5 * mean_weight(graph, comm) / mean_degree;
  return delta > 0 ? std::clamp(delta, 1e-300, 1e300) : 1;
}

template <bool kWeighted>
Result search(const Graph& graph, const NamedRows& source, double delta, Comm& comm, const Progress& progress) {
  Search<kWeighted> search(graph, delta, comm);
  search.start(source.rows);
  Result result;
  while (search.step()) progress("compute", ++result.buckets);
  result.distance = search.take();
  return result;
}

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const NamedRows source = find_named_rows(graph.ids, {params.source}, "source", comm);
  if (!graph.weighted) return search<false>(graph, source, params.delta.value_or(1), comm, progress);
  return search<true>(graph, source, params.delta ? *params.delta : fitting_delta(graph, comm), comm, progress);
}

const Spec kSpec{
    .name = "sssp",
    .family = "graph",
    .summary = "The length of the shortest path from one vertex to each vertex.",
    .inputs = graph_inputs(),
    .parameters =
        {source_column(), destination_column(), weight_column(), directed_flag(),
         {.name = "source", .kind = Kind::kId, .fallback = {}, .doc = "The vertex where paths start."},
         {.name = "delta", .kind = Kind::kDouble, .fallback = {},
          .doc = "Width of a bucket of distances, for tuning: no result depends on it. Without, it follows from weights and degrees.", .min = 1e-300}},
    .output = {{"id", "id"}, {"distance", "double"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source = "Meyer, Sanders 2003, Delta-stepping: a parallelizable shortest path algorithm",
};

}  // namespace sparkgap::sssp

namespace sparkgap {
namespace {

Output run_sssp(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kOut, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<sssp::Result>(sssp::run(opened.graph, {get_string(values, "source"), find_double(values, "delta")}, comm, progress));
  const double compute_s = compute.seconds();
  Output output = per_vertex(std::move(opened), {{"distance", Type::kFloat64, result->distance.data(), {}}}, result);
  output.compute_s = compute_s;
  output.iterations = result->buckets;
  return output;
}

}  // namespace

const Kernel kKernel{sssp::kSpec, run_sssp};

}  // namespace sparkgap
