// SPDX-License-Identifier: Apache-2.0
// y = A x for a sparse matrix of `size` rows, `work` times in a row: the rows are parallel or, `nested`, rows
// and inner products. kernel.rs is the same.
#pragma once

#include "spmv/matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace spmv {

constexpr std::size_t row_grain = 64;      // for those that need one
constexpr std::size_t entry_grain = 1024;  // likewise

enum class parallelism { rows, nested };

struct product {
  const std::size_t* start;
  const std::uint32_t* column;
  const double* value;
  const double* x;
  double* y;

  void operator()(std::size_t row) const {
    double sum = 0;
    for (std::size_t k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x[column[k]];
    y[row] = sum;
  }
  template <class Loops>
  void operator()(std::size_t row, Loops&& loops) const {
    const auto term = [=, *this, first = start[row]](std::size_t k) {
      return value[first + k] * x[column[first + k]];
    };
    y[row] = loops.template sum<double>(start[row + 1] - start[row], entry_grain, term);
  }
  bool is_long(std::size_t row) const { return start[row + 1] - start[row] > entry_grain; }
};

template <class Loops, parallelism how>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops)
      : loops_(loops), input_(program.input()), times_(program.work()) {}

  void prepare(std::uint64_t n) {
    if (y_.size() != n) {
      matrix_ = matrix_called(input_, n);
      x_.resize(n);
      // Small integers, so that sums are exact in any order.
      for (std::size_t i = 0; i < n; ++i) x_[i] = static_cast<double>(i % 8);
    }
    y_.assign(n, 0);
  }

  void run() {
    loops_.enter([this] {
      for (std::uint64_t time = 0; time < times_; ++time) multiply();
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const double y : y_) sum.add(static_cast<std::uint64_t>(y));
    return sum.value();
  }

 private:
  void multiply() {
    const product rows{matrix_.start.data(), matrix_.column.data(), matrix_.value.data(), x_.data(),
                       y_.data()};
    if constexpr (how == parallelism::rows) {
      loops_.each(matrix_.rows(), row_grain, rows);
    } else if constexpr (requires { typename Loops::inside; }) {  // loops that know what is around them
      loops_.nest(matrix_.rows(), row_grain, rows);
    } else {
      loops_.each(matrix_.rows(), row_grain, [=, &loops = loops_](std::size_t row) { rows(row, loops); });
    }
  }

  Loops& loops_;
  std::string input_;
  std::uint64_t times_;
  matrix matrix_;
  std::vector<double> x_, y_;
};

template <class Loops>
using rows_kernel = kernel<Loops, parallelism::rows>;
template <class Loops>
using nested_kernel = kernel<Loops, parallelism::nested>;

}  // namespace spmv
