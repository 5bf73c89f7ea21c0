// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/comm.h"

namespace sparkgap {

/// Column types of store/FORMAT.md. Arrays and structs are read, never written.
enum class Type {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kDecimal128,
  kDate32,
  kTimestamp,
  kTimestampNtz,
  kString,
  kBinary,
  kArray,
  kStruct
};

/// Spark's DDL name, e.g. "bigint".
std::string type_name(Type type);
inline bool is_integer(Type t) {
  return t == Type::kInt8 || t == Type::kInt16 || t == Type::kInt32 || t == Type::kInt64;
}
/// Whether segments of one column may have these types: an export is as narrow as the values of each segment allow.
inline bool may_stand_together(Type a, Type b) { return a == b || (is_integer(a) && is_integer(b)); }

/// One column of one batch, in place in the mapped file. Row i of the view is row `offset + i` of the buffers.
struct ColumnView {
  Type type = Type::kInt64;
  const void* values = nullptr;       ///< fixed width: the values; strings: the characters
  const int32_t* offsets = nullptr;   ///< strings, binary and arrays only, indexed like rows, one more than rows
  const uint8_t* validity = nullptr;  ///< bitmap, bit set = not null; nullptr = no nulls
  int64_t offset = 0;                 ///< first row of this view in the buffers
  int64_t limit = 0;                  ///< where offsets are: how many characters or elements there are
  int64_t bytes = 0;                  ///< length of values
  std::vector<ColumnView> children =
      {};  ///< arrays: the elements, one view into which offsets lead; structs: the fields, of the same rows

  template <typename T>
  const T* data() const {
    return static_cast<const T*>(values) + offset;
  }
  bool is_null(int64_t row) const {
    const int64_t bit = offset + row;
    return validity != nullptr && ((validity[bit >> 3] >> (bit & 7)) & 1) == 0;
  }
  std::string_view string(int64_t row) const {
    const int32_t* o = offsets + offset + row;
    return {static_cast<const char*>(values) + o[0], static_cast<size_t>(o[1] - o[0])};
  }
};

class MappedFile;

/// Consecutive rows, the asked columns in the asked order.
struct Batch {
  int64_t rows = 0;
  std::vector<ColumnView> columns = {};
  const MappedFile* file = nullptr;  ///< which the columns lie in; nullptr where in memory
  std::string crc32c = {};           ///< of the file, by the manifest; empty where that is not known
};

struct StoredGraph;

/// The rows of one input that belong to this rank. Views stay valid as long as the Table lives; nothing is copied.
struct Table {
  std::string name;                       ///< as in the Spec, e.g. "edges"
  std::vector<std::string> column_names;  ///< as the user typed them, same order as Batch::columns
  std::vector<Type> types;                ///< of integers the widest; each view says its own
  std::vector<Batch> batches = {};        ///< none empty
  int64_t rows = 0;                       ///< of this rank
  int64_t rows_global = 0;                ///< of all ranks
  int64_t mapped_bytes = 0;
  std::shared_ptr<void> mapping = {};  ///< keeps the files mapped
  std::shared_ptr<const StoredGraph> graph =
      {};  ///< what a stored graph has beside its vertices (stored_graph.h); else nullptr
};

/// One column of a result: this rank's rows. Owned by the kernel's result, copied once, into the file.
struct OutputColumn {
  std::string name;
  Type type = Type::kInt64;
  const void* values = nullptr;           ///< fixed width: rows values; strings: nullptr
  std::vector<std::string_view> strings;  ///< strings only, one per row
  bool nullable = false;                  ///< the same on every rank
  const uint8_t* validity = nullptr;  ///< one byte per row, 0 = null, where nullable; nullptr: this rank has no nulls
  int64_t width = 0;                  ///< kArray only: doubles per row, row after row in values
};

/// The arcs that a result has where it is a graph: each direction a table of its own, by the vertices in the rows'
/// order.
struct OutputArcs {
  int64_t rows = 0;
  int64_t vertices = 0;  ///< of all ranks: every number is below
  std::vector<OutputColumn> columns;
};
struct OutputGraph {
  bool directed = true, weighted = false;
  OutputArcs in, out;  ///< without direction `out` is empty: it is the same as `in`
};

struct Output {
  int64_t rows = 0;
  std::vector<OutputColumn> columns;
  std::shared_ptr<void> keep;        ///< what the columns point into
  std::optional<OutputGraph> graph;  ///< where the result is a graph; then the rows are its vertices
  int64_t iterations = 0;
  std::optional<bool> converged = true;  ///< false where the iterations ended before what the kernel or a tolerance
                                         ///< asks for was reached; none where nothing was asked for
  double residual = 0;
  std::map<std::string, std::vector<double>> figures =
      {};  ///< what else the run says of itself, e.g. "objective"; rank 0's count
  double build_s = 0, compute_s = 0;
  Traffic built = {};  ///< what this rank had sent when build_s had passed
};

}  // namespace sparkgap
