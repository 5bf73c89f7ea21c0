// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "program/input_look.h"

#include <algorithm>
#include <array>

#include "ids/dense_ids.h"
#include "learn/feature_matrix.h"
#include "process/parallel.h"
#include "program/job.h"
#include "program/manifest.h"
#include "program/memory_need.h"

namespace sparkgap {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Segment> on_host(const std::vector<Segment>& segments, const std::string& host) {
  std::vector<Segment> here;
  for (const Segment& segment : segments)
    if (host.empty() || segment.host == host) here.push_back(segment);
  return here;
}

/// The columns of an input that accept this.
std::vector<ColumnRequest> columns_of(const Spec& spec, const Values& values, const InputSpec& input,
                                      const std::string& accepts) {
  std::vector<ColumnRequest> columns = requested_columns(spec, values, input);
  std::erase_if(columns, [&](const ColumnRequest& column) { return column.accepts != accepts; });
  return columns;
}

void look_at_strings(const KeyRows& rows, InputLook& look) {
  struct Part {
    IdSketch sketch;
    int64_t texts = 0, characters = 0;
    Part& operator+=(const Part& other) {
      sketch += other.sketch;
      texts += other.texts;
      characters += other.characters;
      return *this;
    }
  };
  const Part all = parallel_sum<Part>(rows.rows(), 1 << 16, [&](int64_t begin, int64_t end) {
    Part part;
    rows.texts(0, begin, end, [&](int64_t, std::string_view text) {
      part.sketch.add(text);
      ++part.texts;
      part.characters += static_cast<int64_t>(text.size());
    });
    return part;
  });
  look.texts += all.texts;
  look.characters += all.characters;
  look += InputLook{.strings = true, .sketch = all.sketch};
}

IdSketch sketch_of(const KeyRows& rows) {
  return parallel_sum<IdSketch>(rows.rows(), 1 << 16, [&](int64_t begin, int64_t end) {
    IdSketch sketch;
    rows.blocks<false>(begin, end, [&](const KeyBlock& block) {
      for (int64_t i = 0; i < block.rows; ++i) sketch.add(block.a[i]);
    });
    return sketch;
  });
}

/// All id columns of all tables: close together, or else how many there are.
InputLook look_at_ids(const Spec& spec, const Values& values, const Job& job, const std::string& host) {
  std::vector<Table> tables;
  InputLook look;
  int64_t ids = 0;
  for (const InputSpec& input : spec.inputs) {
    const auto columns = columns_of(spec, values, input, "id");
    if (columns.empty() || !job.inputs.contains(input.name)) continue;
    tables.push_back(read_table(input.name, on_host(job.inputs.at(input.name), host), columns, Share()));
    if (tables.back().rows == 0) continue;
    ids += tables.back().rows * static_cast<int64_t>(columns.size());
    for (const Type type : tables.back().types) look.strings = look.strings || type == Type::kString;
  }
  std::vector<KeyRows> columns;
  for (const Table& table : tables)
    for (size_t c = 0; c < table.types.size(); ++c) columns.emplace_back(table, std::vector{static_cast<int>(c)}, -1);
  if (look.strings) {
    for (const KeyRows& column : columns)
      if (column.strings()) look_at_strings(column, look);
    return look;
  }
  const uint64_t widest = widest_dense(spec, values, job);
  for (const KeyRows& column : columns)
    if (look.range.span() <= widest) look.range += range_of(column, widest);
  if (look.range.span() <= widest) {
    look.uncounted = std::min(ids, look.range.empty() ? 0 : static_cast<int64_t>(look.range.span()) + 1);
    return look;
  }
  look.sketch.emplace();
  for (const KeyRows& column : columns) *look.sketch += sketch_of(column);
  return look;
}

/// The length of the first row's array or vector.
int64_t first_width(const ColumnView& view) {
  if (view.is_null(0)) return 0;
  const auto length = [](const ColumnView& array) {
    const int32_t* offsets = array.offsets + array.offset;
    return int64_t{offsets[1]} - offsets[0];
  };
  if (view.type == Type::kArray) return length(view);
  if (view.type != Type::kStruct) return 1;
  // Spark's vector: its kind, which is 0 where it is sparse, its size then, indices, values.
  const auto& fields = view.children;
  return fields[0].data<int8_t>()[0] == 0 ? fields[1].data<int32_t>()[0] : length(fields[3]);
}

/// Features of the rows of a batch: an array or vector has as many as its values.
int64_t stored_in(const Batch& batch) {
  if (batch.rows == 0) return 0;
  const ColumnView& view = batch.columns[0];
  if (view.type != Type::kArray && view.type != Type::kStruct)
    return batch.rows * static_cast<int64_t>(batch.columns.size());
  const ColumnView& arrays = view.type == Type::kArray ? view : view.children[3];
  const int32_t* offsets = arrays.offsets + arrays.offset;
  return int64_t{offsets[batch.rows]} - offsets[0];
}

int64_t greatest_and_one(const Table& numbers) {
  struct Greatest {
    double number = 0;
    Greatest& operator+=(const Greatest& other) {
      number = std::max(number, other.number);
      return *this;
    }
  };
  Greatest all;
  for (const Batch& batch : numbers.batches)
    all += parallel_sum<Greatest>(batch.rows, 1 << 16, [&](int64_t begin, int64_t end) {
      constexpr int64_t kBlock = 1024;
      std::array<double, kBlock> block;
      Greatest greatest;
      for (int64_t row = begin; row < end; row += kBlock) {
        const int64_t n = std::min(kBlock, end - row);
        copy_numbers(batch.columns[0], row, n, block.data());
        for (int64_t i = 0; i < n; ++i) greatest += {block[static_cast<size_t>(i)]};
      }
      return greatest;
    });
  return static_cast<int64_t>(std::min(all.number, 4294967294.0)) + 1;
}

InputLook look_at_examples(const Spec& spec, const Values& values, const Job& job, const std::string& host) {
  InputLook look;
  const InputSpec& input = spec.inputs.at(0);
  if (!job.inputs.contains(input.name)) return look;
  std::vector<Segment> segments = on_host(job.inputs.at(input.name), host);
  std::erase_if(segments, [](const Segment& segment) { return segment.rows == 0; });
  if (segments.empty()) return look;
  const auto features = columns_of(spec, values, input, "features");
  if (features.size() == 1) {
    const Table first = read_table(input.name, {segments[0]}, features, Share());
    if (first.rows > 0) look.width = first_width(first.batches[0].columns[0]);
  } else {
    look.width = static_cast<int64_t>(features.size());
  }
  if (!features.empty())
    for (const Batch& batch : read_table(input.name, segments, features, Share()).batches)
      look.stored += stored_in(batch);
  const std::string& distinct = spec.memory.distinct;
  if (const auto column = distinct.empty() ? std::nullopt : find_string(values, distinct))
    look.distinct = greatest_and_one(read_table(input.name, segments, {{*column, "number"}}, Share()));
  return look;
}

}  // namespace

InputLook& InputLook::operator+=(const InputLook& other) {
  strings = strings || other.strings;
  range += other.range;
  uncounted += other.uncounted;
  if (other.sketch) sketch = sketch ? * sketch += *other.sketch : *other.sketch;
  texts += other.texts;
  characters += other.characters;
  width = std::max(width, other.width);
  stored += other.stored;
  distinct = std::max(distinct, other.distinct);
  return *this;
}

InputLook look_at_inputs(const Spec& spec, const Values& values, const Job& job, const std::string& host) {
  for (const InputSpec& input : spec.inputs) {
    if (!input.stored_graph || !job.inputs.contains(input.name)) continue;
    std::vector<Segment> first = on_host(job.inputs.at(input.name), host);
    first.resize(std::min<size_t>(first.size(), 1));
    return {.strings = read_table(input.name, first, {{"id", "id"}}, Share()).types[0] == Type::kString};
  }
  if (spec.memory.learning != nullptr) return look_at_examples(spec, values, job, host);
  if (spec.memory.dense.vertex > 0 || spec.memory.sparse.vertex > 0) return look_at_ids(spec, values, job, host);
  return {};
}

Json look_json(const InputLook& look) {
  return {{"strings", look.strings},
          {"low", look.range.low},
          {"high", look.range.high},
          {"uncounted", look.uncounted},
          {"sketch", look.sketch ? Json(look.sketch->text()) : Json(nullptr)},
          {"texts", look.texts},
          {"characters", look.characters},
          {"width", look.width},
          {"stored", look.stored},
          {"distinct", look.distinct}};
}

InputLook look_of(const Json& json) {
  const auto count = [&](const char* name) { return whole_number(json.at(name), 0, int64_t{1} << 56); };
  InputLook look{.strings = json.at("strings").get<bool>(),
                 .range = {whole_number(json.at("low"), INT64_MIN, INT64_MAX),
                           whole_number(json.at("high"), INT64_MIN, INT64_MAX)},
                 .uncounted = count("uncounted"),
                 .texts = count("texts"),
                 .characters = count("characters"),
                 .width = count("width"),
                 .stored = count("stored"),
                 .distinct = count("distinct")};
  if (json.at("sketch").is_null()) return look;
  look.sketch = IdSketch::of_text(json.at("sketch").get<std::string>());
  if (!look.sketch) throw Json::other_error::create(504, "expected a sketch of ids, found another text", nullptr);
  return look;
}

}  // namespace sparkgap
