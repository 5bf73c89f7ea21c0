// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "buffers/packed_positions.h"

#include "buffers/shared_bits.h"

namespace sparkgap {
namespace {

/// Appends what each position lies above the one before.
class Gaps {
 public:
  explicit Gaps(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  void add(uint32_t position) { put_number(position - before_, bytes_), before_ = position; }

 private:
  std::vector<uint8_t>& bytes_;
  uint32_t before_ = 0;
};

}  // namespace

PackedPositions::Form PackedPositions::form_of(size_t count) const {
  constexpr size_t kLongGap = 128;
  if (count == static_cast<size_t>(bound_)) return Form::kAll;
  return count + static_cast<size_t>(bound_) / kLongGap >= bytes_of_bits() ? Form::kBits : Form::kGaps;
}

PackedPositions::Form PackedPositions::take_form(const uint8_t*& at, size_t& count) const {
  count = take_number(at);
  return form_of(count);
}

void PackedPositions::pack(std::span<const uint32_t> positions, std::vector<uint8_t>& bytes) {
  if (positions.empty()) return;
  constexpr size_t kFewOfBits = 256;
  if (form_of(positions.size()) == Form::kGaps) {
    const bool rise = std::is_sorted(positions.begin(), positions.end());
    if (rise || positions.size() < static_cast<size_t>(bound_) / kFewOfBits) {
      if (!rise) {
        sorted_.assign(positions.begin(), positions.end());
        std::sort(sorted_.begin(), sorted_.end());
        positions = sorted_;
      }
      put_number(positions.size(), bytes);
      Gaps gaps(bytes);
      for (const uint32_t position : positions) gaps.add(position);
      return;
    }
  }
  bits_.assign(words_for(bound_), 0);
  for (const uint32_t position : positions) bits_[position / 64] |= uint64_t{1} << position % 64;
  pack_bits(bits_, bytes);
}

void PackedPositions::pack_bits(std::span<const uint64_t> bits, std::vector<uint8_t>& bytes) const {
  size_t count = 0;
  for (const uint64_t word : bits) count += static_cast<size_t>(std::popcount(word));
  if (count == 0) return;
  put_number(count, bytes);
  const Form form = form_of(count);
  if (form == Form::kBits) {
    const auto* const from = reinterpret_cast<const uint8_t*>(bits.data());
    bytes.insert(bytes.end(), from, from + bytes_of_bits());
  }
  Gaps gaps(bytes);
  for (size_t i = 0; form == Form::kGaps && i < bits.size(); ++i)
    for (uint64_t word = bits[i]; word != 0; word &= word - 1)
      gaps.add(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(word)));
}

std::span<const uint8_t> PackedPositions::after(std::span<const uint8_t> bytes) const {
  if (bytes.empty()) return bytes;
  const uint8_t* at = bytes.data();
  size_t count = 0;
  const Form form = take_form(at, count);
  if (form == Form::kBits) at += bytes_of_bits();
  for (size_t i = 0; form == Form::kGaps && i < count; ++i) take_number(at);
  return bytes.subspan(static_cast<size_t>(at - bytes.data()));
}

}  // namespace sparkgap
