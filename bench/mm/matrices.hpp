// SPDX-License-Identifier: Apache-2.0
// c += a * b for square matrices of 32-bit numbers, row by row in memory (Govedič, 2023, §5.3.1).
#pragma once

#include "common/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mm {

// The side of a tile: in each system the same, and the one that is best for this kernel.
inline constexpr std::ptrdiff_t side = 32;

class matrices {
 public:
  // For products of up to this size.
  explicit matrices(std::uint64_t n) : a_(n * n), b_(n * n), c_(n * n) {
    for (std::uint64_t p = 0; p < n * n; ++p) {
      a_[p] = static_cast<std::uint32_t>(p * 2654435761U >> 7);
      b_[p] = static_cast<std::uint32_t>(p * 2246822519U >> 5);
    }
  }

  // Calls multiply(product, n), which is to add all of it to a c of zeros.
  template <typename Multiply>
  void multiply(std::uint64_t n, Multiply&& multiply) {
    std::fill(c_.begin(), c_.end(), 0U);
    multiply(part{a_.data(), b_.data(), c_.data(), static_cast<std::ptrdiff_t>(n)},
             static_cast<std::ptrdiff_t>(n));
  }

  std::uint64_t check(std::uint64_t n) const {
    std::uint64_t sum = 0;
    for (std::uint64_t p = 0; p < n * n; ++p) sum += c_[p] * (p | 1);
    return sum;
  }

  // The work of a box of the nest (i, j, k), the same machine code for all systems,
  // sums in a register, k innermost.
  struct part {
    const std::uint32_t* a;
    const std::uint32_t* b;
    std::uint32_t* c;
    std::ptrdiff_t n;

    void operator()(std::ptrdiff_t i_from, std::ptrdiff_t i_to, std::ptrdiff_t j_from, std::ptrdiff_t j_to,
                    std::ptrdiff_t k_from, std::ptrdiff_t k_to) const {
      for (std::ptrdiff_t i = i_from; i < i_to; ++i) {
        for (std::ptrdiff_t j = j_from; j < j_to; ++j)
          c[i * n + j] += dot(a + i * n + k_from, b + k_from * n + j, n, k_to - k_from);
      }
    }
    // Not inlined, as the loops around it would cost it registers in some of the programs.
    SENNIT_BENCH_NOINLINE static std::uint32_t dot(const std::uint32_t* row, const std::uint32_t* column,
                                                   std::ptrdiff_t stride, std::ptrdiff_t length) {
      std::uint32_t sum = 0;
      for (std::ptrdiff_t k = 0; k < length; ++k) sum += row[k] * column[k * stride];
      return sum;
    }
  };

 private:
  std::vector<std::uint32_t> a_;
  std::vector<std::uint32_t> b_;
  std::vector<std::uint32_t> c_;
};

}  // namespace mm
