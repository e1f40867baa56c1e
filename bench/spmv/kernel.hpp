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
    loops_.each(matrix_.rows(), row_grain,
                [&loops = loops_, start = matrix_.start.data(), column = matrix_.column.data(),
                 value = matrix_.value.data(), x = x_.data(), y = y_.data()](std::size_t row) {
                  const std::size_t first = start[row];
                  const std::size_t length = start[row + 1] - first;
                  const auto term = [=](std::size_t k) { return value[first + k] * x[column[first + k]]; };
                  if constexpr (how == parallelism::nested) {
                    y[row] = loops.template sum<double>(length, entry_grain, term);
                  } else {
                    double sum = 0;
                    for (std::size_t k = 0; k < length; ++k) sum += term(k);
                    y[row] = sum;
                  }
                });
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
