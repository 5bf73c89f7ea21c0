// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "cpd/cpd.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <set>

#include "arithmetic/counter_hash.h"
#include "arithmetic/exact_sum.h"
#include "cpd/factor_solve.h"
#include "ghosts/ghost_parts.h"
#include "process/error.h"
#include "process/parallel.h"
#include "process/stopwatch.h"
#include "spec/kernel.h"

namespace sparkgap::cpd {
namespace {

template <typename Packed>
class Als {
 public:
  Als(const SparseTensor& tensor, const TensorCopies<Packed>& copies, const std::vector<TensorMode>& keys,
      const Params& params, Comm& comm)
      : tensor_(tensor), copies_(copies), params_(params), comm_(comm) {
    int64_t most = 0;
    size_t most_sent = 0;
    for (size_t mode = 0; mode < copies.size(); ++mode) {
      const std::vector<int64_t>& of_mode = keys[mode].keys;
      const Ghosts& known = tensor.known[mode];
      const FactorMatrix& factor = factors_.emplace_back(known.places(), params.rank);
      parallel_ranges(factor.rows, 1024, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t key = of_mode[static_cast<size_t>(known.number(static_cast<uint32_t>(i)))];
          for (int64_t r = 0; r < params.rank; ++r) factor.row(i)[r] = first_value(params.seed, mode, key, r);
        }
      });
      grams_.push_back(measure_columns(mine(mode), lambdas_, comm));
      divide(factor.all(), lambdas_);
      most = std::max(most, known.rows());
      most_sent =
          std::max(most_sent, parts_.emplace_back(copies[mode].starts, known, factor.stride(), comm).sent.room());
    }
    sent_ = Buffer<double>(most_sent, Content::kAnything);
    lambdas_.assign(static_cast<size_t>(params.rank), 1.0);
    sums_ = Buffer<double>(static_cast<size_t>(most * factors_[0].stride()), Content::kAnything);
  }

  /// The best factor of a mode for the others as they are.
  void update(size_t mode) {
    const auto rank = static_cast<size_t>(params_.rank);
    std::vector<double> product(rank * rank, 1.0);
    for (size_t other = 0; other < grams_.size(); ++other)
      for (size_t i = 0; other != mode && i < product.size(); ++i) product[i] *= grams_[other][i];
    for (size_t r = 0; r < rank; ++r) product[r * rank + r] += params_.regularisation;

    const RowSolver solver(product, rank, params_.non_negative);
    const Parts& parts = parts_[mode];
    ExactSum inner;
    for (size_t part = 0; part < parts.sent.size(); ++part) {
      const RowMark &begin = parts.marks[part], &end = parts.marks[part + 1];
      mttkrp(copies_[mode], tensor_.layout, mode, factors_, parts.chunks, begin, end, sums_.data(), comm_);
      inner += solve(mode, solver, begin.row, end.row);
      parts.sent.begin(part, factors_[mode].values.span(), sent_.span(), comm_);
    }
    inner_ = comm_.allreduce(inner.value());
    // Columns of length 1 of what each rank has made, and of what came.
    grams_[mode] = measure_columns(mine(mode), lambdas_, comm_);
    comm_.finish();
    divide(factors_[mode].all(), lambdas_);
  }

  /// ||X - M||^2, right after an update.
  double residual() const {
    const auto rank = static_cast<size_t>(params_.rank);
    double model = 0;
    for (size_t i = 0; i < rank * rank; ++i) {
      double product = lambdas_[i / rank] * lambdas_[i % rank];
      for (const std::vector<double>& gram : grams_) product *= gram[i];
      model += product;
    }
    return std::max(0.0, tensor_.squares - 2 * inner_ + model);
  }

  Result iterate(const Progress& progress) {
    Result result;
    for (int64_t iteration = 1; iteration <= params_.max_iterations && !result.converged; ++iteration) {
      for (size_t mode = 0; mode < factors_.size(); ++mode) update(mode);
      const double fit = 1 - std::sqrt(residual() / tensor_.squares);
      result.change = std::abs(fit - result.fit);
      result.converged = iteration > 1 && result.change < params_.tolerance;
      result.fits.push_back(result.fit = fit);
      progress("compute", iteration, params_.max_iterations, result.change);
    }
    result.objective = residual() / 2;
    for (const double lambda : lambdas_) result.objective += params_.regularisation / 2 * lambda * lambda;
    result.lambdas = lambdas_;
    for (size_t mode = 0; mode < factors_.size(); ++mode) {
      const FactorRows rows = mine(mode);
      result.firsts.push_back(tensor_.known[mode].first());
      if (rows.rows == factors_[mode].rows) result.factors.push_back(std::move(factors_[mode]));
      else
        std::copy_n(rows.first, rows.rows * rows.stride,
                    result.factors.emplace_back(rows.rows, rows.rank).values.data());
    }
    return result;
  }

 private:
  /// This rank's rows of a factor.
  FactorRows mine(size_t mode) const {
    return factors_[mode].some(tensor_.known[mode].own(), tensor_.known[mode].rows());
  }
  /// Some rows of this rank, each the best for its sums. Returns the product of both, added up.
  ExactSum solve(size_t mode, const RowSolver& solver, int64_t first, int64_t end_row) {
    const FactorRows factor = mine(mode);
    return parallel_sum<ExactSum>(end_row - first, 256, [&](int64_t begin, int64_t end) {
      ExactSum sum;
      for (int64_t i = first + begin; i < first + end; ++i) {
        double* row = factor.row(i);
        for (size_t r = 0; r < lambdas_.size(); ++r) row[r] *= lambdas_[r];  // where coordinates start from
        const double* given = sums_.data() + i * factor.stride;
        solver.solve(given, row);
        double inner = 0;
        for (size_t r = 0; r < lambdas_.size(); ++r) inner += given[r] * row[r];
        sum.add(inner);
      }
      return sum;
    });
  }

  /// The rows of a mode: cut up for threads, and in parts that travel to those who know them while others are made.
  struct Parts {
    const RowChunks chunks;
    const std::vector<RowMark> marks;
    const GhostParts sent;
    Parts(std::span<const int64_t> starts, const Ghosts& known, int64_t stride, Comm& comm)
        : chunks(starts),
          marks(chunks.marks(starts, GhostCuts::parts_worth(known, stride * int64_t{sizeof(double)}, comm),
                             static_cast<int64_t>(chunks.chunks.size()),
                             [this](int64_t i) { return chunks.chunks[static_cast<size_t>(i)]; })),
          sent(known, rows_of(marks), comm, stride) {}
  };

  const SparseTensor& tensor_;
  const TensorCopies<Packed>& copies_;
  const Params& params_;
  Comm& comm_;
  std::vector<FactorMatrix> factors_;
  std::deque<Parts> parts_;                 ///< by mode
  std::vector<std::vector<double>> grams_;  ///< by mode: A'A of the scaled factor, rank x rank
  std::vector<double> lambdas_;
  Buffer<double> sums_, sent_;
  double inner_ = 0;  ///< <X, M>
};

}  // namespace

double first_value(uint64_t seed, size_t mode, int64_t key, int64_t component) {
  return counter_uniform(seed, mode, static_cast<uint64_t>(key), static_cast<uint64_t>(component));
}

Result run(const SparseTensor& tensor, const std::vector<TensorMode>& keys, const Params& params, Comm& comm,
           const Progress& progress) {
  progress("start");
  return std::visit([&](const auto& copies) { return Als(tensor, copies, keys, params, comm).iterate(progress); },
                    tensor.copies);
}

const Spec kSpec{
    .name = "cpd",
    .family = "tensor",
    .summary =
        "CP decomposition (CANDECOMP/PARAFAC) of a sparse tensor by alternating least squares; what has no row is 0.",
    .inputs = {{.name = "data",
                .required = true,
                .doc = "One row per entry that is not 0: a key in each mode, and a value."}},
    .parameters =
        {{.name = "modes",
          .kind = Kind::kColumns,
          .fallback = {},
          .doc = "2 to 32 columns of keys, each of integers or strings, without nulls; must be given.",
          .of = "data",
          .accepts = "key"},
         {.name = "value",
          .kind = Kind::kColumn,
          .fallback = std::string("value"),
          .doc = "Column of numbers, finite, not all 0; those of rows with the same keys add up.",
          .of = "data",
          .accepts = "number"},
         {.name = "rank",
          .kind = Kind::kInt,
          .fallback = int64_t{10},
          .doc = "How many components.",
          .unit = "components",
          .min = 1,
          .max = 1000},
         {.name = "max_iter",
          .kind = Kind::kInt,
          .fallback = int64_t{50},
          .doc = "At most that many iterations.",
          .unit = "iterations",
          .min = 1},
         {.name = "tol",
          .kind = Kind::kDouble,
          .fallback = 1e-4,
          .doc = "Ends where an iteration changes the fit by less.",
          .min = 0},
         {.name = "reg_param",
          .kind = Kind::kDouble,
          .fallback = 0.0,
          .doc = "How much the squares of the lambdas cost.",
          .min = 0},
         {.name = "non_negative", .kind = Kind::kBool, .fallback = false, .doc = "Whether factors may not be below 0."},
         {.name = "seed",
          .kind = Kind::kInt,
          .fallback = int64_t{0},
          .doc = "Other seeds start from other factors.",
          .min = -9223372036854775808.0,
          .max = 9223372036854774784.0}},
    .output = {{.name = "mode", .type = "bigint", .doc = "from 0, as in modes"},
               {.name = "key", .type = "id", .doc = "a key of the mode, string where any mode has strings"},
               {.name = "factor",
                .type = "array<double not null>",
                .doc = "a number for each component, the largest lambda first; over the keys of a mode the squares of "
                       "a component's numbers add up to 1"}},
    .match = "epsilon",
    .epsilon = 1e-6,
    .source =
        "Kolda, Bader 2009, Tensor Decompositions and Applications, section 3.4; Smith, Ravindran, Sidiropoulos, "
        "Karypis 2015, SPLATT",
    .notes =
        "An entry is modelled as the sum over components of lambda times the product of its keys' values. The fit is 1 "
        "- |X - M| / |X|, 1 where the model is exact. Time O(entries * modes * rank * iterations). The same seed "
        "starts from the same factors for every ranks x threads.",
    .refuses = "no rows, NaN, infinities, only zeroes",
    .figures = {{"lambdas", "by component, the largest first"},
                {"fit", "1 - |X - M| / |X|"},
                {"fit_history", "the same by iteration"},
                {"objective", "what is made small"},
                {"entries", "different ones"},
                {"duplicates", "rows that were added to another"},
                {"sizes", "keys by mode"}},
    .memory = {.run = {.arc = 32, .sent = 32}, .times = "modes"},
};

}  // namespace sparkgap::cpd

namespace sparkgap {
namespace {

constexpr size_t kMostModes = 32;

std::vector<std::string> modes_of(const Values& values) {
  if (values.at("modes").index() == 0)
    throw Error(Exit::kArguments, "modes", "two or more columns of data", "none", "Name them");
  const std::vector<std::string> modes = get_columns(values, "modes");
  if (modes.size() < 2 || modes.size() > kMostModes)
    throw Error(Exit::kArguments, "modes", "2 to " + std::to_string(kMostModes) + " columns of data",
                std::to_string(modes.size()), "Name more, or fewer");
  if (std::set<std::string>(modes.begin(), modes.end()).size() < modes.size())
    throw Error(Exit::kArguments, "modes", "different columns", "one twice", "Leave it out");
  return modes;
}

/// Keys of a mode and their rows of the factor, with the columns in another order.
struct KeyedFactor {
  std::vector<int64_t> keys;
  std::vector<double> factor;
};

/// This rank's rows of a mode, behind what is there.
void add_rows(const cpd::Result& result, size_t mode, const TensorMode& names, const std::vector<size_t>& order,
              KeyedFactor& rows) {
  const FactorMatrix& factor = result.factors[mode];
  for (int64_t i = 0; i < factor.rows; ++i) {
    rows.keys.push_back(names.keys[static_cast<size_t>(result.firsts[mode] + i)]);
    for (const size_t r : order) rows.factor.push_back(factor.row(i)[r]);
  }
}

/// Each row goes to the rank that has the string of its key.
KeyedFactor to_strings(const KeyedFactor& rows, size_t width, const StringIds& strings, Comm& comm) {
  std::vector<int64_t> counts(static_cast<size_t>(comm.size())), next(counts.size()), received;
  for (const int64_t key : rows.keys) ++counts[static_cast<size_t>(strings.owner(key))];
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), int64_t{0});
  KeyedFactor sent{std::vector<int64_t>(rows.keys.size()), std::vector<double>(rows.factor.size())};
  for (size_t i = 0; i < rows.keys.size(); ++i) {
    const auto at = static_cast<size_t>(next[static_cast<size_t>(strings.owner(rows.keys[i]))]++);
    sent.keys[at] = rows.keys[i];
    std::copy_n(rows.factor.data() + i * width, width, sent.factor.data() + at * width);
  }
  KeyedFactor got{comm.alltoallv<int64_t>(sent.keys, counts, received), {}};
  for (int64_t& count : counts) count *= static_cast<int64_t>(width);
  got.factor = comm.alltoallv<double>(sent.factor, counts, received);
  return got;
}

/// A row for each key; it is told by the rank that has its text, or whose place it is.
Output rows_of(const cpd::Result& result, const std::vector<size_t>& order, const std::vector<TensorMode>& modes,
               const StringIds* strings, Comm& comm) {
  struct Rows {
    std::vector<int64_t> mode;
    KeyedFactor named;
    std::deque<std::string> numbers;  ///< as text
  };
  auto rows = std::make_shared<Rows>();
  KeyedFactor& named = rows->named;
  std::vector<std::string_view> texts;
  size_t about = 0;
  for (const FactorMatrix& factor : result.factors) about += static_cast<size_t>(factor.rows);
  named.factor.reserve(about * order.size());
  for (size_t mode = 0; mode < modes.size(); ++mode) {
    const size_t first = named.keys.size();
    if (modes[mode].strings && comm.size() > 1) {
      KeyedFactor mine;
      add_rows(result, mode, modes[mode], order, mine);
      const KeyedFactor got = to_strings(mine, order.size(), *strings, comm);
      named.keys.insert(named.keys.end(), got.keys.begin(), got.keys.end());
      named.factor.insert(named.factor.end(), got.factor.begin(), got.factor.end());
    } else {
      add_rows(result, mode, modes[mode], order, named);
    }
    rows->mode.resize(named.keys.size(), static_cast<int64_t>(mode));
    for (size_t i = first; strings != nullptr && i < named.keys.size(); ++i)
      texts.push_back(modes[mode].strings ? strings->text(named.keys[i])
                                          : rows->numbers.emplace_back(std::to_string(named.keys[i])));
  }
  Output output;
  output.rows = static_cast<int64_t>(rows->mode.size());
  output.columns = {{"mode", Type::kInt64, rows->mode.data(), {}},
                    strings == nullptr ? OutputColumn{"key", Type::kInt64, named.keys.data(), {}}
                                       : OutputColumn{"key", Type::kString, nullptr, std::move(texts)},
                    {.name = "factor",
                     .type = Type::kArray,
                     .values = named.factor.data(),
                     .strings = {},
                     .width = static_cast<int64_t>(order.size())}};
  output.keep = rows;
  return output;
}

Output run_cpd(const Inputs& inputs, const Values& values, Comm& comm, const Progress& progress) {
  const cpd::Params params{.rank = get_int(values, "rank"),
                           .max_iterations = get_int(values, "max_iter"),
                           .tolerance = get_double(values, "tol"),
                           .regularisation = get_double(values, "reg_param"),
                           .non_negative = get_bool(values, "non_negative"),
                           .seed = static_cast<uint64_t>(get_int(values, "seed"))};
  const std::vector<std::string> names = modes_of(values);
  progress("build");
  const Stopwatch build;
  const MemoryReuse reuse;
  TensorRows rows(inputs.at("data"), names.size(), comm);
  const std::vector<TensorMode>& modes = rows.modes();
  const std::shared_ptr<const StringIds>& strings = rows.strings();
  auto tensor = std::make_unique<const SparseTensor>(rows, "data", comm);
  const double build_s = build.seconds();
  const Stopwatch compute;
  const cpd::Result result = cpd::run(*tensor, modes, params, comm, progress);
  const double compute_s = compute.seconds();

  std::vector<size_t> order(result.lambdas.size());
  for (size_t r = 0; r < order.size(); ++r) order[r] = r;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return result.lambdas[a] > result.lambdas[b]; });
  std::vector<double> lambdas;
  for (const size_t r : order) lambdas.push_back(result.lambdas[r]);
  const std::vector<double> sizes(tensor->sizes.begin(), tensor->sizes.end());
  const auto entries = static_cast<double>(tensor->entries), duplicates = static_cast<double>(tensor->duplicates);
  tensor.reset();  // its memory is the result's
  Output output = rows_of(result, order, modes, strings.get(), comm);
  if (strings)
    output.keep =
        std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<const StringIds>>>(output.keep, strings);
  output.build_s = build_s;
  output.compute_s = compute_s;
  output.iterations = static_cast<int64_t>(result.fits.size());
  output.converged = result.converged;
  output.residual = result.change;
  output.figures = {{"fit", {result.fit}},
                    {"objective", {result.objective}},
                    {"fit_history", result.fits},
                    {"lambdas", lambdas},
                    {"entries", {entries}},
                    {"duplicates", {duplicates}},
                    {"sizes", sizes}};
  return output;
}

}  // namespace

const Kernel kKernel{cpd::kSpec, run_cpd};

}  // namespace sparkgap
