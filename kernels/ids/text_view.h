// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sparkgap {

/// A string in 24 bytes: up to 20 characters inline, or the address of a longer one. Comparing the short strings that
/// ids mostly are then touches no other memory, where a view of the mapped table would miss the caches on every look.
class TextView {
 public:
  TextView() = default;
  explicit TextView(std::string_view text) : length_(static_cast<uint32_t>(text.size())) {
    if (length_ <= kInline) {
      std::copy_n(text.data(), length_, inline_);  // not memcpy: an empty text may be nowhere
    } else {
      const char* at = text.data();
      std::memcpy(inline_, &at, sizeof at);
    }
  }
  std::string_view view() const {
    if (length_ <= kInline) return {inline_, length_};
    const char* at;
    std::memcpy(&at, inline_, sizeof at);
    return {at, length_};
  }
  friend bool operator==(const TextView& a, const TextView& b) {
    if (std::memcmp(&a, &b, sizeof a) == 0) return true;  // same length and, inline, same characters padded with zeros
    return a.length_ > kInline && a.length_ == b.length_ && a.view() == b.view();
  }

 private:
  static constexpr uint32_t kInline = 20;
  uint32_t length_ = 0;
  char inline_[kInline] = {};
};

}  // namespace sparkgap
