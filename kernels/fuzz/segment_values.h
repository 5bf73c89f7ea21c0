// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "buffers/mapped_file.h"
#include "table/segment_reader.h"

namespace sparkgap {

/// Every value of a segment, read as kernels read them; nothing may lie outside of the file, or the process ends.
/// Columns whose offsets are refused when they are used (offsets_are_sound) are "unsound".
class SegmentValues {
 public:
  SegmentValues(const MappedFile& file, const SegmentContent& content) : file_(file), content_(content) {}

  nlohmann::json all() const {
    nlohmann::json columns = nlohmann::json::object();
    for (size_t c = 0; c < content_.columns.size(); ++c) {
      if (!content_.columns[c].type) continue;
      nlohmann::json values = nlohmann::json::array();
      bool sound = true;
      for (const SegmentBatch& batch : content_.batches) {
        sound = sound && is_sound(batch.columns[c], batch.rows);
        for (int64_t row = 0; sound && row < batch.rows; ++row) values.push_back(value(batch.columns[c], row));
      }
      columns[std::to_string(c)] = sound ? std::move(values) : nlohmann::json("unsound");
    }
    return columns;
  }

 private:
  void expect_inside(const void* p, int64_t bytes) const {
    if (!file_.holds(p, bytes)) std::abort();
  }

  bool is_sound(const ColumnView& view, int64_t rows) const {
    if (view.validity != nullptr) expect_inside(view.validity, (rows + 7) / 8);
    if (view.offsets != nullptr && rows > 0) expect_inside(view.offsets, 4 * (rows + 1));
    if (!offsets_are_sound(view, rows)) return false;
    for (const ColumnView& child : view.children)
      if (!is_sound(child, view.type == Type::kArray ? view.limit : rows)) return false;
    return true;
  }

  template <typename T>
  T number(const ColumnView& view, int64_t row) const {
    expect_inside(view.data<T>() + row, sizeof(T));
    return view.data<T>()[row];
  }

  nlohmann::json value(const ColumnView& view, int64_t row) const {
    if (view.is_null(row)) return nullptr;
    switch (view.type) {
      case Type::kBool:
        return number<uint8_t>({.values = view.values}, row / 8) >> (row % 8) & 1;
      case Type::kInt8:
        return number<int8_t>(view, row);
      case Type::kInt16:
        return number<int16_t>(view, row);
      case Type::kInt32:
      case Type::kDate32:
        return number<int32_t>(view, row);
      case Type::kInt64:
      case Type::kTimestamp:
      case Type::kTimestampNtz:
        return number<int64_t>(view, row);
      case Type::kFloat32:
        return number<uint32_t>(view, row);  // by their bits: JSON has no NaN
      case Type::kFloat64:
        return number<uint64_t>(view, row);
      case Type::kDecimal128:
        return {number<uint64_t>(view, 2 * row), number<uint64_t>(view, 2 * row + 1)};
      case Type::kString:
      case Type::kBinary: {
        nlohmann::json bytes = nlohmann::json::array();
        const std::string_view text = view.string(row);
        expect_inside(text.data(), static_cast<int64_t>(text.size()));
        for (const char c : text) bytes.push_back(static_cast<uint8_t>(c));
        return bytes;
      }
      case Type::kArray: {
        nlohmann::json elements = nlohmann::json::array();
        for (int32_t i = view.offsets[row]; i < view.offsets[row + 1]; ++i)
          elements.push_back(value(view.children[0], i));
        return elements;
      }
      case Type::kStruct: {
        nlohmann::json fields = nlohmann::json::array();
        for (const ColumnView& field : view.children) fields.push_back(value(field, row));
        return fields;
      }
    }
    return nullptr;
  }

  const MappedFile& file_;
  const SegmentContent& content_;
};

}  // namespace sparkgap
