// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "graph/ghosts.h"

#include <gtest/gtest.h>

#include <set>

#include "test/test_comm.h"
#include "test/test_graph.h"

namespace sparkgap {
namespace {

/// Vertices of a graph of both directions, by place, as a value that only their owners know.
struct Scene {
  Comm& comm = test_comm();
  Graph graph;
  Adjacency in, out;
  Ghosts ghosts;
  std::vector<double> values;

  explicit Scene(const TestGraph& like)
      : graph(built(like, false, Directions::kBoth)), in(graph.in), out(graph.out), ghosts(graph, {&in, &out}, comm),
        values(static_cast<size_t>(ghosts.places()), -1) {
    for (int64_t row = 0; row < graph.rows; ++row)
      values[static_cast<size_t>(ghosts.own() + row)] = value(graph.first + row);
  }
  static double value(int64_t number) { return 0.5 + static_cast<double>(number); }
  bool is_own(int64_t place) const { return place >= ghosts.own() && place < ghosts.own() + graph.rows; }
  /// Each ghost's is its owner's where `has` is true of its number, and else as it was.
  template <typename Has>
  void expect_values(Has&& has) {
    for (int64_t place = 0; place < ghosts.places(); ++place) {
      const uint32_t number = ghosts.number(place);
      EXPECT_EQ(values[static_cast<size_t>(place)], is_own(place) || has(number) ? value(number) : -1)
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
  for (const TestGraph& like : graphs()) {
    Scene scene(like);
    EXPECT_EQ(scene.ghosts.are_all(), scene.comm.size() <= 3);
    body(scene);
  }
}

TEST(Ghosts, ArePlacesOfWhatArcsName) {
  each_scene([](const Scene& scene) {
    std::set<uint32_t> named;
    for (const auto& [arcs, before] : {std::pair{&scene.in, &scene.graph.in}, std::pair{&scene.out, &scene.graph.out}})
      for (size_t k = 0; k < before->ends.size(); ++k) {
        ASSERT_LT(arcs->ends[k], scene.ghosts.places());
        EXPECT_EQ(scene.ghosts.number(arcs->ends[k]), before->ends[k]);
        if (!scene.is_own(arcs->ends[k])) named.insert(before->ends[k]);
      }
    int64_t in_ranges = 0;
    scene.ghosts.each_range([&](int64_t begin, int64_t end) { in_ranges += end - begin; });
    EXPECT_EQ(in_ranges, scene.ghosts.places() - scene.graph.rows);
    if (scene.ghosts.are_all()) EXPECT_EQ(scene.in.ends.data(), scene.graph.in.ends.data()) << "nothing is copied";
    else EXPECT_EQ(in_ranges, static_cast<int64_t>(named.size())) << "none is for nothing";
  });
}

TEST(Ghosts, BringValuesOfTheirOwners) {
  each_scene([](Scene& scene) {
    scene.ghosts.bring(std::span(scene.values));
    scene.expect_values([](uint32_t) { return true; });
  });
}

TEST(Ghosts, BringWhatChanged) {
  for (const uint32_t every : {1u, 3u, 1000000u})
    each_scene([&](Scene& scene) {
      const auto chosen = [&](uint32_t number) { return number % every == 1 % every; };
      std::set<int64_t> taken, expected;
      scene.ghosts.bring_changed(
          std::span(scene.values), [&](uint32_t row) { return chosen(static_cast<uint32_t>(scene.graph.first) + row); },
          [&](int64_t place) { EXPECT_TRUE(taken.insert(place).second); });
      scene.expect_values(chosen);
      for (int64_t place = 0; place < scene.ghosts.places(); ++place)
        if (!scene.is_own(place) && chosen(scene.ghosts.number(place))) expected.insert(place);
      EXPECT_EQ(taken, expected);
    });
}

TEST(Ghosts, TakeFlagsHome) {
  each_scene([](Scene& scene) {
    std::vector<uint8_t> flags(scene.values.size());
    std::vector<int64_t> flagged(static_cast<size_t>(scene.graph.vertices));  // by any rank
    for (int64_t place = 0; place < scene.ghosts.places(); ++place)
      if ((place + scene.comm.rank()) % 3 == 0)
        flags[static_cast<size_t>(place)] = 1, flagged[scene.ghosts.number(place)] = 1;
    scene.comm.allreduce(std::span<int64_t>(flagged), Reduce::kMax);
    scene.ghosts.take_home(flags);
    for (int64_t place = 0; place < scene.ghosts.places(); ++place)
      EXPECT_EQ(flags[static_cast<size_t>(place)], scene.is_own(place) ? flagged[scene.ghosts.number(place)] : 0);
  });
}

}  // namespace
}  // namespace sparkgap
