// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/table.h"

namespace sparkgap {

std::string type_name(Type type) {
  switch (type) {
    case Type::kBool:
      return "boolean";
    case Type::kInt8:
      return "tinyint";
    case Type::kInt16:
      return "smallint";
    case Type::kInt32:
      return "int";
    case Type::kInt64:
      return "bigint";
    case Type::kFloat32:
      return "float";
    case Type::kFloat64:
      return "double";
    case Type::kDecimal128:
      return "decimal";
    case Type::kDate32:
      return "date";
    case Type::kTimestamp:
      return "timestamp";
    case Type::kTimestampNtz:
      return "timestamp_ntz";
    case Type::kString:
      return "string";
    case Type::kBinary:
      return "binary";
    case Type::kArray:
      return "array";
    case Type::kStruct:
      return "struct";
  }
  return "unknown";
}

}  // namespace sparkgap
