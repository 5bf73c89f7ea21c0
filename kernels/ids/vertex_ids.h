// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "buffers/buffer.h"
#include "mpi/comm.h"
#include "table/table.h"

namespace sparkgap {

/// The ids of a graph's rows as the user has them: 64-bit integers, or strings that lie somewhere else.
class VertexIds {
 public:
  VertexIds() = default;
  explicit VertexIds(std::span<const int64_t> integers)
      : rows_(static_cast<int64_t>(integers.size())), integers_(integers) {}
  explicit VertexIds(std::vector<std::string_view> texts)
      : rows_(static_cast<int64_t>(texts.size())), strings_(true), texts_(std::move(texts)) {}

  int64_t rows() const { return rows_; }
  bool strings() const { return strings_; }
  std::span<const int64_t> integers() const { return integers_; }        ///< empty where ids are strings
  const std::vector<std::string_view>& texts() const { return texts_; }  ///< empty where they are integers
  /// The id as text; for messages and tests.
  std::string text(int64_t row) const {
    return strings_ ? std::string(texts_[static_cast<size_t>(row)])
                    : std::to_string(integers_[static_cast<size_t>(row)]);
  }
  /// A column of a result with these ids. Refers to what they lie in.
  OutputColumn column(const std::string& name = "id") const {
    return {name, strings_ ? Type::kString : Type::kInt64, integers_.data(), texts_};
  }

 private:
  int64_t rows_ = 0;
  bool strings_ = false;
  std::span<const int64_t> integers_;
  std::vector<std::string_view> texts_;
};

/// Vertices that a user named.
struct NamedRows {
  std::vector<int64_t> rows;  ///< those of this rank, rising
  int64_t distinct = 0;       ///< of all ranks
};

/// Finds ids, given as text. `parameter` is what the user calls the list. One pass over the ids, all threads.
/// Collective. Throws kArguments where the list is empty, kData where one is no vertex.
NamedRows find_named_rows(const VertexIds& ids, const std::vector<std::string>& wanted, const std::string& parameter,
                          Comm& comm);

}  // namespace sparkgap
