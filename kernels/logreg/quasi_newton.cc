// Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
#include "logreg/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace sparkgap {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// The last steps and what they did to the gradient: an approximation of the inverse Hessian.
class Memory {
 public:
  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  void add(const Vector& x, const Vector& next, const Vector& gradient, const Vector& next_gradient) {
    Pair pair{Vector(x.size()), Vector(x.size()), 0};
    for (size_t i = 0; i < x.size(); ++i) {
      pair.step[i] = next[i] - x[i];
      pair.change[i] = next_gradient[i] - gradient[i];
    }
    pair.product = dot(pair.step, pair.change);
    if (!(pair.product > 1e-14 * length(pair.step) * length(pair.change))) return;  // says nothing about curvature
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > 10) pairs_.pop_front();
  }

  /// -H gradient
  Vector direction(const Vector& gradient) const {
    Vector d = gradient;
    Vector factor(pairs_.size());
    for (size_t n = pairs_.size(); n-- > 0;) {
      factor[n] = dot(pairs_[n].step, d) / pairs_[n].product;
      add_to(d, pairs_[n].change, -factor[n]);
    }
    if (!pairs_.empty()) {
      const double scale = pairs_.back().product / dot(pairs_.back().change, pairs_.back().change);
      for (double& value : d) value *= scale;
    }
    for (size_t n = 0; n < pairs_.size(); ++n)
      add_to(d, pairs_[n].step, factor[n] - dot(pairs_[n].change, d) / pairs_[n].product);
    for (double& value : d) value = -value;
    return d;
  }

 private:
  struct Pair {
    Vector step, change;
    double product;
  };
  static void add_to(Vector& to, const Vector& from, double factor) {
    for (size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
  }
  std::deque<Pair> pairs_;
};

/// A point, and there f, its gradient, and the objective with its shortest subgradient.
struct Point {
  Vector x, gradient, slope;
  double objective = 0;
};

class Search {
 public:
  Search(const Smooth& f, std::span<const double> l1) : f_(f), l1_(l1) {}

  Point at(Vector x) const {
    Point point{std::move(x), {}, {}, 0};
    point.gradient.resize(point.x.size());
    point.objective = f_(point.x, point.gradient);
    point.slope = point.gradient;
    for (size_t j = 0; j < l1_.size(); ++j) {
      const double x_j = point.x[j], g = point.gradient[j], l = l1_[j];
      point.objective += l * std::abs(x_j);
      if (x_j != 0) point.slope[j] = g + std::copysign(l, x_j);
      else point.slope[j] = g > l ? g - l : g < -l ? g + l : 0;
    }
    return point;
  }

  /// The point at a step along d that is better than `from`, if one is found; nothing else may change sign than what d
  /// says.
  bool step(const Point& from, const Vector& d, double length, Point& to) const {
    constexpr int kMost = 40;
    for (int n = 0; n < kMost; ++n) {
      to = at(moved(from, d, length));
      double slope = 0;
      for (size_t j = 0; j < d.size(); ++j) slope += from.slope[j] * (to.x[j] - from.x[j]);
      if (to.objective <= from.objective + 1e-4 * slope) return slope < 0;
      // Where the objective only rounds, the slopes tell whether the step went down.
      if (to.objective <= from.objective + 1e-13 * std::abs(from.objective)) {
        const double before = dot(from.slope, d), after = dot(to.slope, d);
        if (before < 0 && std::abs(after) <= 0.9 * std::abs(before)) return true;
      }
      const double rise = to.objective - from.objective - slope;  // what a parabola through both ends says
      length *= std::isfinite(rise) && rise > 0 ? std::clamp(-slope / (2 * rise), 0.1, 0.5) : 0.1;
    }
    return false;
  }

  /// With l1 only what goes down counts.
  void project(Vector& d, const Point& at) const {
    for (size_t j = 0; j < l1_.size(); ++j)
      if (d[j] * at.slope[j] >= 0) d[j] = 0;
  }

 private:
  Vector moved(const Point& from, const Vector& d, double length) const {
    Vector x = from.x;
    for (size_t j = 0; j < x.size(); ++j) {
      x[j] += length * d[j];
      if (j >= l1_.size() || l1_[j] == 0) continue;
      const double side = from.x[j] != 0 ? from.x[j] : -from.slope[j];
      if (x[j] * side <= 0) x[j] = 0;
    }
    return x;
  }

  const Smooth& f_;
  const std::span<const double> l1_;
};

}  // namespace

Descent minimise(const Smooth& f, std::vector<double> x, std::span<const double> l1, const StopRule& rule,
                 const std::function<void(int64_t iteration, double gradient)>& after) {
  const Search search(f, l1);
  Memory memory;
  Point here = search.at(std::move(x)), next;
  Descent descent{{}, {here.objective}, false, length(here.slope)};
  const auto is_there = [&] {
    if (descent.gradient <= std::max(rule.tolerance * std::abs(here.objective), 1e-8)) return true;
    if (descent.history.size() < 2) return false;
    const auto last = descent.history.end() - static_cast<int64_t>(std::min<size_t>(20, descent.history.size()));
    return std::abs(here.objective - *std::max_element(last, descent.history.end())) <=
           rule.tolerance * std::abs(descent.history.front());
  };
  for (int64_t iteration = 0; !(descent.converged = is_there()) && iteration < rule.max_iterations;) {
    bool better = false;
    for (int attempt = 0; attempt < 2 && !better; ++attempt) {
      Vector d = memory.direction(here.slope);
      search.project(d, here);
      if (!(dot(d, here.slope) < 0)) {
        memory.clear();
        continue;
      }
      better = search.step(here, d, memory.empty() ? 1 / length(d) : 1.0, next);
      if (better) break;
      if (memory.empty()) break;
      memory.clear();  // straight down, then
    }
    if (!better) break;
    memory.add(here.x, next.x, here.gradient, next.gradient);
    std::swap(here, next);
    descent.history.push_back(here.objective);
    descent.gradient = length(here.slope);
    after(++iteration, descent.gradient);
  }
  descent.x = std::move(here.x);
  return descent;
}

}  // namespace sparkgap
