// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_reader.h"

#include <nanoarrow/nanoarrow_ipc.h>
#include <nanoarrow/nanoarrow.hpp>

#include <cstring>

#include "process/error.h"
#include "table/arrow_flatbuffers.h"

namespace sparkgap {
namespace {

constexpr char kMagic[] = "ARROW1";
constexpr int64_t kMagicBytes = 6;

struct Decoder : ArrowIpcDecoder {
  Decoder() {
    if (ArrowIpcDecoderInit(this) != NANOARROW_OK) throw std::bad_alloc();
  }
  ~Decoder() { ArrowIpcDecoderReset(this); }
};

class SegmentParser {
 public:
  SegmentParser(const MappedFile& file, const std::string& where) : file_(file), where_(where) {}

  SegmentContent parse() {
    check_ends();
    const ArrowBufferView whole{{file_.data()}, file_.size()};
    check(ArrowIpcDecoderVerifyFooter(&decoder_, whole, &error_));
    if (!sparkgap_footer_has_columns(file_.data() + file_.size() - kMagicBytes - 4 - decoder_.header_size_bytes))
      damaged("dictionaries, columns without types, or metadata without a key or a value");
    check(ArrowIpcDecoderDecodeFooter(&decoder_, whole, &error_));
    if (decoder_.endianness == NANOARROW_IPC_ENDIANNESS_BIG) damaged("big-endian numbers");
    if (decoder_.footer->dictionary_blocks.size_bytes > 0) damaged("dictionaries");
    // Decoding the next message frees the footer, so take out what is still needed.
    ArrowSchemaMove(&decoder_.footer->schema, schema_.get());
    const auto* first = reinterpret_cast<const ArrowIpcFileBlock*>(decoder_.footer->record_batch_blocks.data);
    const std::vector<ArrowIpcFileBlock> blocks(
        first, first + decoder_.footer->record_batch_blocks.size_bytes / static_cast<int64_t>(sizeof *first));
    read_columns();
    check(ArrowIpcDecoderSetSchema(&decoder_, schema_.get(), &error_));
    check(ArrowIpcDecoderSetEndianness(&decoder_, NANOARROW_IPC_ENDIANNESS_LITTLE));
    for (const ArrowIpcFileBlock& block : blocks) read_batch(block);
    return std::move(content_);
  }

 private:
  [[noreturn]] void damaged(const std::string& found) const {
    throw Error(Exit::kData, where_, "an uncompressed Arrow file at " + file_.path(), found,
                "Export or write the table again");
  }
  void check(ArrowErrorCode status) {
    if (status != NANOARROW_OK) damaged(error_.message[0] != '\0' ? error_.message : std::strerror(status));
  }

  // nanoarrow takes the lengths at the ends of a file and of a message as they are, so they are checked here first.
  void check_ends() const {
    if (file_.size() < 2 * kMagicBytes + 6 || std::memcmp(file_.data(), kMagic, kMagicBytes) != 0)
      damaged("other bytes at its beginning");
    const uint8_t* end = file_.data() + file_.size();
    if (std::memcmp(end - kMagicBytes, kMagic, kMagicBytes) != 0) damaged("a file cut short");
    int32_t footer_bytes;
    std::memcpy(&footer_bytes, end - kMagicBytes - 4, 4);
    if (footer_bytes <= 0 || footer_bytes > file_.size() - kMagicBytes - 4 - 8)
      damaged("a footer of " + std::to_string(footer_bytes) + " bytes");
  }

  void read_columns() {
    for (int64_t i = 0; i < schema_->n_children; ++i) content_.columns.push_back(column(*schema_->children[i]));
  }

  SegmentColumn column(const ArrowSchema& field) {
    ArrowSchemaView view;
    check(ArrowSchemaViewInit(&view, &field, &error_));
    SegmentColumn made{field.name != nullptr ? field.name : "", type_of(view), ArrowTypeString(view.type)};
    if (made.type != Type::kArray && made.type != Type::kStruct) return made;
    for (int64_t i = 0; i < field.n_children; ++i) {
      made.children.push_back(column(*field.children[i]));
      if (!made.children.back().type) made.type.reset();
    }
    return made;
  }

  static std::optional<Type> type_of(const ArrowSchemaView& view) {
    switch (view.type) {
      case NANOARROW_TYPE_BOOL:
        return Type::kBool;
      case NANOARROW_TYPE_INT8:
        return Type::kInt8;
      case NANOARROW_TYPE_INT16:
        return Type::kInt16;
      case NANOARROW_TYPE_INT32:
        return Type::kInt32;
      case NANOARROW_TYPE_INT64:
        return Type::kInt64;
      case NANOARROW_TYPE_FLOAT:
        return Type::kFloat32;
      case NANOARROW_TYPE_DOUBLE:
        return Type::kFloat64;
      case NANOARROW_TYPE_DECIMAL128:
        return Type::kDecimal128;
      case NANOARROW_TYPE_DATE32:
        return Type::kDate32;
      case NANOARROW_TYPE_TIMESTAMP:
        if (view.time_unit != NANOARROW_TIME_UNIT_MICRO) return std::nullopt;
        return view.timezone == nullptr || view.timezone[0] == '\0' ? Type::kTimestampNtz : Type::kTimestamp;
      case NANOARROW_TYPE_STRING:
        return Type::kString;
      case NANOARROW_TYPE_BINARY:
        return Type::kBinary;
      case NANOARROW_TYPE_LIST:
        return Type::kArray;
      case NANOARROW_TYPE_STRUCT:
        return Type::kStruct;
      default:
        return std::nullopt;
    }
  }

  void read_batch(const ArrowIpcFileBlock& block) {
    const int64_t header = block.metadata_length, body = block.body_length;
    if (block.offset < 0 || header < 8 || body < 0 || header > file_.size() || body > file_.size() ||
        block.offset > file_.size() - header - body)
      damaged("a batch beyond its end");
    // Batches that shared their bytes could be more than memory holds, whatever the size of the file.
    unclaimed_ -= header + body;
    if (unclaimed_ < 0) damaged("batches upon each other");
    const uint8_t* at = file_.data() + block.offset;
    int32_t marker, length;
    std::memcpy(&marker, at, 4);
    std::memcpy(&length, at + 4, 4);
    if (marker != -1 || length <= 0 || length > header - 8) damaged("no batch where the footer places one");

    const ArrowBufferView message{{at}, header};
    check(ArrowIpcDecoderVerifyHeader(&decoder_, message, &error_));
    if (!sparkgap_is_record_batch(at + 8, body)) damaged("no sound batch where the footer places one");
    check(ArrowIpcDecoderDecodeHeader(&decoder_, message, &error_));
    if (decoder_.codec != NANOARROW_IPC_COMPRESSION_TYPE_NONE) damaged("compressed buffers");
    ArrowArrayView* root = nullptr;
    check(ArrowIpcDecoderDecodeArrayView(&decoder_, {{at + header}, body}, -1, &root, &error_));
    // Whatever is read has a bit per row at least: no sum or product of lengths is beyond 64 bits from here on.
    most_rows_ = 8 * body;
    check_length(root->length);

    SegmentBatch batch;
    batch.rows = root->length;
    for (int64_t i = 0; i < root->n_children; ++i) {
      const SegmentColumn& column = content_.columns[static_cast<size_t>(i)];
      batch.columns.push_back(column.type ? view_of(*root->children[i], column, batch.rows) : ColumnView());
    }
    content_.rows += batch.rows;
    content_.batches.push_back(std::move(batch));
  }

  void check_length(int64_t rows) const {
    if (rows < 0 || rows > most_rows_)
      damaged("a batch of " + std::to_string(rows) + " rows in " + std::to_string(most_rows_ / 8) + " bytes");
  }

  ColumnView view_of(const ArrowArrayView& array, const SegmentColumn& column, int64_t rows) {
    if (array.length != rows) damaged("columns of unequal length");
    if (array.null_count < -1 || array.null_count > rows)
      damaged(std::to_string(array.null_count) + " nulls in " + std::to_string(rows) + " rows");
    ColumnView view;
    view.type = *column.type;
    view.validity = validity(array, column);
    if (view.type == Type::kStruct) {
      for (int64_t i = 0; i < array.n_children; ++i)
        view.children.push_back(view_of(*array.children[i], column.children[static_cast<size_t>(i)], rows));
      return view;
    }
    const bool characters = view.type == Type::kString || view.type == Type::kBinary;
    if (characters || view.type == Type::kArray) {
      // A batch without rows may have no offsets at all.
      view.offsets = static_cast<const int32_t*>(buffer(array.buffer_views[1], rows == 0 ? 0 : (rows + 1) * 4, column));
    }
    if (view.type == Type::kArray) {
      view.limit = array.children[0]->length;
      check_length(view.limit);
      view.children.push_back(view_of(*array.children[0], column.children[0], view.limit));
      return view;
    }
    const ArrowBufferView& values = array.buffer_views[characters ? 2 : 1];
    const int64_t bits = array.layout.element_size_bits[1];
    view.values = buffer(values, characters ? 0 : (rows * bits + 7) / 8, column);
    view.limit = characters ? values.size_bytes : 0;
    view.bytes = values.size_bytes;
    return view;
  }

  const uint8_t* validity(const ArrowArrayView& array, const SegmentColumn& column) const {
    const ArrowBufferView& bits = array.buffer_views[0];
    if (array.null_count == 0 || (array.null_count < 0 && bits.size_bytes == 0)) return nullptr;
    return static_cast<const uint8_t*>(buffer(bits, array.length / 8 + (array.length % 8 != 0), column));
  }

  const void* buffer(const ArrowBufferView& view, int64_t needed, const SegmentColumn& column) const {
    if (view.size_bytes == 0 && needed == 0)
      return file_.data();  // never read, but a pointer into the file all the same
    if (view.size_bytes < needed || !file_.holds(view.data.data, view.size_bytes))
      damaged("a buffer of column '" + column.name + "' that is too short or lies outside");
    if (reinterpret_cast<uintptr_t>(view.data.data) % 8 != 0)
      damaged("a buffer of column '" + column.name + "' that is not aligned to 8 bytes");
    return view.data.data;
  }

  const MappedFile& file_;
  const std::string& where_;
  nanoarrow::UniqueSchema schema_;
  Decoder decoder_;
  ArrowError error_{};
  int64_t unclaimed_ = file_.size();  ///< bytes of the file that no batch has yet
  int64_t most_rows_ = 0;             ///< that the batch at hand can hold
  SegmentContent content_;
};

}  // namespace

SegmentContent read_segment(const MappedFile& file, const std::string& where) {
  return SegmentParser(file, where).parse();
}

bool offsets_are_sound(const ColumnView& column, int64_t rows) {
  if (rows == 0) return true;
  if (column.type == Type::kStruct) {
    bool sound = true;
    for (const ColumnView& field : column.children) sound &= offsets_are_sound(field, rows);
    return sound;
  }
  if (column.offsets == nullptr) return true;
  const int32_t* offsets = column.offsets + column.offset;
  bool sound = offsets[0] >= 0 && offsets[rows] <= column.limit;
  int descents = 0;
  for (int64_t i = 0; i < rows; ++i) descents |= offsets[i] > offsets[i + 1];
  return sound && descents == 0;
}

}  // namespace sparkgap
