// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/mttkrp.h"

#include <algorithm>

#include "arithmetic/wide.h"
#include "process/parallel.h"

namespace sparkgap {
namespace {

typedef double Pair __attribute__((vector_size(16), may_alias));

/// The factor of another mode, and the bits of its places in a packed entry.
struct Other {
  const Pair* rows;
  PlaceBits bits;
};

/// kPairs pairs of components, known to the compiler so that the sums stay in registers; 0: `pairs` of them, in memory.
/// kOthers other modes; 0: `others` of them.
template <int kPairs, int kOthers, typename Packed>
[[gnu::always_inline]] inline void add_entries(const TensorEntry<Packed>* begin, const TensorEntry<Packed>* end,
                                               const TensorEntry<Packed>* last, const Other* other, int64_t others,
                                               int64_t pairs, Pair* scratch, Pair* out) {
  constexpr int64_t kAhead = 24;
  const int64_t n_pairs = kPairs > 0 ? kPairs : pairs, n_others = kOthers > 0 ? kOthers : others;
  Pair own[kPairs > 0 ? kPairs : 1];
  Pair* sum = kPairs > 0 ? own : scratch;
  for (int64_t p = 0; p < n_pairs; ++p) sum[p] = Pair{};
  for (const TensorEntry<Packed>* entry = begin; entry < end; ++entry) {
    const Packed ahead = std::min(entry + kAhead, last)->at;
    const Pair* row[kOthers > 0 ? kOthers : 126];
    for (int64_t o = 0; o < n_others; ++o) {
      const char* next = reinterpret_cast<const char*>(other[o].rows + n_pairs * other[o].bits.of(ahead));
      for (int64_t byte = 0; byte < 16 * n_pairs; byte += 64) __builtin_prefetch(next + byte);
      __builtin_prefetch(next + 16 * n_pairs - 1);
      row[o] = other[o].rows + n_pairs * other[o].bits.of(entry->at);
    }
    for (int64_t p = 0; p < n_pairs; ++p) {
      Pair product = entry->value * row[0][p];
      for (int64_t o = 1; o < n_others; ++o) product *= row[o][p];
      sum[p] += product;
    }
  }
  for (int64_t p = 0; p < n_pairs; ++p) out[p] = sum[p];
}

/// One row, or a piece of one.
template <typename Packed>
struct Work {
  const TensorEntry<Packed>*entries, *last;
  const Other* other;
  int64_t others, pairs;
};

/// out row i: the entries [starts[i], starts[i + 1]), for 0 <= i < n.
template <int kPairs, int kOthers, typename Packed>
[[gnu::always_inline]] inline void add_rows(const Work<Packed>& work, const int64_t* starts, int64_t n, Pair* scratch,
                                            Pair* out) {
  for (int64_t i = 0; i < n; ++i)
    add_entries<kPairs, kOthers>(work.entries + starts[i], work.entries + starts[i + 1], work.last, work.other,
                                 work.others, work.pairs, scratch, out + i * work.pairs);
}

template <typename Packed>
[[gnu::always_inline]] inline void choose(const Work<Packed>& work, const int64_t* starts, int64_t n, Pair* scratch,
                                          Pair* out) {
  if (work.others == 2) {
    switch (work.pairs) {
      case 1:
        return add_rows<1, 2>(work, starts, n, scratch, out);
      case 2:
        return add_rows<2, 2>(work, starts, n, scratch, out);
      case 3:
        return add_rows<3, 2>(work, starts, n, scratch, out);
      case 4:
        return add_rows<4, 2>(work, starts, n, scratch, out);
      case 5:
        return add_rows<5, 2>(work, starts, n, scratch, out);
      case 6:
        return add_rows<6, 2>(work, starts, n, scratch, out);
      case 8:
        return add_rows<8, 2>(work, starts, n, scratch, out);
      default:
        return add_rows<0, 2>(work, starts, n, scratch, out);
    }
  }
  if (work.others == 3) return add_rows<0, 3>(work, starts, n, scratch, out);
  add_rows<0, 0>(work, starts, n, scratch, out);
}

SPARKGAP_WIDE void run(const Work<uint64_t>& work, const int64_t* starts, int64_t n, Pair* scratch, Pair* out) {
  choose(work, starts, n, scratch, out);
}
SPARKGAP_WIDE void run(const Work<unsigned __int128>& work, const int64_t* starts, int64_t n, Pair* scratch,
                       Pair* out) {
  choose(work, starts, n, scratch, out);
}

}  // namespace

template <typename Packed>
void mttkrp(const TensorCopy<Packed>& copy, const std::vector<PlaceBits>& layout, size_t mode,
            const std::vector<FactorMatrix>& factors, const RowChunks& chunks, const RowMark& begin, const RowMark& end,
            double* sums, Comm& comm) {
  if (copy.entries.empty()) return;
  std::vector<Other> other;
  for (size_t m = 0; m < factors.size(); ++m)
    if (m != mode) other.push_back({reinterpret_cast<const Pair*>(factors[m].values.data()), layout[m]});
  const int64_t pairs = factors[mode].stride() / 2;
  const Work<Packed> work{copy.entries.data(), copy.entries.data() + copy.entries.size() - 1, other.data(),
                          static_cast<int64_t>(other.size()), pairs};
  Pair* out = reinterpret_cast<Pair*>(sums);
  const int64_t n_pieces = end.piece - begin.piece, n_chunks = end.chunk - begin.chunk;
  Buffer<double> of_pieces(static_cast<size_t>(2 * pairs * n_pieces));
  parallel_for(n_pieces + n_chunks, [&](int64_t i) {
    std::vector<double> scratch(static_cast<size_t>(2 * pairs));
    Pair* room = reinterpret_cast<Pair*>(scratch.data());
    if (i < n_pieces) {
      const RowPiece& piece = chunks.pieces[static_cast<size_t>(begin.piece + i)];
      const int64_t starts[2] = {piece.begin, piece.end};
      run(work, starts, 1, room, reinterpret_cast<Pair*>(of_pieces.data()) + i * pairs);
    } else {
      const RowChunk& chunk = chunks.chunks[static_cast<size_t>(begin.chunk + i - n_pieces)];
      run(work, copy.starts.data() + chunk.begin, chunk.end - chunk.begin, room, out + chunk.begin * pairs);
    }
    if (omp_get_thread_num() == 0) comm.progress();
  });
  const double* of_piece = of_pieces.data();
  for (int64_t i = begin.long_row; i < end.long_row; ++i) {
    const LongRow& row = chunks.long_rows[static_cast<size_t>(i)];
    double* const sum = sums + row.row * 2 * pairs;
    std::fill_n(sum, 2 * pairs, 0.0);
    for (size_t piece = row.first_piece; piece < row.end_piece; ++piece, of_piece += 2 * pairs)
      for (int64_t p = 0; p < 2 * pairs; ++p) sum[p] += of_piece[p];
  }
}

template void mttkrp(const TensorCopy<uint64_t>&, const std::vector<PlaceBits>&, size_t,
                     const std::vector<FactorMatrix>&, const RowChunks&, const RowMark&, const RowMark&, double*,
                     Comm&);
template void mttkrp(const TensorCopy<unsigned __int128>&, const std::vector<PlaceBits>&, size_t,
                     const std::vector<FactorMatrix>&, const RowChunks&, const RowMark&, const RowMark&, double*,
                     Comm&);

}  // namespace sparkgap
