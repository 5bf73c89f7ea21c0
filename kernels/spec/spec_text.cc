// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
//
// A Spec as people read it (--help) and as programs read it (--describe).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/spec.h"

namespace sparkgap {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int";
    case Kind::kDouble:
      return "double";
    case Kind::kChoice:
      return "choice";
    case Kind::kColumn:
      return "column";
    case Kind::kColumns:
      return "columns";
    case Kind::kId:
      return "id";
    default:
      return "ids";
  }
}

Json json_of(const Value& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) return nullptr;
        else return v;
      },
      value);
}

Json json_of(const MemoryUse& use) {
  return {{"arc", use.arc},       {"weight", use.weight}, {"wide", use.wide}, {"sent", use.sent},
          {"placed", use.placed}, {"vertex", use.vertex}, {"copy", use.copy}, {"thread", use.thread},
          {"sum", use.sum},       {"text", use.text},     {"name", use.name}, {"character", use.character}};
}

Json bound(Kind kind, double limit) {
  if (std::abs(limit) >= 1e308 || (kind != Kind::kInt && kind != Kind::kDouble)) return nullptr;
  if (kind == Kind::kInt) return static_cast<int64_t>(limit);
  return limit;
}

std::string flag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

std::string line(const std::string& left, const std::string& right) {
  const std::string start = "  " + left;
  return start + (start.size() < 28 ? std::string(28 - start.size(), ' ') : "\n" + std::string(28, ' ')) + right + "\n";
}

std::string joined(const Json& words) {
  std::string all;
  for (const Json& word : words) all += (all.empty() ? "" : ",") + word.get<std::string>();
  return all;
}

std::string placeholder(const Parameter& p) {
  switch (p.kind) {
    case Kind::kBool:
      return "true|false";
    case Kind::kInt:
      return "N";
    case Kind::kDouble:
      return "X";
    case Kind::kColumn:
      return "COLUMN";
    case Kind::kColumns:
      return "COLUMN,...";
    case Kind::kId:
      return "ID";
    case Kind::kIds:
      return "ID,...";
    default:
      break;
  }
  std::string all;
  for (const auto& choice : p.choices) all += (all.empty() ? "" : "|") + choice;
  return all;
}

}  // namespace

std::string help(const Spec& spec) {
  std::string out = "sparkgap-" + spec.name + ": " + spec.summary + "\n\nUsage: sparkgap-" + spec.name;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    std::string word = spec.inputs[i].name;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string use = i == 0 ? word : flag(spec.inputs[i].name) + " PATH";
    out += spec.inputs[i].required ? " " + use : " [" + use + "]";
  }
  out += " --out DIRECTORY [options]\n\nInputs (a manifest .json, an .arrow file or a folder of .arrow files)\n";
  for (const InputSpec& input : spec.inputs) out += line(input.name + (input.required ? "" : " (optional)"), input.doc);
  if (spec.inputs.empty()) out += "  none\n";
  out += "\nParameters\n";
  for (const Parameter& p : spec.parameters) {
    std::string right = p.doc;
    if (!bound(p.kind, p.min).is_null() || !bound(p.kind, p.max).is_null()) {
      std::string words = expected(p);
      words[0] = 'A';
      right += " " + words + (p.unit.empty() ? "" : " " + p.unit) + ".";
    }
    const Json fallback = json_of(p.fallback);
    if (p.kind == Kind::kId && fallback.is_null()) right += " Required.";
    else
      right += " Default " +
               (fallback.is_null()     ? "none"
                : fallback.is_string() ? fallback.get<std::string>()
                : fallback.is_array()  ? joined(fallback)
                                       : fallback.dump()) +
               ".";
    out += line(flag(p.name) + " " + placeholder(p), right);
  }
  out += "\nRunning\n";
  out += line("--out DIRECTORY", "Where the segments and the manifest " + spec.name + ".json go; made if missing.");
  out += line("--threads N", "Threads per rank. Default: the processors that this process may use.");
  out += line("--verify true|false", "Check the checksums of the inputs first. Default false.");
  out += line("--segment-bytes N", "Size at which the next output file begins. Default 268435456.");
  out += line("--describe", "Print all of this as JSON.");
  out += line("--help", "Print this page.");
  out += "\nOutput columns\n";
  for (const OutputField& field : spec.output)
    out += line(field.name, (field.type == "id" ? "bigint, or string where the ids are strings"
                                                : field.type + (field.nullable ? " or null" : "")) +
                                (field.doc.empty() ? "" : "; " + field.doc));
  if (!spec.notes.empty()) out += "\nNotes: " + spec.notes + "\n";
  out += "\nSource: " + spec.source + "\n";
  return out;
}

std::string describe_json(const Spec& spec) {
  Json inputs = Json::array(), parameters = Json::array(), output = Json::array(), figures = Json::object();
  for (const auto& [name, doc] : spec.figures) figures[name] = doc;
  for (const InputSpec& input : spec.inputs) {
    Json columns = Json::array();
    for (const auto& [name, accepts] : input.columns) columns.push_back({{"name", name}, {"accepts", accepts}});
    inputs.push_back({{"name", input.name},
                      {"required", input.required},
                      {"doc", input.doc},
                      {"columns", columns},
                      {"stored_graph", input.stored_graph}});
  }
  for (const Parameter& p : spec.parameters)
    parameters.push_back({{"name", p.name},
                          {"kind", kind_name(p.kind)},
                          {"default", json_of(p.fallback)},
                          {"doc", p.doc},
                          {"unit", p.unit},
                          {"min", bound(p.kind, p.min)},
                          {"max", bound(p.kind, p.max)},
                          {"min_exclusive", p.min_exclusive},
                          {"max_exclusive", p.max_exclusive},
                          {"expected", expected(p)},
                          {"choices", p.choices},
                          {"of", p.of},
                          {"accepts", p.accepts}});
  for (const OutputField& field : spec.output)
    output.push_back({{"name", field.name}, {"type", field.type}, {"nullable", field.nullable}, {"doc", field.doc}});
  return Json{{"name", spec.name},
              {"family", spec.family},
              {"summary", spec.summary},
              {"source", spec.source},
              {"notes", spec.notes},
              {"refuses", spec.refuses},
              {"figures", figures},
              {"match", {{"rule", spec.match}, {"epsilon", spec.epsilon}}},
              {"inputs", inputs},
              {"parameters", parameters},
              {"output", output},
              {"makes_graph", spec.makes_graph},
              {"memory",
               {{"dense", json_of(spec.memory.dense)},
                {"sparse", json_of(spec.memory.sparse)},
                {"run", json_of(spec.memory.run)},
                {"stored", json_of(spec.memory.stored)},
                {"faster", json_of(spec.memory.faster)},
                {"stored_faster", json_of(spec.memory.stored_faster)},
                {"result", json_of(spec.memory.result)},
                {"factor", spec.memory.factor},
                {"exponent", spec.memory.exponent},
                {"times", spec.memory.times},
                {"learning", spec.memory.learning != nullptr}}}}
      .dump(1);
}

}  // namespace sparkgap
