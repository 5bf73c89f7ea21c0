// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "table/segment_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "process/parallel.h"
#include "table/crc32c.h"
#include "table/segment_file.h"
#include "table/segment_metadata.h"
#include "table/segment_plan.h"

namespace sparkgap {
namespace {

// A flatbuffer as it stands in the file: marker, length, bytes, zeros so that what follows begins at a multiple of 64.
std::string framed(const std::string& flatbuffer, int64_t file_offset) {
  const auto end = file_offset + 8 + static_cast<int64_t>(flatbuffer.size());
  const int64_t padding = (kAlignment - end % kAlignment) % kAlignment;
  const int32_t prefix[2] = {-1, static_cast<int32_t>(static_cast<int64_t>(flatbuffer.size()) + padding)};
  std::string message(reinterpret_cast<const char*>(prefix), sizeof prefix);
  message += flatbuffer;
  message.append(static_cast<size_t>(padding), '\0');
  return message;
}

// What has to be made for a batch before it can be written: characters end to end, offsets of strings and arrays, bits
// of booleans and of validity, which stays empty where the batch has no nulls.
struct Prepared {
  int64_t nulls = 0;
  std::string validity;
  std::vector<int32_t> offsets;
  std::string bytes;
};

// One bit per row whose byte is not 0.
std::string bits(const uint8_t* flags, int64_t rows) {
  std::string made(static_cast<size_t>(rows + 7) / 8, '\0');
  for (int64_t i = 0; i < rows; ++i)
    if (flags[i] != 0) made[static_cast<size_t>(i / 8)] |= static_cast<char>(1 << (i % 8));
  return made;
}

Prepared prepare(const OutputColumn& column, RowRange range) {
  Prepared made;
  if (column.nullable && column.validity != nullptr) {
    const uint8_t* valid = column.validity + range.first;
    made.nulls = std::count(valid, valid + range.rows, 0);
    if (made.nulls > 0) made.validity = bits(valid, range.rows);
  }
  if (has_characters(column.type)) {
    made.bytes.reserve(static_cast<size_t>(value_bytes(column, range)));
    made.offsets.reserve(static_cast<size_t>(range.rows) + 1);
    for (int64_t i = range.first; i < range.first + range.rows; ++i) {
      made.offsets.push_back(static_cast<int32_t>(made.bytes.size()));
      made.bytes += column.strings[static_cast<size_t>(i)];
    }
    made.offsets.push_back(static_cast<int32_t>(made.bytes.size()));
  } else if (column.type == Type::kArray) {
    for (int64_t i = 0; i <= range.rows; ++i) made.offsets.push_back(static_cast<int32_t>(i * column.width));
  } else if (column.type == Type::kBool) {
    made.bytes = bits(static_cast<const uint8_t*>(column.values) + range.first, range.rows);
  }
  return made;
}

BatchPlace write_batch(const Output& output, RowRange range, SegmentFile& file) {
  struct Piece {
    const void* data;
    int64_t bytes;
  };
  std::vector<Prepared> prepared;
  prepared.reserve(output.columns.size());
  std::vector<sparkgap_node> nodes;
  std::vector<Piece> pieces;
  for (const OutputColumn& column : output.columns) {
    const Prepared& made = prepared.emplace_back(prepare(column, range));
    nodes.push_back({range.rows, made.nulls});
    pieces.push_back({made.validity.data(), static_cast<int64_t>(made.validity.size())});
    const int64_t bytes = value_bytes(column, range);
    if (has_offsets(column.type))
      pieces.push_back({made.offsets.data(), static_cast<int64_t>(made.offsets.size() * sizeof(int32_t))});
    if (column.type == Type::kArray) {
      nodes.push_back({range.rows * column.width, 0});
      pieces.push_back({nullptr, 0});  // none of the elements is null
    }
    if (has_characters(column.type) || column.type == Type::kBool)
      pieces.push_back({made.bytes.data(), static_cast<int64_t>(made.bytes.size())});
    else
      pieces.push_back(
          {static_cast<const char*>(column.values) + (range.rows == 0 ? 0 : range.first * (bytes / range.rows)),
           bytes});
  }

  std::vector<sparkgap_extent> extents;
  int64_t body = 0;
  for (const Piece& piece : pieces) {
    extents.push_back({body, piece.bytes});
    body += (piece.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  const std::string message = framed(encode_batch(range.rows, nodes, extents, body), file.size());
  const BatchPlace place{file.size(), static_cast<int64_t>(message.size()), body};
  file.append(message.data(), static_cast<int64_t>(message.size()));
  for (const Piece& piece : pieces) {
    file.append(piece.data, piece.bytes);
    file.pad_to(kAlignment);
  }
  file.flush();
  return place;
}

Segment write_segment(const Output& output, const std::vector<RowRange>& batches, const std::string& path,
                      int64_t needed_bytes, std::optional<int64_t> sealed_for = {}) {
  constexpr char kMagic[9] = "ARROW1\0";
  SegmentFile file(path, needed_bytes);
  file.append(kMagic, 8);
  const std::string schema = framed(encode_schema(output.columns), file.size());
  file.append(schema.data(), static_cast<int64_t>(schema.size()));
  file.flush();

  std::vector<BatchPlace> places;
  int64_t rows = 0;
  for (const RowRange& range : batches) {
    places.push_back(write_batch(output, range, file));
    rows += range.rows;
  }

  const std::string footer = encode_footer(output.columns, places);
  const int32_t end_of_batches[2] = {-1, 0}, footer_bytes = static_cast<int32_t>(footer.size());
  file.append(end_of_batches, sizeof end_of_batches);
  file.append(footer.data(), static_cast<int64_t>(footer.size()));
  file.append(&footer_bytes, sizeof footer_bytes);
  file.append(kMagic, 6);
  if (sealed_for) file.seal_for(*sealed_for);
  file.finish();
  return {"", path, rows, file.size(), crc32c_text(file.crc())};
}

}  // namespace

std::vector<Segment> write_segments(const Output& output, const std::string& directory, int rank,
                                    int64_t segment_bytes) {
  const auto plan = plan_segments(output, segment_bytes);
  const int64_t needed_bytes = value_bytes(output);
  std::vector<Segment> written(plan.size());
  try {
    parallel_for(static_cast<int64_t>(plan.size()), [&](int64_t n) {
      char name[64];
      std::snprintf(name, sizeof name, "/rank-%05d-%d.arrow", rank, static_cast<int>(n));
      const auto segment = static_cast<size_t>(n);
      written[segment] = write_segment(output, plan[segment], directory + name, needed_bytes);
    });
  } catch (...) {
    for (const Segment& segment : written) unlink(segment.path.c_str());  // of those that were not written: nothing
    throw;
  }
  return written;
}

Segment write_arcs(const OutputArcs& arcs, const std::string& direction, const std::string& directory, int rank) {
  Output table;
  table.rows = arcs.rows;
  table.columns = arcs.columns;
  char name[64];
  std::snprintf(name, sizeof name, "/%s-%05d.arrow", direction.c_str(), rank);
  return write_segment(table, {{0, arcs.rows}}, directory + name, value_bytes(table), arcs.vertices);
}

}  // namespace sparkgap
