// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "bfs/bfs.h"

#include <bit>

#include "buffers/shared_bits.h"
#include "graph/graph_arguments.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::bfs {
namespace {

using Word = uint64_t;

/// What the ranks found in one level.
struct Found {
  int64_t vertices = 0, arcs = 0;  ///< arcs that leave them
  Found& operator+=(const Found& other) {
    vertices += other.vertices;
    arcs += other.arcs;
    return *this;
  }
};

class Search {
 public:
  Search(const Graph& graph, Comm& comm)
      : graph_(graph), comm_(comm), level_(static_cast<size_t>(graph.rows)), visited_(words_for(graph.rows)),
        next_(visited_.size()), lists_(static_cast<size_t>(threads())) {
    parallel_ranges(graph.rows, 1 << 16, [&](int64_t begin, int64_t end) {
      std::fill(level_.data() + begin, level_.data() + end, kUnreachable);
    });
    if (comm.size() > 1) {
      sent_ = Buffer<Word>(words_for(graph.ghosts.places()));
      all_ = Buffer<Word>(sent_.size());
    }
  }

  void start(const std::vector<int64_t>& rows) {
    for (const int64_t row : rows) {
      claim_bit(visited_.data(), static_cast<size_t>(row));
      level_[static_cast<size_t>(row)] = 0;
      frontier_.push_back(static_cast<uint32_t>(row));
    }
    agree(of_list());
  }
  bool done() const { return found_.vertices == 0; }

  /// Finds the vertices of the next level, from the frontier or from those that are not reached yet: whichever looks at
  /// fewer arcs, as far as one can tell.
  void step(int64_t depth) {
    unexplored_ -= found_.arcs;
    if (!upwards_ && found_.arcs > unexplored_ / 15) {
      upwards_ = true;
      std::fill(next_.begin(), next_.end(), 0);
      for (const uint32_t row : frontier_) next_[row / 64] |= Word{1} << (row % 64);
    } else if (upwards_ && found_.vertices < before_ && found_.vertices < graph_.vertices / 18) {
      upwards_ = false;
      list_next();
    }
    before_ = found_.vertices;
    agree(upwards_ ? bottom_up(depth) : top_down(depth));
  }

  Result take() {
    Result result{.level = std::move(level_), .reached = Buffer<uint8_t>(static_cast<size_t>(graph_.rows))};
    parallel_ranges(graph_.rows, 1 << 16, [&](int64_t begin, int64_t end) {
      for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row)
        result.reached[row] = has_bit(visited_.data(), row);
    });
    return result;
  }

 private:
  /// Vertices that one thread found: rows of this rank, and vertices of others.
  struct alignas(64) Lists {
    std::vector<uint32_t> here, elsewhere;
  };

  void agree(Found mine) {
    int64_t both[] = {mine.vertices, mine.arcs};
    comm_.allreduce(std::span<int64_t>(both));
    here_ = mine;
    found_ = {both[0], both[1]};
  }
  int64_t out_degree(uint32_t row) const { return graph_.out.degree(row); }
  Found of_list() const {
    Found found{static_cast<int64_t>(frontier_.size()), 0};
    for (const uint32_t row : frontier_) found.arcs += out_degree(row);
    return found;
  }

  Found top_down(int64_t depth) {
    const auto rows = static_cast<uint32_t>(graph_.rows), first = static_cast<uint32_t>(graph_.ghosts.own());
    const auto explore = [&](int64_t begin, int64_t end, Lists& lists) {
      for (int64_t i = begin; i < end; ++i)
        for (const uint32_t vertex : graph_.out.of(frontier_[static_cast<size_t>(i)])) {
          const uint32_t row = vertex - first;  // beyond `rows` where it is another rank's
          if (row < rows) {
            if (!claim_bit(visited_.data(), row)) continue;
            level_[row] = depth;
            lists.here.push_back(row);
          } else if (claim_bit(sent_.data(), vertex)) {
            lists.elsewhere.push_back(vertex);
          }
        }
    };
    for (Lists& lists : lists_) lists.here.clear(), lists.elsewhere.clear();
    const auto n = static_cast<int64_t>(frontier_.size());
    constexpr int64_t kBlock = 64, kAlone = 1 << 14;  // a barrier costs more than that many arcs
    if (here_.arcs + n <= kAlone) explore(0, n, lists_[0]);
    else
      parallel_for((n + kBlock - 1) / kBlock, [&](int64_t block) {
        explore(block * kBlock, std::min(n, (block + 1) * kBlock), lists_[static_cast<size_t>(omp_get_thread_num())]);
      });
    frontier_.clear();
    for (const Lists& lists : lists_) frontier_.insert(frontier_.end(), lists.here.begin(), lists.here.end());
    if (comm_.size() > 1) receive(depth);
    return of_list();
  }

  /// Tells the owners what was found of theirs and adds what others found here.
  void receive(int64_t depth) {
    const auto told = [&](auto&& visit) {
      for (const Lists& lists : lists_) std::for_each(lists.elsewhere.begin(), lists.elsewhere.end(), visit);
    };
    const auto take_in = [&](size_t, uint32_t row) {
      if (!claim_bit(visited_.data(), row)) return;
      level_[row] = depth;
      frontier_.push_back(row);
    };
    graph_.ghosts.tell_owners(told, take_in, comm_);
  }

  Found bottom_up(int64_t depth) {
    const Word* frontier = gather_next();
    if (cuts_.empty()) cut_rows();
    const auto parts = static_cast<int64_t>(cuts_.size()) - 1;
    std::vector<Found> of_part(static_cast<size_t>(parts));
    parallel_for(parts, [&](int64_t part) {
      Found& found = of_part[static_cast<size_t>(part)];
      for (int64_t word = cuts_[static_cast<size_t>(part)]; word < cuts_[static_cast<size_t>(part) + 1]; ++word) {
        Word reached = 0;
        for (Word left = ~visited_[static_cast<size_t>(word)] & rows_of_word(word); left != 0; left &= left - 1) {
          const int64_t row = word * 64 + std::countr_zero(left);
          for (const uint32_t vertex : graph_.in.of(row)) {
            if (!has_bit(frontier, vertex)) continue;
            level_[static_cast<size_t>(row)] = depth;
            reached |= left & -left;
            ++found.vertices;
            found.arcs += out_degree(static_cast<uint32_t>(row));
            break;
          }
        }
        next_[static_cast<size_t>(word)] = reached;
        visited_[static_cast<size_t>(word)] |= reached;
      }
    });
    Found all;
    for (const Found& found : of_part) all += found;
    return all;
  }

  /// next_ of all ranks as bits by place; next_ may then be written. Nobody needs to be told of these any more.
  const Word* gather_next() {
    if (comm_.size() == 1) {
      if (all_.empty()) all_ = Buffer<Word>(next_.size());
      std::swap(all_, next_);
      return all_.data();
    }
    put_bits(next_.data(), graph_.rows, all_.data(), graph_.ghosts.own());
    graph_.ghosts.bring_bits(all_.span(), comm_);
    for (size_t word = 0; word < all_.size(); ++word) sent_[word] |= all_[word];
    return all_.data();
  }

  /// next_ as a list of rows.
  void list_next() {
    frontier_.clear();
    for (size_t word = 0; word < next_.size(); ++word)
      for (Word left = next_[word]; left != 0; left &= left - 1)
        frontier_.push_back(static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left)));
  }

  Word rows_of_word(int64_t word) const {
    const int64_t rows = graph_.rows - word * 64;
    return rows >= 64 ? ~Word{0} : (Word{1} << rows) - 1;
  }

  /// Cuts the words of visited_ so that rows and arcs of the parts are about equal: a word is then written by one
  /// thread.
  void cut_rows() {
    const int64_t* starts = graph_.in.starts.data();
    const auto words = static_cast<int64_t>(visited_.size());
    const int64_t work = graph_.in.arcs() + graph_.rows, share = std::max<int64_t>(work / 256, 1 << 14);
    cuts_ = {0};
    for (int64_t word = 1; word <= words; ++word) {
      const auto before = [&](int64_t w) {
        return starts[std::min(graph_.rows, w * 64)] + std::min(graph_.rows, w * 64);
      };
      if (word == words || before(word) - before(cuts_.back()) >= share) cuts_.push_back(word);
    }
  }

  const Graph& graph_;
  Comm& comm_;
  Buffer<int64_t> level_;
  Buffer<Word> visited_, next_;     ///< by row; next_ is the frontier while the search goes bottom-up
  Buffer<Word> sent_, all_;         ///< by place: those whose owners know it; the frontier
  std::vector<uint32_t> frontier_;  ///< rows, while it goes top-down
  std::vector<Lists> lists_;        ///< by thread
  std::vector<int64_t> cuts_;
  bool upwards_ = false;
  Found here_, found_;                ///< the frontier: of this rank, of all
  int64_t before_ = 0;                ///< vertices of the frontier before
  int64_t unexplored_ = graph_.arcs;  ///< arcs that leave vertices which were in no frontier yet
};

}  // namespace

Result run(const Graph& graph, const Params& params, Comm& comm, const Progress& progress) {
  const NamedRows source = find_named_rows(graph.ids, {params.source}, "source", comm);
  Search search(graph, comm);
  search.start(source.rows);
  int64_t depth = 0;
  while (true) {
    search.step(depth + 1);
    if (search.done()) break;
    progress("compute", ++depth);
  }
  Result result = search.take();
  result.levels = depth;
  return result;
}

const Spec kSpec{
    .name = "bfs",
    .family = "graph",
    .summary = "Hops from one vertex to every vertex: the least number of edges on a path.",
    .inputs = graph_inputs(),
    .parameters =
        {source_column(),
         destination_column(),
         directed_flag(),
         {.name = "source", .kind = Kind::kId, .fallback = {}, .doc = "The vertex where paths start."},
         {.name = "variant",
          .kind = Kind::kChoice,
          .fallback = std::string("graphx"),
          .doc =
              "The level where no path leads. graphx: null; ldbc: 9223372036854775807, as LDBC Graphalytics writes it.",
          .choices = {"graphx", "ldbc"}}},
    .output = {{"id", "id"}, {.name = "level", .type = "bigint", .nullable = true, .doc = "0 at the source"}},
    .match = "exact",
    .source =
        "Beamer, Asanovic, Patterson 2012, Direction-Optimizing Breadth-First Search; LDBC Graphalytics specification, "
        "BFS",
    .notes =
        "level(v) = 1 + min over edges u -> v of level(u). Edges are followed in their direction; for hops to a vertex "
        "swap src and dst. Duplicate edges and self-loops change nothing. Time O(edges) at most. The same result for "
        "every ranks x threads.",
    .refuses = "a source that is no vertex",
    .memory = graph_memory(Directions::kBoth, {.vertex = 22, .copy = 2}),
};

}  // namespace sparkgap::bfs

namespace sparkgap {
namespace {

Output run_bfs(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  Opened opened = open_graph(inputs, values, Directions::kBoth, comm, progress);
  const Stopwatch compute;
  auto result = std::make_shared<bfs::Result>(bfs::run(opened.graph, {get_string(values, "source")}, comm, progress));
  OutputColumn level{"level", Type::kInt64, result->level.data(), {}};
  if (get_string(values, "variant") == "graphx") {
    level.nullable = true;
    level.validity = result->reached.data();
  }
  const double compute_s = compute.seconds();
  Output output = per_vertex(std::move(opened), {level}, result);
  output.compute_s = compute_s;
  output.iterations = result->levels;
  return output;
}

}  // namespace

const Kernel kKernel{bfs::kSpec, run_bfs};

}  // namespace sparkgap
