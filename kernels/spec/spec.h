// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sparkgap {

/// The type of a parameter. kColumn: the name of a column of the input `of`; kColumns: a list of such names. kId: one
/// vertex id, as text, required unless it has a default. kIds: a list of vertex ids, each as text.
enum class Kind { kBool, kInt, kDouble, kChoice, kColumn, kColumns, kId, kIds };

/// A value; monostate: the caller gave none and there is no default.
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
  /// kColumn, kColumns: the types that the column may have, never with nulls. "id": any integer or string, the same in
  /// all columns of ids. "key": any integer or string. "number": any integer, float32 or float64. "features": columns
  /// of numbers, or one column of arrays of numbers or of vectors.
  std::string accepts = "";
};

struct InputSpec {
  std::string name;  ///< also the name of the SQL argument that takes the table
  bool required;
  std::string doc;
  /// Columns with fixed names and what they accept: {"id", "id"} is a column "id" of ids. kColumn and kColumns
  /// parameters name further columns.
  std::vector<std::pair<std::string, std::string>> columns = {};
  bool stored_graph = false;  ///< a stored graph by name; it replaces all inputs before it
};

struct OutputField {
  std::string name;
  std::string type;       ///< "bigint", "double", …; "id": string if any id or key of the input is one, else bigint
  bool nullable = false;  ///< null for some parameters
  std::string doc = "";   ///< unit or range, in one sentence; the ids of a graph need none
};

/// Bytes per unit; the name of a field is the unit.
struct MemoryUse {
  double arc = 0;        ///< per arc; a directed edge is one arc, an undirected edge two
  double weight = 0;     ///< added per arc if edges have weights
  double wide = 0;       ///< added per arc if its two ends do not fit 32 bits (arcs.h)
  double sent = 0;       ///< added per arc if the job has several ranks
  double placed = 0;     ///< added per arc of a stored graph if the job has more ranks than Ghosts::kFewRanks
  double vertex = 0;     ///< per vertex
  double copy = 0;       ///< per vertex on each rank
  double thread = 0;     ///< per vertex and thread on each rank
  double sum = 0;        ///< added per vertex if edges have weights
  double text = 0;       ///< added per edge if ids are strings
  double name = 0;       ///< added per vertex if ids are strings
  double character = 0;  ///< per byte of the distinct ids if they are strings
};

/// What is known, before it runs, of a job that learns from rows.
struct LearningJob {
  double rows = 0, width = 0;  ///< width: the features of a row
  double stored = 0;           ///< features of all rows, without the zeroes that sparse vectors leave out
  double distinct = 0;         ///< of the column MemoryNeed::distinct: its greatest number and one
  int ranks = 1, threads = 1;  ///< threads of each rank
};

/// The peak memory of a run: all ranks together, with the rows of the result, without the mapped inputs. An upper
/// bound: sparkgap requests it from Spark or from the host before the run starts (kernels/README.md, Memory).
struct MemoryNeed {
  MemoryUse dense =
      {};  ///< while a graph is made from ids that lie close together; a vertex is a number in their range
  MemoryUse sparse = {};  ///< while a graph is made from any other ids
  MemoryUse run = {};     ///< after that, with the graph
  MemoryUse stored = {};  ///< on a stored graph, which is mapped
  MemoryUse faster = {};  ///< added to `run` and `stored` where there is so much; without it the kernel takes longer
  MemoryUse stored_faster = {};  ///< the same, added to `stored` alone
  MemoryUse result = {};  ///< the files of a graph that is the result; an edge counts as one arc, with its reverse
  /// A generator has no inputs: it makes factor * 2^exponent rows, and each counts as an arc. The names of these two
  /// parameters.
  std::string factor = "";
  std::string exponent = "";
  std::string times = "";  ///< the parameter whose number, or number of columns, says how many arcs a row counts as
  /// Instead of all these, a kernel that learns from rows computes its peak [bytes].
  double (*learning)(const LearningJob&, const Values&) = nullptr;
  std::string distinct = "";  ///< the parameter that names LearningJob::distinct's column, of numbers from 0 on
};

/// The declaration of a kernel. --help, --describe, the SQL procedure, the CLI verb, the Python function and the
/// conformance case are made from it.
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
  std::string notes = "";  ///< sentences: equation, effect of duplicates and directions, cost, what changes the result
  std::string refuses = "";  ///< input that it refuses beyond nulls and wrong types, in words
  std::vector<std::pair<std::string, std::string>> figures = {};  ///< figures that a run reports: name and meaning
  bool makes_graph = false;                                       ///< the result is a stored graph
  MemoryNeed memory = {};                                         ///< empty: unknown
};

/// The allowed values in words: "a number in [0, 1]", "one of a, b". Errors, --help and the docs use these words.
std::string expected(const Parameter& p);
/// Fills in defaults and checks ranges. Throws Error(kArguments), which names the parameter.
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
