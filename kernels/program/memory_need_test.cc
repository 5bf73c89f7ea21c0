// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/memory_need.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "buffers/disk_speed.h"
#include "table/segment_writer.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

constexpr int64_t kMiB = 1 << 20;

Spec named(const char* name, const std::vector<InputSpec>& inputs) {
  Spec spec;
  spec.name = name;
  spec.inputs = inputs;
  return spec;
}

Spec graph_spec() {
  Spec spec = named("walk", {{"edges", true, "", {}}});
  spec.inputs.push_back({.name = "vertices", .required = false, .doc = "", .columns = {{"id", "id"}}});
  spec.inputs.push_back({.name = "graph", .required = false, .doc = "", .stored_graph = true});
  for (const char* column : {"src", "dst"})
    spec.parameters.push_back(
        {.name = column, .kind = Kind::kColumn, .fallback = column, .doc = "", .of = "edges", .accepts = "id"});
  spec.parameters.push_back(
      {.name = "weight", .kind = Kind::kColumn, .fallback = {}, .doc = "", .of = "edges", .accepts = "number"});
  spec.parameters.push_back({.name = "directed", .kind = Kind::kBool, .fallback = true, .doc = ""});
  spec.makes_graph = true;
  spec.memory = {.dense = {.arc = 1, .weight = 100, .sent = 1000, .vertex = 10},
                 .sparse = {.arc = 2, .vertex = 20, .name = 5, .character = 3},
                 .run = {.arc = 0.5},
                 .stored = {.arc = 7, .weight = 4, .copy = 8, .thread = 9},
                 .result = {.arc = 8, .weight = 16, .vertex = 24}};
  return spec;
}

int number = 0;  ///< of the segments that were written, so that each has a name of its own

/// A segment of that host with one row per element, all columns alike.
template <typename T>
Segment segment(const Scratch& scratch, const std::string& host, const std::vector<std::string>& columns,
                const std::vector<T>& values, int64_t width = 0) {
  Output output;
  output.rows = static_cast<int64_t>(values.size()) / std::max<int64_t>(width, 1);
  for (const std::string& name : columns) {
    OutputColumn column;
    column.name = name;
    if constexpr (std::is_same_v<T, std::string>) {
      column.type = Type::kString;
      column.strings.assign(values.begin(), values.end());
    } else {
      column.type = width > 0 ? Type::kArray : std::is_same_v<T, double> ? Type::kFloat64 : Type::kInt64;
      column.values = values.data();
      column.width = width;
    }
    output.columns.push_back(column);
  }
  Segment written = write_segments(output, scratch.path(), ++number, kDefaultSegmentBytes).at(0);
  written.host = host;
  return written;
}

Job job_of(std::map<std::string, std::vector<Segment>> inputs, Values parameters = {}) {
  Job job;
  job.inputs = std::move(inputs);
  job.parameters = std::move(parameters);
  return job;
}

/// Bytes without what ranks, threads and windows of records take.
int64_t bytes(const Spec& spec, Job job, int64_t arcs, bool weighted = false) {
  const Values values = validate(spec, job.parameters);
  if (!job.look) job.look = look_at_inputs(spec, values, job, "");
  const int64_t threads = int64_t{1} * job.ranks * job.threads;
  return memory_bytes(spec, values, job) - job.ranks * (job.ranks > 1 ? 26 : 6) * kMiB - threads * kMiB -
         std::min(threads * kMiB, arcs) * (weighted ? 16 : 8);
}

std::vector<int64_t> ids(int64_t first, int64_t n, int64_t step = 1) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(first + i * step);
  return all;
}

TEST(MemoryNeed, DenseIdsCountByTheirSpan) {
  Scratch scratch;
  const auto edges = {segment(scratch, "a", {"src", "dst"}, ids(-50, 80)),
                      segment(scratch, "a", {"src", "dst"}, ids(40, 20))};
  EXPECT_EQ(bytes(graph_spec(), job_of({{"edges", edges}}), 100), 100 * 1 + 110 * 10);
  EXPECT_EQ(bytes(graph_spec(), job_of({{"edges", edges}}, {{"directed", false}}), 200), 200 * 1 + 110 * 10);
  EXPECT_EQ(bytes(graph_spec(), job_of({{"edges", edges}}, {{"weight", "src"}}), 100, true), 100 * 101 + 110 * 10);
  Job two = job_of({{"edges", edges}});
  two.ranks = 2;
  two.threads = 3;
  EXPECT_EQ(bytes(graph_spec(), two, 100), 100 * 1001 + 110 * 10);
  // Vertices that only their own table has may be far away.
  const auto far = {segment(scratch, "a", {"id"}, ids(1000000, 10))};
  const int64_t apart = bytes(graph_spec(), job_of({{"edges", edges}, {"vertices", far}}), 100);
  EXPECT_EQ(apart, 100 * 2 + (2 * 100 + 10) * 20);
}

TEST(MemoryNeed, RanksAndThreadsTakeSomeToo) {
  Scratch scratch;
  Job job = job_of({{"edges", {segment(scratch, "", {"src", "dst"}, ids(0, 10))}}});
  const Values values = validate(graph_spec(), {});
  job.look.emplace();
  EXPECT_EQ(memory_bytes(graph_spec(), values, job), 7 * kMiB + 10 * (8 + 1) + 0 * 10);
  job.ranks = 2;
  job.threads = 3;
  EXPECT_EQ(memory_bytes(graph_spec(), values, job), 2 * 29 * kMiB + 10 * (8 + 1001));
}

TEST(MemoryNeed, SpeedTakesMoreThanTheLeast) {
  Scratch scratch;
  Spec spec = graph_spec();
  Job job = job_of({{"edges", {segment(scratch, "", {"src", "dst"}, ids(0, 10))}}});
  const Values values = validate(spec, {});
  job.look.emplace();
  const int64_t before = memory_bytes(spec, values, job);
  EXPECT_EQ(memory_bytes(spec, values, job, MemoryGoal::kLeast), before);
  spec.memory.faster = {.arc = 50, .weight = 7};
  EXPECT_EQ(memory_bytes(spec, values, job, MemoryGoal::kLeast), before);
  EXPECT_GT(memory_bytes(spec, values, job), before);
}

TEST(MemoryNeed, EndsOfAnArcMayNotFitAWord) {
  Scratch scratch;
  Spec spec = graph_spec();
  spec.memory.dense.wide = 10000;
  const int64_t n = 1 << 16;
  Job job = job_of({{"edges", {segment(scratch, "", {"src", "dst"}, ids(0, n))}}});
  EXPECT_EQ(bytes(spec, job, n), n * 1 + n * 10) << "16 bits each";
  // 2^24 numbers in 256 partitions need 24 and 16 bits.
  job.look.emplace();
  job.look->range = {0, (1 << 24) - 1};
  job.inputs["edges"][0].rows = 1 << 24;
  EXPECT_EQ(bytes(spec, job, 1 << 24), (int64_t{1} << 24) * (10001 + 10));
}

TEST(MemoryNeed, OtherIdsAreCounted) {
  Scratch scratch;
  const int64_t n = 50000;
  const auto few =
      bytes(graph_spec(), job_of({{"edges", {segment(scratch, "", {"src", "dst"}, ids(7, n, 1 << 20))}}}), n);
  EXPECT_GE(few, 2 * n + 20 * n);
  EXPECT_LT(few, 2 * n + 24 * n);
  std::vector<std::string> names;
  for (int64_t i = 0; i < n; ++i) names.push_back("vertex-" + std::to_string(10000 + i % 20000));
  const auto texts = bytes(graph_spec(), job_of({{"edges", {segment(scratch, "", {"src", "dst"}, names)}}}), n);
  EXPECT_GE(texts, 2 * n + 20000 * (20 + 5 + 3 * 12));
  EXPECT_LT(texts, 2 * n + 24000 * (20 + 5 + 2 * 3 * 12));
}

TEST(MemoryNeed, LooksOfHostsAddUp) {
  Scratch scratch;
  const int64_t n = 30000;
  const Segment a = segment(scratch, "a", {"src", "dst"}, ids(0, n)),
                b = segment(scratch, "b", {"src", "dst"}, ids(n / 2, n)),
                far = segment(scratch, "c", {"src", "dst"}, ids(int64_t{1} << 40, n)),
                wide = segment(scratch, "d", {"src", "dst"}, ids(5, n, 1 << 20));
  const auto added = [&](const std::vector<Segment>& edges) {
    Job job = job_of({{"edges", edges}});
    const Values values = validate(graph_spec(), {});
    job.look.emplace();
    for (const Segment& segment : edges)
      *job.look += look_of(look_json(look_at_inputs(graph_spec(), values, job, segment.host)));
    return bytes(graph_spec(), job, n * static_cast<int64_t>(edges.size()));
  };
  EXPECT_EQ(added({a, b}), bytes(graph_spec(), job_of({{"edges", {a, b}}}), 2 * n));
  EXPECT_EQ(added({a, b}), 2 * n * 1 + 3 * n / 2 * 10);
  EXPECT_EQ(added({wide, wide}), bytes(graph_spec(), job_of({{"edges", {wide, wide}}}), 2 * n));
  // Each host's ids lie close together, those of both do not; then nobody has counted them, and each is another one.
  EXPECT_EQ(added({a, far}), 2 * n * 2 + 2 * n * 20);
  EXPECT_GE(added({a, wide}), 2 * n * 2 + 2 * n * 20);
  EXPECT_LT(added({a, wide}), 2 * n * 2 + 2 * n * 24);
}

TEST(MemoryNeed, StoredGraphsSayTheirSize) {
  Scratch scratch;
  Job job = job_of({{"graph", {segment(scratch, "", {"id"}, ids(0, 10))}}});
  job.ranks = 2;
  job.threads = 3;
  job.graphs["graph"] = {true, false, {{"", "/in", 40, 1000}}, {{"", "/out", 40, 1000}}};
  const int64_t rows = 7 * 40 + 10 * (2 * 8 + 6 * 9);
  EXPECT_EQ(bytes(graph_spec(), job, 40), rows);
  job.graphs["graph"].weighted = true;
  job.graphs["graph"].in = {{"", "/in", 20, 500}, {"", "/in2", 20, 400}};
  EXPECT_EQ(bytes(graph_spec(), job, 40, true), rows + 40 * 4 + 900);
  Spec spec = graph_spec();
  const Values values = validate(spec, {});
  job.look = look_at_inputs(spec, values, job, "");
  const int64_t least = memory_bytes(spec, values, job);
  spec.memory.stored_faster = {.arc = 50};
  EXPECT_EQ(memory_bytes(spec, values, job, MemoryGoal::kLeast), least);
  EXPECT_EQ(memory_bytes(spec, values, job), least + 40 * 50);
}

/// Says what it knows of its job, each in a decade of its own.
double all_known(const LearningJob& job, const Values& values) {
  return job.rows + 1e2 * job.width + 1e7 * job.stored + 1e9 * job.distinct +
         1e12 * static_cast<double>(get_int(values, "k")) + 1e13 * job.ranks + 1e14 * job.threads;
}

Spec learning_spec() {
  Spec spec = named("learn", {{"rows", true, "", {}}});
  spec.parameters = {
      {.name = "features", .kind = Kind::kColumns, .fallback = {}, .doc = "", .of = "rows", .accepts = "features"},
      {.name = "label", .kind = Kind::kColumn, .fallback = "label", .doc = "", .of = "rows", .accepts = "number"},
      {.name = "k", .kind = Kind::kInt, .fallback = int64_t{3}, .doc = ""}};
  spec.memory = {.learning = all_known, .distinct = "label"};
  return spec;
}

TEST(MemoryNeed, LearningKnowsTheShapeOfItsRows) {
  Scratch scratch;
  const std::vector<double> labels{0, 1, 4, 2};
  const auto few = segment(scratch, "", {"x", "y", "label"}, labels);
  const Values two{{"features", std::vector<std::string>{"x", "y"}}};
  EXPECT_EQ(bytes(learning_spec(), job_of({{"rows", {few}}}, two), 0), 113005080000204);
  const int64_t width = 10000;
  const auto wide = segment(scratch, "", {"features"}, std::vector<double>(2 * width, 1), width);
  const Values one{{"features", std::vector<std::string>{"features"}}};
  Spec spec = learning_spec();
  spec.memory.distinct = "";
  EXPECT_EQ(bytes(spec, job_of({{"rows", {wide}}}, one), 0), 113200001000002);
}

TEST(MemoryNeed, GeneratorsSayTheirRows) {
  Spec spec = named("make", {});
  spec.parameters = {{.name = "edge_factor", .kind = Kind::kInt, .fallback = int64_t{16}, .doc = ""},
                     {.name = "scale", .kind = Kind::kInt, .fallback = int64_t{10}, .doc = ""}};
  spec.memory = {.run = {.arc = 32}, .factor = "edge_factor", .exponent = "scale"};
  EXPECT_EQ(bytes(spec, job_of({}), 0), 32 * (16 << 10));
}

TEST(MemoryNeed, ResultsAreKnownByTheirEdgesAlone) {
  Job job = job_of({{"edges", {{"elsewhere", "/gone", 400, 1}}}}, {{"directed", false}});
  const auto result = [&] { return result_bytes(graph_spec(), validate(graph_spec(), job.parameters), job); };
  EXPECT_EQ(result(), 400 * 8 + 100 * 24);
  job.parameters["weight"] = "w";
  EXPECT_EQ(result(), 400 * 24 + 100 * 24);
}

TEST(MemoryNeed, SmallJobsNeedNoQuestion) {
  Scratch scratch;
  const auto small = small_jobs(graph_spec());
  const int64_t rows = small["rows"];
  std::vector<std::string> names;
  for (int64_t i = 0; i < rows; ++i) names.push_back(std::to_string(1000000 + i * i));
  const auto far = segment(scratch, "", {"src", "dst"}, ids(7, rows, 1 << 20)),
             near = segment(scratch, "", {"src", "dst"}, ids(0, rows)),
             texts = segment(scratch, "", {"src", "dst"}, names);
  for (const Segment& edges : {far, near, texts})
    for (const int ranks : {1, 2, 5})
      for (const int threads : {1, 3}) {
        Job job = job_of({{"edges", {edges}}}, {{"directed", false}, {"weight", "src"}});
        job.ranks = ranks;
        job.threads = threads;
        const Values values = validate(graph_spec(), job.parameters);
        job.look = look_at_inputs(graph_spec(), values, job, "");
        const int64_t each = small[ranks > 1 ? "mpi_rank_bytes" : "rank_bytes"], more = small["thread_bytes"];
        EXPECT_LE(memory_bytes(graph_spec(), values, job), ranks * (each + (threads - 1) * more));
      }
  EXPECT_TRUE(small_jobs(learning_spec()).is_null());
}

TEST(MemoryNeed, QuestionsAreReadToTheLetter) {
  const auto refused = [](const std::vector<std::string>& words) {
    return error_text(Exit::kArguments, [&] { (void)answer_memory(graph_spec(), words); });
  };
  EXPECT_FALSE(answer_memory(graph_spec(), {}));
  EXPECT_FALSE(answer_memory(graph_spec(), {"--out", "--memory"}));
  EXPECT_EQ(refused({"--memory"}),
            "walk: expected --memory JOB, found 1 word. Name a job.json, or - for standard input.");
  EXPECT_EQ(refused({"--look", "-"}),
            "walk: expected --look JOB HOST, found 2 words. Name a job.json, or - for standard input.");
  EXPECT_NE(refused({"--memory", "/gone/job.json"}).find("/gone/job.json: expected a readable file"),
            std::string::npos);
}

TEST(MemoryNeed, TheDiskOfAStoredGraphIsTriedOut) {
  Scratch disk;  // below the build folder or in /tmp, which may be in memory
  Job job = job_of({}, {});
  const std::string file = disk / "arcs.arrow", gone = disk / "gone.arrow";
  write_text(file, std::string(9 << 20, 'x'));
  job.graphs["graph"] = {false, false, {{"", gone, 10, 10 << 20}, {"", file, 9, 9 << 20}}, {}};
  const int open_file = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (is_in_memory(open_file)) EXPECT_EQ(disk_speed(file), 0);
  else EXPECT_GT(disk_speed(file), 1 << 10) << "the second one, for the first has gone";
  close(open_file);
  EXPECT_EQ(disk_speed(gone), 0);
  const std::string memory = "/dev/shm/sparkgap-disk-speed";
  write_text(memory, "x");
  EXPECT_EQ(disk_speed(memory), 0);
  std::filesystem::remove(memory);
}

TEST(MemoryNeed, LooksThatNobodyMadeAreRefused) {
  Scratch scratch;
  const std::string job = R"({"version": 1, "program": "walk", "ranks": 1, "threads": 1, "parameters": {},
    "inputs": {}, "output": {}, "looks": [)";
  for (const char* look :
       {"{}", "7", R"({"strings": 1})", R"({"strings": true, "low": 0, "high": 1, "uncounted": 0, "texts": 0,
        "characters": 0, "width": 0, "stored": 0, "distinct": 0, "sketch": "?"})"}) {
    write_text(scratch / "job.json", job + look + "]}");
    EXPECT_NE(error_text(Exit::kArguments, [&] { (void)read_job_file(scratch / "job.json", graph_spec()); })
                  .find("expected a job by docs/program-contract.md"),
              std::string::npos);
  }
  write_text(scratch / "job.json", job + "]}");
  EXPECT_TRUE(read_job_file(scratch / "job.json", graph_spec()).look.has_value());
  EXPECT_NE(error_text(Exit::kArguments, [&] { (void)read_job(scratch.path(), graph_spec()); })
                .find("expected a directory for the output, found none"),
            std::string::npos);
}

}  // namespace
}  // namespace sparkgap
