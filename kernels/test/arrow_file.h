// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace sparkgap {

/// Files of somebody else's making for tests of the reader: written by nanoarrow's own writer, with nulls, aligned to 8 bytes.
struct ArrowColumn {
  std::string name;
  ArrowType type;
  /// Cells as text; integers and numbers are parsed.
  std::vector<std::optional<std::string>> cells;
};

inline void must(ArrowErrorCode status) {
  if (status != NANOARROW_OK) throw std::runtime_error("nanoarrow in a test");
}

/// Cuts the rows into batches of batch_rows.
inline void write_arrow_file(const std::string& path, const std::vector<ArrowColumn>& columns, size_t batch_rows) {
  nanoarrow::UniqueSchema schema;
  ArrowSchemaInit(schema.get());
  must(ArrowSchemaSetTypeStruct(schema.get(), static_cast<int64_t>(columns.size())));
  for (size_t c = 0; c < columns.size(); ++c) {
    must(ArrowSchemaSetType(schema->children[c], columns[c].type));
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
        const bool characters = columns[c].type == NANOARROW_TYPE_STRING || columns[c].type == NANOARROW_TYPE_LARGE_STRING;
        const bool floating = columns[c].type == NANOARROW_TYPE_FLOAT || columns[c].type == NANOARROW_TYPE_DOUBLE;
        if (!cell) must(ArrowArrayAppendNull(cells, 1));
        else if (characters) must(ArrowArrayAppendString(cells, {cell->data(), static_cast<int64_t>(cell->size())}));
        else if (floating) must(ArrowArrayAppendDouble(cells, std::stod(*cell)));
        else must(ArrowArrayAppendInt(cells, std::stoll(*cell)));
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
