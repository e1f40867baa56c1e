// SPDX-License-Identifier: Apache-2.0
// A merge sort of --size numbers, uniform or exponential (--input), with a parallel merge. A way has
//   join(f, g)   f() and g(), at once if it likes
// and, where a grain is set by hand, serial calls for so many numbers and fewer.
#pragma once

#include "common/coarse_way.hpp"
#include "common/loops.hpp"
#include "gallery/mergesort.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace mergesort {

// Way::enter(program, f) runs f where the way's workers are.
template <class Way>
class kernel {
 public:
  kernel(const bench::program& program, Way& way)
      : way_(way), exponential_(program.input() == "exponential") {
    if (!exponential_ && program.input() != "uniform")
      bench::program::fail("--input", "must be uniform or exponential");
  }

  void prepare(std::uint64_t n) {
    all_.resize(n);
    other_.resize(n);
    bench::random_numbers random(1);
    for (std::uint64_t& number : all_) {
      const std::uint64_t bits = random.next() >> 12;
      number = exponential_
                   ? static_cast<std::uint64_t>(-1e6 * std::log((static_cast<double>(bits) + 1) * 0x1p-52))
                   : bits;
    }
  }
  void run() {
    way_.enter([this] { gallery::merge_sort<Way, std::uint64_t>(all_, other_, true); });
  }
  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint64_t number : all_) sum.add(number);
    return sum.value();
  }

 private:
  Way& way_;
  bool exponential_;
  std::vector<std::uint64_t> all_, other_;
};

template <class Way>
int run(bench::program& program) {
  Way way(program);
  return program.run(kernel<Way>(program, way));
}

}  // namespace mergesort
