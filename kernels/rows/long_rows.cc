// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "rows/long_rows.h"

namespace sparkgap {

Output long_rows(std::array<std::string, 2> names, size_t width, std::vector<double> matrix, const Comm& comm) {
  struct Rows {
    std::vector<int64_t> row, column;
    std::vector<double> value;
  };
  auto rows = std::make_shared<Rows>();
  if (comm.rank() == 0) rows->value = std::move(matrix);
  rows->row.resize(rows->value.size());
  rows->column.resize(rows->value.size());
  for (size_t i = 0; i < rows->value.size(); ++i) {
    rows->row[i] = static_cast<int64_t>(i / width);
    rows->column[i] = static_cast<int64_t>(i % width);
  }
  Output output;
  output.rows = static_cast<int64_t>(rows->value.size());
  output.columns = {{names[0], Type::kInt64, rows->row.data(), {}},
                    {names[1], Type::kInt64, rows->column.data(), {}},
                    {"value", Type::kFloat64, rows->value.data(), {}}};
  output.keep = rows;
  return output;
}

}  // namespace sparkgap
