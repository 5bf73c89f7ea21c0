// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sparkgap {

/// Exit status between processes (docs/program-contract.md).
enum class Exit { kDone = 0, kArguments = 2, kData = 3, kNoRoom = 4, kLost = 5, kBug = 70 };

/// A failure whose text reads "Where: expected X, found Y. Do Z." with the names that the user typed.
/// Only main ends the process; everything else throws.
class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& where, const std::string& expected, const std::string& found,
        const std::string& action)
      : std::runtime_error(where + ": expected " + expected + ", found " + found + ". " + action + "."), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

}  // namespace sparkgap
