// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "ids/id_sketch.h"

#include <algorithm>
#include <cmath>

namespace sparkgap {
namespace {

constexpr char kZero = '0';

}  // namespace

IdSketch& IdSketch::operator+=(const IdSketch& other) {
  for (size_t i = 0; i < kRegisters; ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
  return *this;
}

int64_t IdSketch::distinct_at_most() const {
  constexpr double m = kRegisters, alpha = 0.7213 / (1 + 1.079 / m);
  double sum = 0;
  for (const uint8_t rank : registers_) sum += std::ldexp(1.0, -rank);
  return static_cast<int64_t>(alpha * m * m / sum * 1.1) + 1;
}

std::string IdSketch::text() const {
  std::string text;
  for (const uint8_t rank : registers_) text += static_cast<char>(kZero + rank);
  return text;
}

std::optional<IdSketch> IdSketch::of_text(const std::string& text) {
  IdSketch sketch;
  if (text.size() != kRegisters) return std::nullopt;
  for (size_t i = 0; i < kRegisters; ++i) {
    const int rank = text[i] - kZero;
    if (rank < 0 || rank > 64 - kBits + 1) return std::nullopt;
    sketch.registers_[i] = static_cast<uint8_t>(rank);
  }
  return sketch;
}

}  // namespace sparkgap
