// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "spec/spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "process/error.h"

namespace sparkgap {
namespace {

std::string text(double number) {
  if (std::trunc(number) == number && std::abs(number) < 1e15) return std::to_string(static_cast<int64_t>(number));
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string text(const Value& value) {
  struct Text {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return text(d); }
    std::string operator()(const std::string& s) const { return "'" + s + "'"; }
    std::string operator()(const std::vector<std::string>& list) const {
      return "a list of " + std::to_string(list.size());
    }
  };
  return std::visit(Text(), value);
}

// The range as people read it: " above 0", " in [0, 1]".
std::string range(const Parameter& p) {
  const bool low = p.min > -1e308, high = p.max < 1e308;
  if (low && high)
    return " in " + std::string(p.min_exclusive ? "(" : "[") + text(p.min) + ", " + text(p.max) +
           (p.max_exclusive ? ")" : "]");
  if (low) return (p.min_exclusive ? " above " : " of at least ") + text(p.min);
  if (high) return (p.max_exclusive ? " below " : " of at most ") + text(p.max);
  return "";
}

[[noreturn]] void refuse(const Parameter& p, const Value& found) {
  throw Error(Exit::kArguments, p.name, expected(p), text(found), "Choose another " + p.name);
}

void check_range(const Parameter& p, double number, const Value& found) {
  const bool above = p.min_exclusive ? number > p.min : number >= p.min;
  const bool below = p.max_exclusive ? number < p.max : number <= p.max;
  if (!above || !below || std::isinf(number)) refuse(p, found);  // neither holds for NaN
}

Value checked(const Parameter& p, const Value& given) {
  switch (p.kind) {
    case Kind::kBool:
      if (!std::holds_alternative<bool>(given)) refuse(p, given);
      return given;
    case Kind::kInt: {
      Value value = given;
      const auto* number = std::get_if<double>(&given);  // 20.0 is a whole number too
      if (number != nullptr && std::trunc(*number) == *number && std::abs(*number) < 9e15)
        value = static_cast<int64_t>(*number);
      if (!std::holds_alternative<int64_t>(value)) refuse(p, given);
      check_range(p, static_cast<double>(std::get<int64_t>(value)), given);
      return value;
    }
    case Kind::kDouble: {
      Value value = given;
      if (const auto* whole = std::get_if<int64_t>(&given)) value = static_cast<double>(*whole);
      if (!std::holds_alternative<double>(value)) refuse(p, given);
      check_range(p, std::get<double>(value), given);
      return value;
    }
    case Kind::kChoice: {
      const auto* word = std::get_if<std::string>(&given);
      if (word == nullptr || std::find(p.choices.begin(), p.choices.end(), *word) == p.choices.end()) refuse(p, given);
      return given;
    }
    case Kind::kColumn:
      if (!std::holds_alternative<std::string>(given) || std::get<std::string>(given).empty()) refuse(p, given);
      return given;
    case Kind::kColumns: {
      const auto* one = std::get_if<std::string>(&given);
      const Value value = one == nullptr ? given : Value(std::vector{*one});
      const auto* names = std::get_if<std::vector<std::string>>(&value);
      if (names == nullptr || names->empty() ||
          std::any_of(names->begin(), names->end(), [](const std::string& name) { return name.empty(); }))
        refuse(p, given);
      return value;
    }
    case Kind::kId:
      if (const auto* whole = std::get_if<int64_t>(&given)) return std::to_string(*whole);
      if (!std::holds_alternative<std::string>(given)) refuse(p, given);
      return given;
    case Kind::kIds:
      if (!std::holds_alternative<std::vector<std::string>>(given) || std::get<std::vector<std::string>>(given).empty())
        refuse(p, given);
      return given;
  }
  return given;
}

// The value of a parameter that was not given.
Value absent_value(const Parameter& p) {
  if (p.kind == Kind::kId && std::holds_alternative<std::monostate>(p.fallback))
    throw Error(Exit::kArguments, p.name, expected(p), "nothing", "Name a vertex");
  return p.fallback;
}

const Value& found(const Values& v, const std::string& name) {
  const auto at = v.find(name);
  if (at == v.end()) throw std::logic_error("no parameter '" + name + "' in the Spec");
  return at->second;
}

template <typename T>
std::optional<T> find_as(const Values& v, const std::string& name) {
  const Value& value = found(v, name);
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  return std::get<T>(value);
}

}  // namespace

std::string expected(const Parameter& p) {
  switch (p.kind) {
    case Kind::kBool:
      return "true or false";
    case Kind::kInt:
      return "a whole number" + range(p);
    case Kind::kDouble:
      return "a number" + range(p);
    case Kind::kChoice:
      return "one of " + joined(p.choices);
    case Kind::kColumn:
      return "the name of a column of " + p.of;
    case Kind::kColumns:
      return "a list of names of columns of " + p.of;
    case Kind::kId:
      return "an id";
    case Kind::kIds:
      return "a list of at least one id";
  }
  return "";
}

Values validate(const Spec& spec, const Values& given) {
  std::vector<std::string> names;
  Values all;
  for (const Parameter& p : spec.parameters) {
    names.push_back(p.name);
    const auto at = given.find(p.name);
    const bool absent = at == given.end() || std::holds_alternative<std::monostate>(at->second);
    all[p.name] = absent ? absent_value(p) : checked(p, at->second);
  }
  for (const auto& [name, value] : given)
    if (all.find(name) == all.end())
      throw Error(Exit::kArguments, spec.name, "parameters among " + joined(names), "'" + name + "'",
                  "Correct the name or leave it out");
  return all;
}

bool get_bool(const Values& v, const std::string& name) { return std::get<bool>(found(v, name)); }
int64_t get_int(const Values& v, const std::string& name) { return std::get<int64_t>(found(v, name)); }
double get_double(const Values& v, const std::string& name) { return std::get<double>(found(v, name)); }
std::optional<double> find_double(const Values& v, const std::string& name) { return find_as<double>(v, name); }
std::string get_string(const Values& v, const std::string& name) { return std::get<std::string>(found(v, name)); }
std::optional<std::string> find_string(const Values& v, const std::string& name) {
  return find_as<std::string>(v, name);
}
std::optional<std::vector<std::string>> find_ids(const Values& v, const std::string& name) {
  return find_as<std::vector<std::string>>(v, name);
}
std::vector<std::string> get_columns(const Values& v, const std::string& name) {
  return std::get<std::vector<std::string>>(found(v, name));
}

}  // namespace sparkgap
