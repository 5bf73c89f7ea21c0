// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ghosts/ghosts.h"

#include <gtest/gtest.h>

#include <set>

#include "buffers/shared_bits.h"
#include "ghosts/ghost_parts.h"
#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

/// Vertices of a graph of both directions, by place, as a value that only their owners know.
struct Scene {
  Comm& comm = test_comm();
  Graph before, graph;  ///< with numbers for ends, and with places
  const Ghosts& ghosts;
  std::vector<double> values;

  Scene(const TestGraph& like, const Numbering& numbering)
      : before(numbered(like, false, Directions::kBoth, numbering)),
        graph(built(like, false, Directions::kBoth, numbering)), ghosts(graph.ghosts),
        values(static_cast<size_t>(ghosts.places()), -1) {
    for (int64_t row = 0; row < graph.rows; ++row) values[ghosts.place(row)] = value(graph.first + row);
  }
  static double value(int64_t number) { return 0.5 + static_cast<double>(number); }
  /// Each ghost's is its owner's where `has` is true of its number, and else as it was.
  template <typename Has>
  void expect_values(Has&& has) {
    for (uint32_t place = 0; place < ghosts.places(); ++place) {
      const int64_t number = ghosts.number(place);
      EXPECT_EQ(values[place], ghosts.is_own(place) || has(number) ? value(number) : -1)
          << place << " of " << graph.rows << ", " << ghosts.places();
    }
  }
};

TestGraph star_and_path() {
  TestGraph graph;
  for (int i = 1; i < 200; ++i) graph.edges.push_back({"0", std::to_string(i)});
  for (int i = 200; i < 500; ++i) graph.edges.push_back({std::to_string(i), std::to_string(i + 1)});
  return graph;
}

std::vector<TestGraph> graphs() {
  std::vector<TestGraph> all{star_and_path()};
  for (uint64_t number = 0; number < 40; ++number)
    if (TestGraph graph = random_graph(number); !graph.edges.empty()) all.push_back(std::move(graph));
  return all;
}

template <typename Body>
void each_scene(Body&& body) {
  for (const TestGraph& like : graphs())
    for (const Numbering& numbering : {Numbering{}, kFarNumbers}) {
      Scene scene(like, numbering);
      EXPECT_EQ(scene.ghosts.are_all(), scene.comm.size() <= 3 && !scene.graph.far);
      body(scene);
    }
}

int64_t number_at(const Adjacency& arcs, size_t k) {
  return arcs.far_ends.empty() ? int64_t{arcs.ends[k]} : static_cast<int64_t>(arcs.far_ends[k]);
}

TEST(Ghosts, ArePlacesOfWhatArcsName) {
  each_scene([](const Scene& scene) {
    std::set<int64_t> named;
    for (const auto& [arcs, before] :
         {std::pair{&scene.graph.in, &scene.before.in}, std::pair{&scene.graph.out, &scene.before.out}}) {
      ASSERT_EQ(arcs->ends.size(), static_cast<size_t>(before->arcs()));
      EXPECT_TRUE(arcs->far_ends.empty());
      for (size_t k = 0; k < arcs->ends.size(); ++k) {
        const int64_t number = number_at(*before, k);
        ASSERT_LT(arcs->ends[k], scene.ghosts.places());
        EXPECT_EQ(scene.ghosts.number(arcs->ends[k]), number);
        EXPECT_EQ(scene.ghosts.find(number), arcs->ends[k]);
        if (!scene.ghosts.is_own(arcs->ends[k])) named.insert(number);
        if (scene.graph.far && scene.graph.rank_of(number) > 0) {
          EXPECT_GT(number, int64_t{1} << 32);
        }
      }
    }
    int64_t in_ranges = 0;
    scene.ghosts.each_range([&](int64_t begin, int64_t end) { in_ranges += end - begin; });
    EXPECT_EQ(in_ranges, scene.ghosts.places() - scene.graph.rows);
    if (!scene.ghosts.are_all()) {
      EXPECT_EQ(in_ranges, static_cast<int64_t>(named.size())) << "none is for nothing";
    }
    for (uint32_t place = 1; place < scene.ghosts.places(); ++place)
      EXPECT_LT(scene.ghosts.number(place - 1), scene.ghosts.number(place));
    for (int64_t row = 0; row < scene.graph.rows; ++row)
      EXPECT_EQ(scene.ghosts.number(scene.ghosts.place(row)), scene.graph.first + row);
  });
}

TEST(Ghosts, AreFoundOnce) {
  each_scene([](Scene& scene) { EXPECT_THROW(scene.graph.find_ghosts(scene.comm), std::logic_error); });
}

TEST(Ghosts, AreNotFoundWhereNoArcNamesThem) {
  each_scene([](const Scene& scene) {
    std::set<int64_t> known;
    for (uint32_t place = 0; place < scene.ghosts.places(); ++place) known.insert(scene.ghosts.number(place));
    for (size_t rank = 0; rank < scene.graph.counts.size(); ++rank)
      for (int64_t row = 0; row < scene.graph.counts[rank]; ++row) {
        const int64_t number = scene.graph.firsts[rank] + row;
        EXPECT_EQ(scene.ghosts.find(number).has_value(), known.contains(number));
      }
  });
}

TEST(Ghosts, BringValuesOfTheirOwners) {
  each_scene([](Scene& scene) {
    scene.ghosts.bring(std::span(scene.values), scene.comm);
    scene.expect_values([](int64_t) { return true; });
  });
}

TEST(Ghosts, BringSeveralValuesOfEach) {
  each_scene([](Scene& scene) {
    constexpr int64_t kWidth = 3;
    const auto value = [&](uint32_t place, int64_t i) { return 10 * scene.ghosts.number(place) + i; };
    std::vector<int64_t> values(static_cast<size_t>(scene.ghosts.places() * kWidth), -1);
    const auto each_value = [&](auto&& body) {
      for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
        for (int64_t i = 0; i < kWidth; ++i) body(place, i, values[static_cast<size_t>(place * kWidth + i)]);
    };
    each_value([&](uint32_t place, int64_t i, int64_t& at) {
      if (scene.ghosts.is_own(place)) at = value(place, i);
    });
    scene.ghosts.bring(std::span(values), scene.comm, kWidth);
    each_value([&](uint32_t place, int64_t i, int64_t at) { EXPECT_EQ(at, value(place, i)) << place; });
  });
}

TEST(Ghosts, BringValuesPartByPart) {
  each_scene([](Scene& scene) {
    const int64_t rows = scene.graph.rows;
    for (const std::vector<int64_t>& cuts : {std::vector<int64_t>{0, rows}, {0, rows / 3, rows / 2, rows / 2, rows}}) {
      const GhostParts parts(scene.ghosts, cuts, scene.comm);
      std::vector<double> room(parts.room());
      ASSERT_EQ(parts.size() + 1, cuts.size());
      std::vector<double> values(scene.values.size(), -1);
      for (size_t part = parts.size(); part-- > 0; scene.comm.progress()) {
        for (int64_t row = cuts[part]; row < cuts[part + 1]; ++row)
          values[scene.ghosts.place(row)] = scene.values[scene.ghosts.place(row)];
        parts.begin(part, values, room, scene.comm);
      }
      scene.comm.finish();
      std::swap(values, scene.values);
      scene.expect_values([](int64_t) { return true; });
    }
  });
}

TEST(Ghosts, BringWhatChangedPartByPart) {
  for (const int64_t every : {1, 3, 1000000})
    each_scene([&](Scene& scene) {
      const int64_t rows = scene.graph.rows;
      const auto chosen = [&](int64_t number) { return number % every == 1 % every; };
      const std::vector<int64_t> cuts{0, rows / 3, rows / 2, rows / 2, rows};
      ChangedParts<double> parts(scene.ghosts, cuts, scene.comm);
      for (int round = 0; round < 2; ++round) {  // the second time fewer, where the first left its bytes
        const auto now = [&](int64_t number) { return chosen(number) && (round == 0 || number % 2 == 0); };
        for (size_t part = parts.size(); part-- > 0; scene.comm.progress())
          parts.begin(
              part, static_cast<uint8_t>(10 * round + scene.comm.rank()),
              [&](uint32_t row) { return now(scene.graph.first + row); },
              [&](uint32_t row) { return Scene::value(scene.graph.first + row) + round; }, scene.comm);
        scene.comm.finish();
        std::set<int64_t> noted, taken;
        parts.take(
            [&](uint8_t note, int64_t begin, int64_t end) {
              for (int64_t place = begin; place < end; ++place) {
                EXPECT_EQ(note, 10 * round + scene.graph.rank_of(scene.ghosts.number(static_cast<uint32_t>(place))));
                EXPECT_TRUE(noted.insert(place).second);
              }
            },
            [&](int64_t place, double value) {
              EXPECT_EQ(value, Scene::value(scene.ghosts.number(static_cast<uint32_t>(place))) + round);
              EXPECT_TRUE(taken.insert(place).second && noted.contains(place));
            });
        for (uint32_t place = 0; place < scene.ghosts.places(); ++place) {
          const bool is_ghost = !scene.ghosts.is_own(place);
          EXPECT_EQ(noted.contains(place), is_ghost);
          EXPECT_EQ(taken.contains(place), is_ghost && now(scene.ghosts.number(place)));
        }
      }
    });
}

TEST(Ghosts, CutRowsByTheirWork) {
  const auto squares = [](int64_t row) { return row * row; };
  EXPECT_EQ(GhostCuts::equal(100, 4, squares), (std::vector<int64_t>{0, 50, 71, 87, 100}));
  EXPECT_EQ(GhostCuts::equal(0, 3, squares), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(GhostCuts::equal(1, 2, squares), (std::vector<int64_t>{0, 0, 1}));
}

TEST(Ghosts, BringWhatChanged) {
  for (const int64_t every : {1, 3, 1000000})
    each_scene([&](Scene& scene) {
      const auto chosen = [&](int64_t number) { return number % every == 1 % every; };
      std::set<int64_t> taken, expected;
      scene.ghosts.bring_changed(
          std::span(scene.values), [&](uint32_t row) { return chosen(scene.graph.first + row); },
          [&](int64_t place) { EXPECT_TRUE(taken.insert(place).second); }, scene.comm);
      scene.expect_values(chosen);
      for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
        if (!scene.ghosts.is_own(place) && chosen(scene.ghosts.number(place))) expected.insert(place);
      EXPECT_EQ(taken, expected);
    });
}

TEST(Ghosts, BringBits) {
  for (const int64_t every : {1, 2, 5})
    each_scene([&](Scene& scene) {
      const auto chosen = [&](int64_t number) { return number % every == 0; };
      std::vector<uint64_t> bits(words_for(scene.ghosts.places()));
      for (uint32_t place = 0; place < scene.ghosts.places(); ++place)  // of ghosts: the contrary of what is so
        if (chosen(scene.ghosts.number(place)) == scene.ghosts.is_own(place)) claim_bit(bits.data(), place);
      scene.ghosts.bring_bits(bits, scene.comm);
      for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
        EXPECT_EQ(has_bit(bits.data(), place), chosen(scene.ghosts.number(place)));
    });
}

/// By place, whether any rank has chosen the vertex: on its owner alone.
template <typename Chosen>
std::set<int64_t> chosen_of_own(const Scene& scene, Chosen&& chosen) {
  std::vector<std::pair<std::string, std::vector<double>>> mine;
  for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
    if (chosen(place)) mine.push_back({"", {static_cast<double>(scene.ghosts.number(place))}});
  std::set<int64_t> own;
  for (const auto& [text, number] : gather_rows(mine, scene.comm))
    if (const auto place = scene.ghosts.find(static_cast<int64_t>(number[0])); place && scene.ghosts.is_own(*place))
      own.insert(*place);
  return own;
}

TEST(Ghosts, TakeFlagsHome) {
  each_scene([](Scene& scene) {
    std::vector<uint8_t> flags(scene.values.size());
    const auto chosen = [&](uint32_t place) { return (place + static_cast<uint32_t>(scene.comm.rank())) % 3 == 0; };
    for (uint32_t place = 0; place < scene.ghosts.places(); ++place) flags[place] = chosen(place);
    const std::set<int64_t> own = chosen_of_own(scene, chosen);
    scene.ghosts.take_home(flags, scene.comm);
    for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
      EXPECT_EQ(flags[place], static_cast<uint8_t>(own.contains(place)));
  });
}

TEST(Ghosts, TellOwners) {
  each_scene([](Scene& scene) {
    const auto chosen = [&](uint32_t place) {
      return !scene.ghosts.is_own(place) && (place + static_cast<uint32_t>(scene.comm.rank())) % 3 == 0;
    };
    const std::set<int64_t> own = chosen_of_own(scene, chosen);
    const auto each = [&](auto&& visit) {
      for (uint32_t place = 0; place < scene.ghosts.places(); ++place)
        if (chosen(place)) visit(place);
    };
    std::set<int64_t> told, told_values;
    scene.ghosts.tell_owners(each, [&](size_t, uint32_t row) { told.insert(scene.ghosts.place(row)); }, scene.comm);
    EXPECT_EQ(told, own);
    told.clear();
    std::vector<uint64_t> bits(words_for(scene.ghosts.places()));
    each([&](uint32_t place) { claim_bit(bits.data(), place); });
    scene.ghosts.tell_owners_by_bits(
        bits, [&](size_t, uint32_t row) { told.insert(scene.ghosts.place(row)); }, scene.comm);
    EXPECT_EQ(told, own);
    scene.ghosts.tell_owners<double>(
        each, [&](uint32_t place) { return Scene::value(scene.ghosts.number(place)); },
        [&](size_t, uint32_t row, double value) {
          EXPECT_EQ(value, Scene::value(scene.graph.first + row));
          told_values.insert(scene.ghosts.place(row));
        },
        scene.comm);
    EXPECT_EQ(told_values, own);
  });
}

}  // namespace
}  // namespace sparkgap
