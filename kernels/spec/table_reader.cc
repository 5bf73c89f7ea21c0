// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "spec/table_reader.h"

#include <algorithm>

#include "process/error.h"
#include "table/crc32c.h"
#include "table/segment_reader.h"

namespace sparkgap {
namespace {

using Mappings = std::vector<std::unique_ptr<MappedFile>>;

bool is_number(Type type) { return is_integer(type) || type == Type::kFloat32 || type == Type::kFloat64; }

bool is_numbers(const SegmentColumn& column) {
  return column.type == Type::kArray && column.children[0].type && is_number(*column.children[0].type);
}

/// How Spark stores a vector: what kind it is, how long, where its values stand where it is sparse, and they.
bool is_vector(const SegmentColumn& column) {
  const auto& fields = column.children;
  return column.type == Type::kStruct && fields.size() == 4 && fields[0].type == Type::kInt8 &&
         fields[1].type == Type::kInt32 && is_numbers(fields[2]) && fields[2].children[0].type == Type::kInt32 &&
         is_numbers(fields[3]) && fields[3].children[0].type == Type::kFloat64;
}

bool accepted(const SegmentColumn& column, const std::string& accepts) {
  const bool ids = accepts == "id" || accepts == "key";
  if (is_number(*column.type)) return !ids || is_integer(*column.type);
  return ids ? column.type == Type::kString : accepts == "features" && (is_numbers(column) || is_vector(column));
}

const char* words(const std::string& accepts) {
  if (accepts == "id" || accepts == "key") return "integers or strings";
  return accepts == "features" ? "numbers (integer, float or double), arrays of numbers or vectors"
                               : "numbers (integer, float or double)";
}

void will_need(const MappedFile& file, const ColumnView& view) {
  if (view.values != nullptr) file.will_need(view.values, view.bytes);
  for (const ColumnView& child : view.children) will_need(file, child);
}

// Where each asked column stands in this file; its type is checked, and against the type that earlier segments had.
std::vector<size_t> places(const std::string& table, const std::vector<SegmentColumn>& in_file,
                           const std::vector<ColumnRequest>& asked, const std::string& path, std::vector<Type>& types) {
  std::vector<size_t> found;
  for (size_t c = 0; c < asked.size(); ++c) {
    const std::string where = table + "." + asked[c].name;
    const auto at =
        std::find_if(in_file.begin(), in_file.end(), [&](const auto& column) { return column.name == asked[c].name; });
    if (at == in_file.end()) {
      std::string names;
      for (const auto& column : in_file) names += (names.empty() ? "" : ", ") + column.name;
      throw Error(Exit::kData, where, "a column of this name",
                  in_file.empty() ? "no column at all" : "columns " + names, "Name one of the columns of " + table);
    }
    if (!at->type || !accepted(*at, asked[c].accepts))
      throw Error(Exit::kData, where, words(asked[c].accepts),
                  at->type ? type_name(*at->type) : "Arrow type " + at->arrow_type, "Cast the column or name another");
    if (types.size() == c) types.push_back(*at->type);
    if (!may_stand_together(types[c], *at->type))
      throw Error(Exit::kData, where, "one type in all segments",
                  type_name(types[c]) + " and " + type_name(*at->type) + " in " + path,
                  "Export or write the table again");
    types[c] = std::max(types[c], *at->type);
    found.push_back(static_cast<size_t>(at - in_file.begin()));
  }
  return found;
}

void check_file(const std::string& table, const Segment& segment, const MappedFile& file, bool verify) {
  const std::string repair = "Export or write the table again";
  if (segment.bytes >= 0 && segment.bytes != file.size())
    throw Error(Exit::kData, table, std::to_string(segment.bytes) + " bytes in " + segment.path,
                std::to_string(file.size()), repair);
  if (!verify || segment.crc32c.empty()) return;
  const std::string found = crc32c_text(crc32c(0, file.data(), static_cast<size_t>(file.size())));
  if (found != segment.crc32c)
    throw Error(Exit::kData, table, "CRC-32C " + segment.crc32c + " of " + segment.path, found, repair);
}

// The elements of arrays stay where they are: offsets lead to them.
void begin_at(ColumnView& view, int64_t row) {
  view.offset = row;
  if (view.type == Type::kStruct)
    for (ColumnView& field : view.children) begin_at(field, row);
}

// Adds the rows [begin, end) of one file's content to the table.
void add_rows(const SegmentContent& content, const std::vector<size_t>& place, int64_t begin, int64_t end,
              const MappedFile& file, const std::string& crc32c, Table& table) {
  int64_t first = 0;  // row of the file at which the batch begins
  for (const SegmentBatch& batch : content.batches) {
    const int64_t from = std::max(begin, first) - first, to = std::min(end, first + batch.rows) - first;
    first += batch.rows;
    if (from >= to) continue;
    Batch mine{.rows = to - from, .file = &file, .crc32c = crc32c};
    for (size_t c = 0; c < place.size(); ++c) {
      ColumnView view = batch.columns[place[c]];
      begin_at(view, from);
      if (!offsets_are_sound(view, mine.rows))
        throw Error(Exit::kData, table.name + "." + table.column_names[c], "offsets that ascend within " + file.path(),
                    "others", "Export or write the table again");
      will_need(file, view);
      mine.columns.push_back(std::move(view));
    }
    table.batches.push_back(std::move(mine));
  }
}

}  // namespace

std::vector<ColumnRequest> requested_columns(const Spec& spec, const Values& parameters, const InputSpec& input) {
  std::vector<ColumnRequest> asked;
  for (const auto& [name, accepts] : input.columns) asked.push_back({name, accepts});
  for (const Parameter& p : spec.parameters) {
    if (p.of != input.name) continue;
    if (p.kind == Kind::kColumns && parameters.at(p.name).index() != 0)
      for (const std::string& name : get_columns(parameters, p.name)) asked.push_back({name, p.accepts});
    if (p.kind == Kind::kColumn)
      if (const auto name = find_string(parameters, p.name)) asked.push_back({*name, p.accepts});
  }
  return asked;
}

int64_t total_rows(const std::string& name, const std::vector<Segment>& segments) {
  int64_t rows = 0;
  for (const Segment& segment : segments)
    if (segment.rows > 0 && __builtin_add_overflow(rows, segment.rows, &rows))
      throw Error(Exit::kData, name, "fewer than 2^63 rows", "more in its segments together",
                  "Export or write the table again");
  return rows;
}

Table read_table(const std::string& name, const std::vector<Segment>& segments,
                 const std::vector<ColumnRequest>& columns, Share share, bool verify) {
  Table table;
  table.name = name;
  for (const auto& column : columns) table.column_names.push_back(column.name);

  // Lengths first: they say which segments are ours. A segment of unknown length (a bare file) is opened for it.
  auto files = std::make_shared<Mappings>(segments.size());
  std::vector<SegmentContent> contents(segments.size());
  auto open = [&](size_t i) {
    if ((*files)[i] != nullptr) return;
    (*files)[i] = std::make_unique<MappedFile>(segments[i].path, name);
    check_file(name, segments[i], *(*files)[i], verify);
    contents[i] = read_segment(*(*files)[i], name);
    if (segments[i].rows >= 0 && segments[i].rows != contents[i].rows)
      throw Error(Exit::kData, name, std::to_string(segments[i].rows) + " rows in " + segments[i].path,
                  std::to_string(contents[i].rows), "Export or write the table again");
  };
  std::vector<Segment> known = segments;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].rows >= 0) continue;
    open(i);
    known[i].rows = contents[i].rows;
  }
  table.rows_global = total_rows(name, known);

  const int64_t begin = share.begin(table.rows_global), end = share.end(table.rows_global);
  table.rows = end - begin;
  int64_t first = 0;
  for (size_t i = 0; i < segments.size(); first += known[i].rows, ++i) {
    const bool mine = std::max(begin, first) < std::min(end, first + known[i].rows);
    if (!mine && i > 0) continue;  // the first one also tells the types where no row is ours
    open(i);
    const auto place = places(name, contents[i].columns, columns, segments[i].path, table.types);
    if (mine) add_rows(contents[i], place, begin - first, end - first, *(*files)[i], segments[i].crc32c, table);
  }
  if (segments.empty())  // no file to ask: any accepted type will do for no rows
    for (const auto& column : columns)
      table.types.push_back(column.accepts == "id" || column.accepts == "key" ? Type::kInt64 : Type::kFloat64);

  for (const auto& file : *files)
    if (file != nullptr) table.mapped_bytes += file->size();
  table.mapping = files;
  return table;
}

}  // namespace sparkgap
