// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_metadata.h"

#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace sparkgap {
namespace {

void check(ArrowErrorCode status) {
  if (status == ENOMEM) throw std::bad_alloc();
  if (status != NANOARROW_OK) throw std::logic_error(std::string("Arrow metadata: ") + std::strerror(status));
}

void set_type(ArrowSchema* field, Type type) {
  switch (type) {
    case Type::kArray:
      check(ArrowSchemaSetType(field, NANOARROW_TYPE_LIST));
      field->children[0]->flags = 0;
      return check(ArrowSchemaSetType(field->children[0], NANOARROW_TYPE_DOUBLE));
    case Type::kBool:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_BOOL));
    case Type::kInt8:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_INT8));
    case Type::kInt16:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_INT16));
    case Type::kInt32:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_INT32));
    case Type::kInt64:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_INT64));
    case Type::kFloat32:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_FLOAT));
    case Type::kFloat64:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_DOUBLE));
    case Type::kDate32:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_DATE32));
    case Type::kTimestamp:
      return check(ArrowSchemaSetTypeDateTime(field, NANOARROW_TYPE_TIMESTAMP, NANOARROW_TIME_UNIT_MICRO, "UTC"));
    case Type::kTimestampNtz:
      return check(ArrowSchemaSetTypeDateTime(field, NANOARROW_TYPE_TIMESTAMP, NANOARROW_TIME_UNIT_MICRO, nullptr));
    case Type::kString:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_STRING));
    case Type::kBinary:
      return check(ArrowSchemaSetType(field, NANOARROW_TYPE_BINARY));
    case Type::kDecimal128:
    case Type::kStruct:
      break;
  }
  throw std::logic_error("no kernel writes " + type_name(type));
}

void set_schema(ArrowSchema* schema, const std::vector<OutputColumn>& columns) {
  ArrowSchemaInit(schema);
  check(ArrowSchemaSetTypeStruct(schema, static_cast<int64_t>(columns.size())));
  for (size_t i = 0; i < columns.size(); ++i) {
    set_type(schema->children[i], columns[i].type);
    check(ArrowSchemaSetName(schema->children[i], columns[i].name.c_str()));
    schema->children[i]->flags = columns[i].nullable ? ARROW_FLAG_NULLABLE : 0;
  }
}

std::string finish(ArrowIpcEncoder* encoder) {
  nanoarrow::UniqueBuffer buffer;
  check(ArrowIpcEncoderFinalizeBuffer(encoder, /*encapsulate=*/0, buffer.get()));
  return {reinterpret_cast<const char*>(buffer->data), static_cast<size_t>(buffer->size_bytes)};
}

}  // namespace

std::string encode_schema(const std::vector<OutputColumn>& columns) {
  nanoarrow::UniqueSchema schema;
  set_schema(schema.get(), columns);
  nanoarrow::ipc::UniqueEncoder encoder;
  check(ArrowIpcEncoderInit(encoder.get()));
  check(ArrowIpcEncoderEncodeSchema(encoder.get(), schema.get(), nullptr));
  return finish(encoder.get());
}

std::string encode_batch(int64_t rows, const std::vector<sparkgap_node>& nodes,
                         const std::vector<sparkgap_extent>& buffers, int64_t body_bytes) {
  size_t size = 0;
  void* message =
      sparkgap_encode_record_batch(rows, nodes.data(), nodes.size(), buffers.data(), buffers.size(), body_bytes, &size);
  if (message == nullptr) throw std::bad_alloc();
  std::string bytes(static_cast<const char*>(message), size);
  std::free(message);
  return bytes;
}

std::string encode_footer(const std::vector<OutputColumn>& columns, const std::vector<BatchPlace>& batches) {
  nanoarrow::ipc::UniqueFooter footer;
  ArrowIpcFooterInit(footer.get());
  set_schema(&footer->schema, columns);
  for (const BatchPlace& batch : batches) {
    const ArrowIpcFileBlock block{batch.offset, static_cast<int32_t>(batch.message_bytes), batch.body_bytes};
    check(ArrowBufferAppend(&footer->record_batch_blocks, &block, sizeof block));
  }
  nanoarrow::ipc::UniqueEncoder encoder;
  check(ArrowIpcEncoderInit(encoder.get()));
  check(ArrowIpcEncoderEncodeFooter(encoder.get(), footer.get(), nullptr));
  return finish(encoder.get());
}

}  // namespace sparkgap
