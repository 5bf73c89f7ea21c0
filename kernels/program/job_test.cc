// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "process/progress_file.h"
#include "program/command_line.h"
#include "program/manifest.h"
#include "test/error_text.h"
#include "test/scratch.h"

namespace sparkgap {
namespace {

const Spec kSpec{
    .name = "walk",
    .family = "graph",
    .summary = "Walks.",
    .inputs = {{"edges", true, "Edges.", {}}, {"vertices", false, "Ids.", {{"id", "id"}}}},
    .parameters =
        {{.name = "src", .kind = Kind::kColumn, .fallback = "src", .doc = "", .of = "edges", .accepts = "id"},
         {.name = "weight", .kind = Kind::kColumn, .fallback = {}, .doc = "", .of = "edges", .accepts = "number"},
         {.name = "max_steps", .kind = Kind::kInt, .fallback = int64_t{1}, .doc = ""},
         {.name = "damping", .kind = Kind::kDouble, .fallback = 0.5, .doc = ""},
         {.name = "directed", .kind = Kind::kBool, .fallback = true, .doc = ""},
         {.name = "source_ids", .kind = Kind::kIds, .fallback = {}, .doc = ""},
         {.name = "home", .kind = Kind::kId, .fallback = "1", .doc = ""},
         {.name = "also",
          .kind = Kind::kColumns,
          .fallback = std::vector<std::string>{"id"},
          .doc = "",
          .of = "vertices",
          .accepts = "number"}},
    .output = {},
    .match = "exact",
    .source = ""};

const char* kJob =
    R"({"version": 1, "job": "7", "program": "walk", "ranks": 3, "threads": 2, "rank_hosts": ["a", "b", "a"],
  "parameters": {"src": "from", "weight": null, "max_steps": 5, "damping": 0.25, "directed": false,
                 "source_ids": [4, "x"]},
  "inputs": {"edges": {"rows": 6, "segments": [{"host": "a", "path": "/1", "rows": 1, "bytes": 10},
                                               {"host": "b", "path": "/2", "rows": 2},
                                               {"host": "a", "path": "/3", "rows": 3}]}, "vertices": null},
  "output": {"directory": "/out", "segment_bytes": 1000}, "progress": "progress.jsonl", "done": "done-%d.json"})";

TEST(Job, ReadsWhatTheContractSays) {
  Scratch scratch;
  write_text(scratch / "job.json", kJob);
  const Job job = read_job(scratch.path(), kSpec);
  EXPECT_EQ(job.ranks, 3);
  EXPECT_EQ(job.threads, 2);
  EXPECT_EQ(job.output_directory, "/out");
  EXPECT_EQ(job.segment_bytes, 1000);
  EXPECT_EQ(job.inputs.count("vertices"), 0u);
  EXPECT_FALSE(job.verify);
  const Values values = validate(kSpec, job.parameters);
  EXPECT_EQ(get_string(values, "src"), "from");
  EXPECT_EQ(find_string(values, "weight"), std::nullopt);
  EXPECT_EQ(get_double(values, "damping"), 0.25);
  EXPECT_FALSE(get_bool(values, "directed"));
  EXPECT_EQ(*find_ids(values, "source_ids"), (std::vector<std::string>{"4", "x"}));

  const auto [first, first_share] = local_part(job, "edges", 0);
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].path, "/3");
  EXPECT_EQ(first_share.part, 0);
  EXPECT_EQ(first_share.parts, 2);
  const auto [second, second_share] = local_part(job, "edges", 1);
  EXPECT_EQ(second[0].path, "/2");
  EXPECT_EQ(second_share.parts, 1);
  EXPECT_EQ(local_part(job, "edges", 2).second.part, 1);
}

TEST(Job, TakesOneIdAsTextOrNumber) {
  Scratch scratch;
  const auto home = [&](const std::string& id) {
    std::string text = kJob;
    text.replace(text.find("\"src\""), 0, "\"home\": " + id + ", ");
    write_text(scratch / "job.json", text);
    return get_string(validate(kSpec, read_job(scratch.path(), kSpec).parameters), "home");
  };
  EXPECT_EQ(home("\"a,b\""), "a,b");
  EXPECT_EQ(home("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(home("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)home("9223372036854775808"); }),
            "home: expected an id, found 9223372036854775808. Choose another home.");
}

TEST(Job, RefusesOtherJobs) {
  Scratch scratch;
  auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = kJob;
    text.replace(text.find(from), from.size(), to);
    write_text(scratch / "job.json", text);
    return error_text(Exit::kArguments, [&] { (void)read_job(scratch.path(), kSpec); });
  };
  EXPECT_NE(refused("\"version\": 1", "\"version\": 2").find("expected version 1, found version 2"), std::string::npos);
  EXPECT_NE(refused("walk", "run").find("expected program walk, found \"run\""), std::string::npos);
  EXPECT_NE(refused("\"ranks\": 3", "\"ranks\": 2").find("2 ranks, 2 threads, 3 hosts"), std::string::npos);
  EXPECT_NE(refused("\"threads\": 2", "\"threads\": \"two\"").find("by docs/program-contract.md"), std::string::npos);
  EXPECT_NE(refused("}", "").find("by docs/program-contract.md"), std::string::npos);
  EXPECT_NE(error_text(Exit::kArguments, [&] { (void)read_job(scratch / "gone", kSpec); }).find("No such file"),
            std::string::npos);
}

TEST(Job, RefusesNumbersThatItCannotHold) {
  Scratch scratch;
  auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = kJob;
    text.replace(text.find(from), from.size(), to);
    write_text(scratch / "job.json", text);
    return error_text(Exit::kArguments, [&] { (void)read_job(scratch.path(), kSpec); });
  };
  // As ints these are 2 threads, 1 and some negative number.
  for (const char* threads : {"4294967298", "1.5", "1e300", "18446744073709551615", "true", "-1"})
    EXPECT_NE(refused("\"threads\": 2", std::string("\"threads\": ") + threads)
                  .find("expected a whole number from 1 to 65536, found "),
              std::string::npos)
        << threads;
  for (const char* rows : {"-1", "18446744073709551615", "1e300", "0.5"})
    EXPECT_NE(refused("\"rows\": 1", std::string("\"rows\": ") + rows).find("expected a whole number from 0 to "),
              std::string::npos)
        << rows;
  // Its reader goes down level by level, and so do those that print it.
  const std::string deep(200000, '['), end(200000, ']');
  EXPECT_NE(refused("\"src\"", "\"deep\": [" + deep + end + "], \"src\"").find("more than 64 levels"),
            std::string::npos);
}

TEST(Job, SegmentsWithoutARankAreNotForgotten) {
  Scratch scratch;
  std::string text = kJob;
  text.replace(text.find("\"b\", \"path\""), 3, "\"c\"");
  write_text(scratch / "job.json", text);
  const Job job = read_job(scratch.path(), kSpec);
  EXPECT_NE(error_text(Exit::kLost, [&] { (void)local_part(job, "edges", 0); }).find("found none on c"),
            std::string::npos);
}

TEST(Job, ReportsAsTheContractSays) {
  Output output;
  output.rows = 2;
  output.columns = {{"id", Type::kInt64, nullptr, {}}, {"level", Type::kInt64, nullptr, {}, true}};
  output.iterations = 4;
  output.converged = false;
  output.residual = 0.5;
  output.figures = {{"objective", {2, 1.5}}, {"nothing", {}}};
  const auto json = nlohmann::json::parse(done_json({{{"", "/p", 2, 64, "00000001"}}, {}, 1, 2, 3}, output, 1));
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["schema"], nlohmann::json::parse(
                                R"([{"name": "id", "type": "bigint", "nullable": false},
              {"name": "level", "type": "bigint", "nullable": true}])"));
  EXPECT_EQ(json["segments"][0],
            nlohmann::json::parse(R"({"path": "/p", "rows": 2, "bytes": 64, "crc32c": "00000001"})"));
  EXPECT_EQ(json["seconds"], nlohmann::json::parse(R"({"build": 1.0, "compute": 2.0, "write": 3.0})"));
  EXPECT_EQ(json["converged"], false);
  EXPECT_EQ(json["figures"], nlohmann::json::parse(R"({"objective": [2.0, 1.5], "nothing": []})"));
  EXPECT_GT(json["peak_rss_bytes"], 100000);

  Scratch scratch;
  write_error(scratch.path(), 2, Exit::kData, "edges.src: expected a \"b\".");
  EXPECT_EQ(nlohmann::json::parse(read_text(scratch / "error-2.json")),
            nlohmann::json::parse(R"({"code": 3, "message": "edges.src: expected a \"b\"."})"));
  write_error(scratch / "gone", 2, Exit::kData, "no second failure");
}

TEST(CommandLine, KindsFollowTheSpec) {
  Scratch scratch;
  write_text(scratch / "b.arrow", "x");
  write_text(scratch / "a.arrow", "x");
  write_text(scratch / "readme.txt", "x");
  const Job job =
      parse_command_line(kSpec,
                         {scratch.path(), "--out", "o", "--max-steps=7", "--damping", "1e-3", "--directed", "false",
                          "--source-ids", "1,b", "--home", "1,b", "--also", "x,y", "--threads", "3"},
                         2, 9);
  ASSERT_EQ(job.inputs.at("edges").size(), 2u);
  EXPECT_EQ(job.inputs.at("edges")[0].path, scratch / "a.arrow");
  EXPECT_EQ(job.output_directory, (std::filesystem::current_path() / "o").string());
  EXPECT_EQ(job.ranks, 2);
  EXPECT_EQ(job.threads, 3);
  EXPECT_EQ(job.parameters.at("max_steps"), Value(int64_t{7}));
  EXPECT_EQ(job.parameters.at("damping"), Value(1e-3));
  EXPECT_EQ(job.parameters.at("directed"), Value(false));
  EXPECT_EQ(job.parameters.at("source_ids"), Value(std::vector<std::string>{"1", "b"}));
  EXPECT_EQ(job.parameters.at("home"), Value("1,b"));
  EXPECT_EQ(job.parameters.at("also"), Value(std::vector<std::string>{"x", "y"}));
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  auto refused = [](const std::vector<std::string>& arguments) {
    return error_text(Exit::kArguments, [&] { (void)parse_command_line(kSpec, arguments, 1, 1); });
  };
  EXPECT_EQ(refused({}), "walk: expected --out DIRECTORY, found none. Do sparkgap-walk --help.");
  EXPECT_EQ(refused({"--out"}),
            "--out: expected a value after it, found the end of the line. Do sparkgap-walk --help.");
  EXPECT_EQ(refused({"--out", "o", "--nonsense", "1"}),
            "walk: expected one of its flags, found '--nonsense'. Do sparkgap-walk --help.");
  EXPECT_EQ(refused({"--out", "o", "--threads", "0"}),
            "--threads: expected a whole number of at least 1, found '0'. Choose another.");
}

TEST(Manifest, GoesRoundTrip) {
  Scratch scratch;
  Output output;
  output.columns = {{"id", Type::kString, nullptr, {}}};
  write_text(scratch / "t.json", manifest_json("t", {{"h", "/p", 2, 64, "0000000a"}, {"h", "/q", 3, 65, "0000000b"}},
                                               GraphSegments{true, false, {{"h", "/in", 9, 99, ""}}, {}}, output));
  const auto json = nlohmann::json::parse(read_text(scratch / "t.json"));
  EXPECT_EQ(json["rows"], 5);
  EXPECT_EQ(json["bytes"], 129);
  const auto segments = find_segments(scratch / "t.json", "edges");
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[1].path, "/q");
  EXPECT_EQ(segments[1].crc32c, "0000000b");
  EXPECT_EQ(segments[1].host, "h");
  const auto graph = find_graph(scratch / "t.json", "graph");
  ASSERT_TRUE(graph);
  EXPECT_TRUE(graph->directed && !graph->weighted && graph->out.empty());
  EXPECT_EQ(graph->in.at(0).path, "/in");
  write_text(scratch / "t.json", "{}");
  (void)error_text(Exit::kData, [&] { (void)find_segments(scratch / "t.json", "edges"); });
  (void)error_text(Exit::kData, [&] { (void)find_segments(scratch.path(), "edges"); });
}

TEST(ProgressFile, KeepsFirstAndLastOfEachPhase) {
  Scratch scratch;
  {
    ProgressFile file(scratch / "progress.jsonl");
    const Progress progress = file.progress();
    progress("build");
    for (int i = 1; i <= 1000; ++i) progress("compute", i, 1000, 1.0 / i);
    progress("write");
  }
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_text(scratch / "progress.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_GE(lines.size(), 4u);
  EXPECT_LT(lines.size(), 100u) << "throttled";
  EXPECT_EQ(lines.front(), nlohmann::json::parse(R"({"phase": "build"})"));
  EXPECT_EQ(lines[1], nlohmann::json::parse(R"({"phase": "compute", "iteration": 1, "of": 1000, "residual": 1.0})"));
  EXPECT_EQ(lines[lines.size() - 2]["iteration"], 1000);
  EXPECT_EQ(lines.back()["phase"], "write");
}

TEST(ProgressFile, AStoppedIterationIsTheLastOne) {
  Scratch scratch;
  {
    ProgressFile file(scratch / "progress.jsonl");
    const Progress progress = file.progress();
    for (int i = 1; i <= 7; ++i) progress("compute", i, 20, 0.1);
  }
  EXPECT_NE(read_text(scratch / "progress.jsonl").find("\"iteration\":7"), std::string::npos);
}

}  // namespace
}  // namespace sparkgap
