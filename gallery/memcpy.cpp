// SPDX-License-Identifier: Apache-2.0
// memcpy: an array is copied, block by block, again and again. All that it can be short of is bandwidth.
#include "gallery/memcpy.hpp"

#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

struct program {
  static constexpr description about{.name = "memcpy", .summary = "an array copied block by block"};

  std::int64_t n = 1 << 22;
  std::int64_t times = 40;
  std::int64_t block = 1 << 13;

  std::vector<parameter> parameters() {
    return {{"n", "numbers to copy", &n, 1, 1 << 28},
            {"times", "how often", &times, 1, 1e6},
            {"block", "numbers that are not divided any further", &block, 1, 1 << 28}};
  }
  void choose_demo() { n = 1 << 23; }
  void prepare() {}

  template <class P>
  std::vector<double> run() const {
    memcpy_blocks arrays(static_cast<std::size_t>(n), static_cast<std::size_t>(block));
    const loops<P> run;
    arrays.initialize(run);
    for (std::int64_t i = 0; i < times; ++i) arrays.step(run);
    return {arrays.copy().begin(), arrays.copy().end()};
  }

  std::string complaint(const std::vector<double>& copy) const {
    for (std::size_t i = 0; i < copy.size(); ++i)
      if (copy[i] != static_cast<double>(i)) return fmt::format("number {} is {}, not {}", i, copy[i], i);
    return {};
  }

  std::string describe(const std::vector<double>& copy) const {
    return fmt::format("{} MB, {} times", copy.size() * sizeof copy[0] / 1000000, times);
  }
};

}  // namespace

std::unique_ptr<kernel> make_memcpy() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
