// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sparkgap {

/// What a parameter holds. kColumn names a column of the input `of`, kColumns is a list of such names; kId is one
/// vertex id as text, which must be given where it has no default; kIds is a list of vertex ids, each as text.
enum class Kind { kBool, kInt, kDouble, kChoice, kColumn, kColumns, kId, kIds };

/// A value, or nothing (monostate: not given and without default).
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;
using Values = std::map<std::string, Value>;

struct Parameter {
  std::string name;  ///< snake_case, the same word everywhere
  Kind kind;
  Value fallback;   ///< the default; monostate = None
  std::string doc;  ///< one sentence
  std::string unit = "";
  double min = -1e308, max = 1e308;  ///< kInt and kDouble; NaN is never allowed
  bool min_exclusive = false, max_exclusive = false;
  std::vector<std::string> choices = {};
  std::string of = "";  ///< kColumn, kColumns: the input
  /// kColumn, kColumns: "id" (any integer or string, the same kind in all such columns), "key" (any integer or string),
  /// "number" (any integer, float32, float64) or "features" (numbers, or one column of arrays of numbers or of
  /// vectors), all without nulls.
  std::string accepts = "";
};

struct InputSpec {
  std::string name;  ///< also the name of the SQL argument that takes the table
  bool required;
  std::string doc;
  /// Columns that have fixed names, e.g. {"id", "id"} = a column "id" that accepts ids. kColumn and kColumns parameters
  /// add theirs.
  std::vector<std::pair<std::string, std::string>> columns = {};
  bool stored_graph = false;  ///< takes a graph by name instead of a table, and then stands for all inputs before it
};

struct OutputField {
  std::string name;
  std::string type;  ///< "bigint", "double", …; "id" = bigint, or string where the ids are strings, with keys where any
                     ///< of them is
  bool nullable = false;  ///< for some parameters at least
  std::string doc = "";   ///< unit or range, in one sentence; the ids of a graph need none
};

/// Bytes for each of what the names say.
struct MemoryUse {
  double arc = 0;        ///< per arc: an edge with direction is one, without it is two
  double weight = 0;     ///< more per arc where there are weights
  double sent = 0;       ///< more per arc where there are several ranks
  double vertex = 0;     ///< per vertex
  double copy = 0;       ///< per vertex on each rank
  double thread = 0;     ///< per vertex and thread on each rank
  double text = 0;       ///< more per edge where ids are strings
  double name = 0;       ///< more per vertex where ids are strings
  double character = 0;  ///< per byte of the distinct ids where they are strings
};

/// What a run takes at its peak beyond its mapped inputs, the rows of its result among it, of all ranks together.
/// Rather more than it turns out to be: whoever starts the run asks Spark or the host for so much
/// (docs/architecture.md, Memory).
struct MemoryNeed {
  MemoryUse dense = {}, sparse = {};  ///< while tables become a graph, of ids that lie close together and of others;
                                      ///< vertices are then places for ids
  MemoryUse run = {};                 ///< after that, the graph among it
  MemoryUse stored = {};              ///< the same on a stored graph, which is mapped
  std::string factor =
      "";  ///< without inputs: arcs are the rows that it makes, these two parameters' factor * 2^exponent
  std::string exponent = "";
  std::string times = "";  ///< a row counts as so many arcs: as this parameter says, or has columns
  /// What is learnt from rows has as many vertices as a model has numbers: of each feature as many as this parameter
  /// says, for "label" one for each class, for "features" one for each feature.
  std::string model = "";
};

/// The one declaration of a kernel. --help, --describe, the SQL procedure, the CLI verb, the Python function and the
/// conformance case follow from it.
struct Spec {
  std::string name;               ///< the stem
  std::string family;             ///< "graph": CALL sparkgap.graph.<name>, sparkgap.graph.<name>
  std::string summary;            ///< one sentence
  std::vector<InputSpec> inputs;  ///< the first is the main one; empty for generators
  std::vector<Parameter> parameters;
  std::vector<OutputField> output;
  std::string match;       ///< "exact", "epsilon" or "equivalence"
  double epsilon = 0;      ///< relative, for match = "epsilon"
  std::string source;      ///< papers, with "; " between them
  std::string notes = "";  ///< sentences: equation, what duplicates and directions do, cost, what the result depends on
  std::string refuses = "";  ///< what input it refuses beyond nulls and wrong types, as a list in words
  std::vector<std::pair<std::string, std::string>> figures =
      {};                    ///< what a run says of itself, by name, with the meaning
  bool makes_graph = false;  ///< the result is a graph, kept by name for later calls
  MemoryNeed memory = {};    ///< nothing: not known
};

/// What values may be, in the words of all errors, of --help and of the docs: "a number in [0, 1]", "one of a, b".
std::string expected(const Parameter& p);
/// All parameters with defaults filled in and ranges checked; throws Error(kArguments) with the parameter's name.
Values validate(const Spec& spec, const Values& given);
std::string help(const Spec& spec);
std::string describe_json(const Spec& spec);  ///< kernels/README.md gives the keys

// Typed access after validate().
bool get_bool(const Values& v, const std::string& name);
int64_t get_int(const Values& v, const std::string& name);
double get_double(const Values& v, const std::string& name);
std::optional<double> find_double(const Values& v, const std::string& name);
std::string get_string(const Values& v, const std::string& name);
std::optional<std::string> find_string(const Values& v, const std::string& name);
std::optional<std::vector<std::string>> find_ids(const Values& v, const std::string& name);
std::vector<std::string> get_columns(const Values& v, const std::string& name);

}  // namespace sparkgap
