// SPDX-License-Identifier: Apache-2.0
// Each pixel becomes the mean of the 11 x 11 around it; beyond the edges are the pixels at
// the edges (Govedič, 2023, §5.3.2).
#pragma once

#include "common/program.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace blur {

inline constexpr std::ptrdiff_t side = 64;
inline constexpr std::ptrdiff_t reach = 5;

class image {
 public:
  // For images of up to this size.
  explicit image(std::uint64_t n) : in_(n * n), out_(n * n) {
    for (std::uint64_t p = 0; p < n * n; ++p) in_[p] = static_cast<float>((p * 2654435761U >> 9) & 0xff);
  }

  struct part {
    const float* in;
    float* out;
    std::ptrdiff_t n;

    SENNIT_BENCH_NOINLINE void pixel(std::ptrdiff_t y, std::ptrdiff_t x) const {
      float sum = 0;
      for (std::ptrdiff_t v = y - reach; v <= y + reach; ++v) {
        const float* const row = in + std::clamp<std::ptrdiff_t>(v, 0, n - 1) * n;
        for (std::ptrdiff_t u = x - reach; u <= x + reach; ++u)
          sum += row[std::clamp<std::ptrdiff_t>(u, 0, n - 1)];
      }
      out[y * n + x] = sum / ((2 * reach + 1) * (2 * reach + 1));
    }
    void operator()(std::ptrdiff_t y_from, std::ptrdiff_t y_to, std::ptrdiff_t x_from,
                    std::ptrdiff_t x_to) const {
      for (std::ptrdiff_t y = y_from; y < y_to; ++y) {
        for (std::ptrdiff_t x = x_from; x < x_to; ++x) pixel(y, x);
      }
    }
  };
  part pixels(std::uint64_t n) { return {in_.data(), out_.data(), static_cast<std::ptrdiff_t>(n)}; }

  // All sum the pixels around one in the same order, so the bits are the same.
  std::uint64_t check(std::uint64_t n) const {
    std::uint64_t sum = 0;
    for (std::uint64_t p = 0; p < n * n; ++p) sum += std::bit_cast<std::uint32_t>(out_[p]) * (p | 1);
    return sum;
  }

 private:
  std::vector<float> in_;
  std::vector<float> out_;
};

}  // namespace blur
