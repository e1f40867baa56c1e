// SPDX-License-Identifier: Apache-2.0
// All shortest paths of a graph of `size` vertices: for each vertex one loop over the rows of the matrix of
// distances. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floyd_warshall {

constexpr std::size_t grain = 16;  // rows, for those that need one

// A function of its own, so that all systems run the same instructions at the same alignment: copies of this loop that
// differ by nothing else differ by a tenth in time.
SENNIT_BENCH_NOINLINE inline void shorten(std::int32_t* row, const std::int32_t* from_k, std::int32_t to_k,
                                          std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) row[j] = std::min(row[j], to_k + from_k[j]);
}

template <class Loops>
class kernel {
 public:
  kernel(const bench::program&, Loops& loops) : loops_(loops) {}

  void prepare(std::uint64_t n) {
    n_ = n;
    distance_.resize(n * n);
    bench::random_numbers random(5);
    for (std::int32_t& distance : distance_) distance = static_cast<std::int32_t>(1 + random.below(1000));
    for (std::size_t i = 0; i < n; ++i) distance_[i * n + i] = 0;
  }

  void run() {
    loops_.enter([this] {
      std::vector<std::int32_t> by_way(n_);
      for (std::size_t k = 0; k < n_; ++k) {
        std::copy_n(distance_.data() + k * n_, n_, by_way.data());
        loops_.each(n_, grain, [k, n = n_, from_k = by_way.data(), all = distance_.data()](std::size_t i) {
          std::int32_t* const row = all + i * n;
          shorten(row, from_k, row[k], n);
        });
      }
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::int32_t distance : distance_) sum.add(static_cast<std::uint64_t>(distance));
    return sum.value();
  }

 private:
  Loops& loops_;
  std::size_t n_ = 0;
  std::vector<std::int32_t> distance_;
};

}  // namespace floyd_warshall
