// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ids/id_range.h"
#include "ids/id_sketch.h"
#include "spec/spec.h"

namespace sparkgap {

struct Job;

/// What the rows of a job's inputs say about the memory that the job needs. Looks of several hosts add up to that of
/// all rows.
struct InputLook {
  bool strings = false;                 ///< whether ids are strings
  IdRange range = {};                   ///< of integer ids; where it is too wide to be dense, of some of them
  int64_t uncounted = 0;                ///< distinct ids at most on the hosts whose ids lie close together
  std::optional<IdSketch> sketch = {};  ///< of the ids on all other hosts
  int64_t texts = 0;                    ///< string ids in all rows, and the bytes of them
  int64_t characters = 0;
  int64_t width = 0;     ///< number of features
  int64_t stored = 0;    ///< features of all rows, without the zeroes that sparse vectors leave out
  int64_t distinct = 0;  ///< of the column MemoryNeed::distinct: its greatest number and one

  InputLook& operator+=(const InputLook& other);
  int64_t distinct_at_most() const { return uncounted + (sketch ? sketch->distinct_at_most() : 0); }
};

/// Looks at the rows on one host, or at all rows if `host` is empty. It reads what the Spec's `memory` needs: ids, or
/// features' lengths and the labels, or nothing. Values are not checked.
///
/// Cost       ids that lie close together: one read of them; others and strings: also a hash of each
/// Errors     kData as read_table has
/// Parallel   all threads of this process; needs no MPI
InputLook look_at_inputs(const Spec& spec, const Values& values, const Job& job, const std::string& host);

/// A look as JSON, for the job.json of another host, and back. Throws what nlohmann throws.
nlohmann::ordered_json look_json(const InputLook& look);
InputLook look_of(const nlohmann::ordered_json& json);

}  // namespace sparkgap
