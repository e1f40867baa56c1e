// SPDX-License-Identifier: Apache-2.0
// A square matrix of 32-bit numbers, transposed in place (Govedič, 2023, §5.3.3).
#pragma once

#include "common/program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace transpose {

inline constexpr std::ptrdiff_t side = 32;

class matrix {
 public:
  explicit matrix(std::uint64_t n) : cells_(n * n), n_(static_cast<std::ptrdiff_t>(n)) {
    for (std::uint64_t p = 0; p < n * n; ++p) cells_[p] = static_cast<std::uint32_t>(p);
  }

  struct part {
    std::uint32_t* m;
    std::ptrdiff_t n;

    void cell(std::ptrdiff_t i, std::ptrdiff_t j) const { std::swap(m[i * n + j], m[j * n + i]); }
    // Those cells of the box that are above the diagonal.
    void operator()(std::ptrdiff_t i_from, std::ptrdiff_t i_to, std::ptrdiff_t j_from,
                    std::ptrdiff_t j_to) const {
      for (std::ptrdiff_t i = i_from; i < i_to; ++i) {
        for (std::ptrdiff_t j = std::max(j_from, i + 1); j < j_to; ++j) cell(i, j);
      }
    }
  };

  // Calls transpose(part), which is to transpose the whole matrix.
  template <typename Transpose>
  void flip(Transpose&& transpose) {
    transpose(part{cells_.data(), n_});
    flipped_ = !flipped_;
  }

  // The number of cells that are where they belong.
  std::uint64_t check() const {
    std::uint64_t right = 0;
    for (std::ptrdiff_t i = 0; i < n_; ++i) {
      for (std::ptrdiff_t j = 0; j < n_; ++j)
        right += cells_[static_cast<std::size_t>(i * n_ + j)] ==
                 static_cast<std::uint32_t>(flipped_ ? j * n_ + i : i * n_ + j);
    }
    return right;
  }

 private:
  std::vector<std::uint32_t> cells_;
  std::ptrdiff_t n_;
  bool flipped_ = false;
};

}  // namespace transpose
