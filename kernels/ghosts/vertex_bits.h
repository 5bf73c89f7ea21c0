// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "buffers/buffer.h"
#include "buffers/shared_bits.h"
#include "ghosts/ghosts.h"

namespace sparkgap {

/// A bit for each vertex that a rank knows, by place. Each rank sets those of its own vertices; share() tells them to
/// the ranks that have them as ghosts.
///
/// Cost       1/8 byte per place; share() sends as much for each ghost
class VertexBits {
 public:
  /// None is set.
  explicit VertexBits(const Ghosts& ghosts) : words_(words_for(ghosts.places())) {}

  bool has(uint32_t place) const { return has_bit(words_.data(), place); }
  /// Sets a bit that other threads may set too; whether it was this call that did.
  bool claim(uint32_t place) { return claim_bit(words_.data(), place); }
  /// Takes it back. From any thread.
  void clear(uint32_t place) { clear_bit(words_.data(), place); }
  /// Makes each ghost's bit what it is at its owner. Collective.
  void share(const Ghosts& ghosts, Comm& comm) { ghosts.bring_bits(words_.span(), comm); }

 private:
  Buffer<uint64_t> words_;
};

}  // namespace sparkgap
