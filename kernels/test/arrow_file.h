// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace sparkgap {

/// Files that another writer makes for tests of the reader, nanoarrow's own: with nulls, aligned to 8
/// bytes.
struct ArrowColumn {
  std::string name;
  ArrowType type;
  /// Cells as text; integers and numbers are parsed. A list is one of structs of an integer, its cell their number; a
  /// struct has one integer.
  std::vector<std::optional<std::string>> cells;
  bool of_doubles = false;  ///< a list is one of doubles, its cell their texts with blanks between
};

inline void must(ArrowErrorCode status) {
  if (status != NANOARROW_OK) throw std::runtime_error("nanoarrow in a test");
}

inline void set_type(ArrowSchema* schema, ArrowType type, bool of_doubles = false) {
  if (type != NANOARROW_TYPE_STRUCT) must(ArrowSchemaSetType(schema, type));
  if (type == NANOARROW_TYPE_LIST) {
    set_type(schema->children[0], of_doubles ? NANOARROW_TYPE_DOUBLE : NANOARROW_TYPE_STRUCT);
  } else if (type == NANOARROW_TYPE_STRUCT) {
    must(ArrowSchemaSetTypeStruct(schema, 1));
    must(ArrowSchemaSetType(schema->children[0], NANOARROW_TYPE_INT64));
    must(ArrowSchemaSetName(schema->children[0], "x"));
  }
}

inline void append(ArrowArray* cells, ArrowType type, const std::string& cell, bool of_doubles = false) {
  if (type == NANOARROW_TYPE_STRING || type == NANOARROW_TYPE_LARGE_STRING) {
    must(ArrowArrayAppendString(cells, {cell.data(), static_cast<int64_t>(cell.size())}));
  } else if (type == NANOARROW_TYPE_FLOAT || type == NANOARROW_TYPE_DOUBLE) {
    must(ArrowArrayAppendDouble(cells, std::stod(cell)));
  } else if (type == NANOARROW_TYPE_LIST && of_doubles) {
    std::istringstream texts(cell);
    for (double value; texts >> value;) must(ArrowArrayAppendDouble(cells->children[0], value));
    must(ArrowArrayFinishElement(cells));
  } else if (type == NANOARROW_TYPE_LIST) {
    for (int64_t i = std::stoll(cell); i > 0; --i) append(cells->children[0], NANOARROW_TYPE_STRUCT, cell);
    must(ArrowArrayFinishElement(cells));
  } else if (type == NANOARROW_TYPE_STRUCT) {
    append(cells->children[0], NANOARROW_TYPE_INT64, cell);
    must(ArrowArrayFinishElement(cells));
  } else {
    must(ArrowArrayAppendInt(cells, std::stoll(cell)));
  }
}

/// Cuts the rows into batches of batch_rows.
inline void write_arrow_file(const std::string& path, const std::vector<ArrowColumn>& columns, size_t batch_rows) {
  nanoarrow::UniqueSchema schema;
  ArrowSchemaInit(schema.get());
  must(ArrowSchemaSetTypeStruct(schema.get(), static_cast<int64_t>(columns.size())));
  for (size_t c = 0; c < columns.size(); ++c) {
    set_type(schema->children[c], columns[c].type, columns[c].of_doubles);
    must(ArrowSchemaSetName(schema->children[c], columns[c].name.c_str()));
  }
  nanoarrow::ipc::UniqueOutputStream stream;
  must(ArrowIpcOutputStreamInitFile(stream.get(), std::fopen(path.c_str(), "wb"), 1));
  nanoarrow::ipc::UniqueWriter writer;
  must(ArrowIpcWriterInit(writer.get(), stream.get()));
  must(ArrowIpcWriterStartFile(writer.get(), nullptr));
  must(ArrowIpcWriterWriteSchema(writer.get(), schema.get(), nullptr));
  const size_t rows = columns.empty() ? 0 : columns[0].cells.size();
  for (size_t first = 0; first < rows; first += batch_rows) {
    const size_t n = std::min(batch_rows, rows - first);
    nanoarrow::UniqueArray array;
    must(ArrowArrayInitFromSchema(array.get(), schema.get(), nullptr));
    must(ArrowArrayStartAppending(array.get()));
    for (size_t c = 0; c < columns.size(); ++c)
      for (size_t i = first; i < first + n; ++i) {
        ArrowArray* cells = array->children[c];
        const auto& cell = columns[c].cells[i];
        if (cell) append(cells, columns[c].type, *cell, columns[c].of_doubles);
        else must(ArrowArrayAppendNull(cells, 1));
      }
    array->length = static_cast<int64_t>(n);
    must(ArrowArrayFinishBuildingDefault(array.get(), nullptr));
    nanoarrow::UniqueArrayView view;
    must(ArrowArrayViewInitFromSchema(view.get(), schema.get(), nullptr));
    must(ArrowArrayViewSetArray(view.get(), array.get(), nullptr));
    must(ArrowIpcWriterWriteArrayView(writer.get(), view.get(), nullptr));
  }
  must(ArrowIpcWriterWriteArrayView(writer.get(), nullptr, nullptr));
  must(ArrowIpcWriterFinalizeFile(writer.get(), nullptr));
}

}  // namespace sparkgap
