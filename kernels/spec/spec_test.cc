// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "spec/spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "test/error_text.h"

namespace sparkgap {
namespace {

const Spec kSpec{
    .name = "walk",
    .family = "graph",
    .summary = "Walks.",
    .inputs = {{"edges", true, "One row per edge.", {}}, {"vertices", false, "Ids.", {{"id", "id"}}}},
    .parameters =
        {{.name = "src", .kind = Kind::kColumn, .fallback = "src", .doc = "Start.", .of = "edges", .accepts = "id"},
         {.name = "weight",
          .kind = Kind::kColumn,
          .fallback = {},
          .doc = "Weight.",
          .of = "edges",
          .accepts = "number"},
         {.name = "directed", .kind = Kind::kBool, .fallback = true, .doc = "Direction."},
         {.name = "damping",
          .kind = Kind::kDouble,
          .fallback = 0.85,
          .doc = "Damping.",
          .min = 0,
          .max = 1,
          .max_exclusive = true},
         {.name = "max_steps", .kind = Kind::kInt, .fallback = int64_t{20}, .doc = "Steps.", .unit = "steps", .min = 0},
         {.name = "variant", .kind = Kind::kChoice, .fallback = "a", .doc = "Variant.", .choices = {"a", "b"}},
         {.name = "source_ids", .kind = Kind::kIds, .fallback = {}, .doc = "Sources."},
         {.name = "home", .kind = Kind::kId, .fallback = "7", .doc = "Home."}},
    .output = {{"id", "id"}, {.name = "steps", .type = "bigint", .nullable = true, .doc = "as far as it came"}},
    .match = "epsilon",
    .epsilon = 1e-4,
    .source = "Polya 1921",
    .notes = "One step at a time.",
    .refuses = "no home",
    .figures = {{"longest", "in steps"}},
    .memory = {.dense = {.arc = 12}, .run = {.weight = 8, .copy = 0.5}}};

std::string refused(const Values& given) {
  return error_text(Exit::kArguments, [&] { (void)validate(kSpec, given); });
}

TEST(Spec, FillsInDefaults) {
  const Values all = validate(kSpec, {});
  EXPECT_EQ(get_string(all, "src"), "src");
  EXPECT_EQ(find_string(all, "weight"), std::nullopt);
  EXPECT_TRUE(get_bool(all, "directed"));
  EXPECT_EQ(get_double(all, "damping"), 0.85);
  EXPECT_EQ(get_int(all, "max_steps"), 20);
  EXPECT_EQ(find_ids(all, "source_ids"), std::nullopt);
  EXPECT_EQ(validate(kSpec, {{"damping", std::monostate()}}), all) << "None is the same as not given";
}

TEST(Spec, TakesWholeNumbersForNumbersAndBack) {
  const Values all =
      validate(kSpec, {{"damping", int64_t{0}}, {"max_steps", 3.0}, {"source_ids", std::vector<std::string>{"7"}}});
  EXPECT_EQ(find_double(all, "damping"), 0.0);
  EXPECT_EQ(get_int(all, "max_steps"), 3);
  EXPECT_EQ(find_ids(all, "source_ids")->front(), "7");
}

TEST(Spec, RefusesWithTheRangeAndTheValue) {
  EXPECT_EQ(refused({{"damping", -0.5}}), "damping: expected a number in [0, 1), found -0.5. Choose another damping.");
  EXPECT_EQ(refused({{"damping", 1.0}}), "damping: expected a number in [0, 1), found 1. Choose another damping.");
  EXPECT_EQ(refused({{"damping", std::nan("")}}),
            "damping: expected a number in [0, 1), found nan. Choose another damping.");
  EXPECT_EQ(refused({{"max_steps", int64_t{-1}}}),
            "max_steps: expected a whole number of at least 0, found -1. Choose another max_steps.");
  EXPECT_EQ(refused({{"max_steps", 2.5}}),
            "max_steps: expected a whole number of at least 0, found 2.5. Choose another max_steps.");
  EXPECT_EQ(refused({{"max_steps", INFINITY}}),
            "max_steps: expected a whole number of at least 0, found inf. Choose another max_steps.");
  EXPECT_EQ(refused({{"variant", "c"}}), "variant: expected one of a, b, found 'c'. Choose another variant.");
  EXPECT_EQ(refused({{"directed", "yes"}}), "directed: expected true or false, found 'yes'. Choose another directed.");
  EXPECT_EQ(refused({{"src", ""}}), "src: expected the name of a column of edges, found ''. Choose another src.");
  EXPECT_EQ(refused({{"source_ids", std::vector<std::string>()}}),
            "source_ids: expected a list of at least one id, found a list of 0. Choose another source_ids.");
}

TEST(Spec, TakesOneIdAsTextOrNumber) {
  EXPECT_EQ(get_string(validate(kSpec, {}), "home"), "7");
  EXPECT_EQ(get_string(validate(kSpec, {{"home", int64_t{-5}}}), "home"), "-5");
  EXPECT_EQ(get_string(validate(kSpec, {{"home", std::string("a, b")}}), "home"), "a, b");
  EXPECT_EQ(refused({{"home", 0.5}}), "home: expected an id, found 0.5. Choose another home.");
  EXPECT_EQ(refused({{"home", true}}), "home: expected an id, found true. Choose another home.");
  EXPECT_EQ(refused({{"home", std::vector<std::string>{"7"}}}),
            "home: expected an id, found a list of 1. Choose another home.");

  Spec required = kSpec;
  required.parameters.back().fallback = {};
  for (const Values& given : {Values{}, Values{{"home", std::monostate()}}})
    EXPECT_EQ(error_text(Exit::kArguments, [&] { (void)validate(required, given); }),
              "home: expected an id, found nothing. Name a vertex.");
  EXPECT_NE(help(required).find("--home ID"), std::string::npos);
  EXPECT_NE(help(required).find("Home. Required."), std::string::npos) << help(required);
}

TEST(Spec, TakesColumnsAsAListOrOneName) {
  using Names = std::vector<std::string>;
  Spec rows = kSpec;
  rows.parameters = {{.name = "features",
                      .kind = Kind::kColumns,
                      .fallback = Names{"features"},
                      .doc = "Features.",
                      .of = "edges",
                      .accepts = "features"}};
  EXPECT_EQ(get_columns(validate(rows, {}), "features"), Names{"features"});
  EXPECT_EQ(get_columns(validate(rows, {{"features", std::string("a, b")}}), "features"), Names{"a, b"});
  EXPECT_EQ(get_columns(validate(rows, {{"features", Names{"a", "b"}}}), "features"), (Names{"a", "b"}));
  const auto refused_names = [&](const Value& given) {
    return error_text(Exit::kArguments, [&] { (void)validate(rows, {{"features", given}}); });
  };
  EXPECT_EQ(refused_names(Names()),
            "features: expected a list of names of columns of edges, found a list of 0. Choose another features.");
  EXPECT_EQ(refused_names(Names{"a", ""}),
            "features: expected a list of names of columns of edges, found a list of 2. Choose another features.");
  EXPECT_EQ(refused_names(1.5),
            "features: expected a list of names of columns of edges, found 1.5. Choose another features.");
  EXPECT_NE(help(rows).find("--features COLUMN,..."), std::string::npos) << help(rows);
  EXPECT_NE(help(rows).find("Features. Default features."), std::string::npos) << help(rows);
  const auto json = nlohmann::json::parse(describe_json(rows));
  EXPECT_EQ(json["parameters"][0]["kind"], "columns");
  EXPECT_EQ(json["parameters"][0]["default"], nlohmann::json::parse(R"(["features"])"));
}

TEST(Spec, RefusesUnknownNamesWithTheKnownOnes) {
  EXPECT_EQ(refused({{"dampin", 0.5}}),
            "walk: expected parameters among src, weight, directed, damping, max_steps, variant, source_ids, home, "
            "found 'dampin'. Correct the name or leave it out.");
}

TEST(Spec, DescribesItself) {
  const auto json = nlohmann::json::parse(describe_json(kSpec));
  EXPECT_EQ(json["name"], "walk");
  EXPECT_EQ(json["match"], nlohmann::json::parse(R"({"rule": "epsilon", "epsilon": 1e-4})"));
  EXPECT_EQ(json["inputs"][1]["columns"], nlohmann::json::parse(R"([{"name": "id", "accepts": "id"}])"));
  const auto& damping = json["parameters"][3];
  EXPECT_EQ(damping["kind"], "double");
  EXPECT_EQ(damping["default"], 0.85);
  EXPECT_EQ(damping["max_exclusive"], true);
  EXPECT_EQ(damping["min_exclusive"], false);
  EXPECT_EQ(damping["expected"], "a number in [0, 1)");
  EXPECT_EQ(json["parameters"][4]["min"], 0);
  EXPECT_TRUE(json["parameters"][4]["max"].is_null());
  EXPECT_TRUE(json["parameters"][1]["default"].is_null());
  EXPECT_EQ(json["parameters"][1]["of"], "edges");
  EXPECT_EQ(json["parameters"][7]["kind"], "id");
  EXPECT_EQ(json["output"][1]["type"], "bigint");
  EXPECT_EQ(json["output"][0]["nullable"], false);
  EXPECT_EQ(json["output"][1]["nullable"], true);
  EXPECT_EQ(json["output"][1]["doc"], "as far as it came");
  EXPECT_EQ(json["notes"], "One step at a time.");
  EXPECT_EQ(json["refuses"], "no home");
  EXPECT_EQ(json["figures"]["longest"], "in steps");
  EXPECT_EQ(json["memory"]["dense"]["arc"], 12);
  EXPECT_EQ(json["memory"]["run"]["weight"], 8);
  EXPECT_EQ(json["memory"]["run"]["copy"], 0.5);
  EXPECT_EQ(json["memory"]["stored"]["vertex"], 0);
  EXPECT_EQ(json["memory"]["faster"]["arc"], 0);
}

TEST(Spec, HelpNamesEveryFlagAndDefault) {
  const std::string page = help(kSpec);
  EXPECT_NE(page.find("sparkgap-walk EDGES [--vertices PATH] --out DIRECTORY"), std::string::npos) << page;
  for (const auto& p : {"--max-steps N", "--damping X", "--source-ids ID,...", "--variant a|b", "--home ID",
                        "bigint or null; as far as it came", "A whole number of at least 0 steps. Default 20.",
                        "Default none.", "Notes: One step at a time.", "Polya 1921"})
    EXPECT_NE(page.find(p), std::string::npos) << p << "\n" << page;
}

}  // namespace
}  // namespace sparkgap
