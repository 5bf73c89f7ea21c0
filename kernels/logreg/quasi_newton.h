// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sparkgap {

/// A smooth function: its value at x, and its gradient into `gradient`, which has x's length.
using Smooth = std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;

struct StopRule {
  int64_t max_iterations;
  double tolerance;
};

struct Descent {
  std::vector<double> x;
  std::vector<double> history;  ///< the objective at the start and after each iteration
  bool converged = false;       ///< false: the iterations ended first, or no step along the last direction was better
  double gradient = 0;          ///< length of the last gradient, with l1 of the shortest subgradient
};

/// Minimises f(x) + sum l1_j |x_j| by L-BFGS, with l1 by OWL-QN, from x on; ten pairs are kept.
///
/// Stops as Breeze, and so MLlib, does: where the gradient's length is at most tolerance * |objective| (and always
/// below 1e-8), or where the objective has not moved within the last twenty iterations by more than tolerance *
/// |objective at the start|. after(iteration, gradient) follows each iteration.
///
/// Source     Nocedal, Wright, Numerical Optimization, algorithm 7.4; Andrew, Gao, Scalable training of L1-regularized
///            log-linear models, 2007. The search halves its way back; near the rounding floor it trusts slopes (Hager,
///            Zhang 2005)
/// Cost       one evaluation of f per iteration mostly; memory 22 vectors
[[nodiscard]] Descent minimise(const Smooth& f, std::vector<double> x, std::span<const double> l1, const StopRule& rule,
                               const std::function<void(int64_t iteration, double gradient)>& after);

}  // namespace sparkgap
