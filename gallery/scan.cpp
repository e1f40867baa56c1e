// SPDX-License-Identifier: Apache-2.0
// scan: all prefix sums of an array, in two passes over its blocks.
#include "gallery/scan.hpp"

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
  static constexpr description about{.name = "scan", .summary = "all prefix sums, in two passes over blocks"};

  std::int64_t n = 1 << 22;
  std::int64_t times = 20;
  std::int64_t block = 1 << 13;

  std::vector<parameter> parameters() {
    return {{"n", "numbers to add up", &n, 1, 1 << 28},
            {"times", "how often", &times, 1, 1e6},
            {"block", "numbers that are not divided any further", &block, 1, 1 << 28}};
  }
  void choose_demo() { times = 40; }
  void prepare() {}

  template <class P>
  std::vector<double> run() const {
    scan arrays(static_cast<std::size_t>(n), static_cast<std::size_t>(block));
    const loops<P> run;
    arrays.initialize(run);
    for (std::int64_t i = 0; i < times; ++i) arrays.step(run);
    return {arrays.prefixes().begin(), arrays.prefixes().end()};
  }

  std::string complaint(const std::vector<double>& prefixes) const {
    double sum = 0;
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
      sum += scan::element(i);
      if (prefixes[i] != sum)
        return fmt::format("the first {} add up to {}, not {}", i + 1, sum, prefixes[i]);
    }
    return {};
  }

  std::string describe(const std::vector<double>& prefixes) const {
    return fmt::format("{} numbers, {} in all, {} times", prefixes.size(), prefixes.back(), times);
  }
};

}  // namespace

std::unique_ptr<kernel> make_scan() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
