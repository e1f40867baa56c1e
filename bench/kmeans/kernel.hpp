// SPDX-License-Identifier: Apache-2.0
// Lloyd's algorithm on `size` points, `work` rounds: one loop finds each point's nearest center and adds the
// point to what will be the new one. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kmeans {

constexpr std::size_t grain = 256;  // points, for those that need one
constexpr std::size_t dimensions = 16;
constexpr std::size_t clusters = 8;

using point = std::array<double, dimensions>;

// A dimension a row, so that the distances to all centers are computed side by side.
using centers = std::array<std::array<double, clusters>, dimensions>;

// Coordinates are integers, so that sums are exact in any order.
struct sums {
  std::array<point, clusters> total{};
  std::array<std::uint64_t, clusters> count{};

  void add(const point& p, std::size_t cluster) {
    for (std::size_t d = 0; d < dimensions; ++d) total[cluster][d] += p[d];
    ++count[cluster];
  }

  void add(const sums& other) {
    for (std::size_t c = 0; c < clusters; ++c) {
      for (std::size_t d = 0; d < dimensions; ++d) total[c][d] += other.total[c][d];
      count[c] += other.count[c];
    }
  }
};

inline std::size_t nearest(const point& p, const centers& all) {
  std::array<double, clusters> distance{};
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t c = 0; c < clusters; ++c) {
      const double difference = p[d] - all[d][c];
      distance[c] += difference * difference;
    }
  }
  std::size_t best = 0;
  for (std::size_t c = 1; c < clusters; ++c)
    if (distance[c] < distance[best]) best = c;
  return best;
}

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops) : loops_(loops), rounds_(program.work()) {}

  void prepare(std::uint64_t n) {
    if (points_.size() != n) {
      bench::random_numbers random(3);
      points_.resize(n);
      for (point& p : points_)
        for (double& coordinate : p) coordinate = static_cast<double>(random.below(256));
    }
    for (std::size_t d = 0; d < dimensions; ++d)
      for (std::size_t c = 0; c < clusters; ++c) centers_[d][c] = points_[c][d];
  }

  void run() {
    loops_.enter([this] {
      for (std::uint64_t round = 0; round < rounds_; ++round) {
        const sums found = loops_.fold(
            points_.size(), grain, sums{},
            [all = &centers_, points = points_.data()](sums& view, std::size_t i) {
              view.add(points[i], nearest(points[i], *all));
            },
            [](sums& view, const sums& other) { view.add(other); });
        for (std::size_t c = 0; c < clusters; ++c)
          for (std::size_t d = 0; d < dimensions; ++d)
            centers_[d][c] = found.total[c][d] / static_cast<double>(found.count[c]);
      }
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const auto& row : centers_)
      for (const double coordinate : row) sum.add(std::bit_cast<std::uint64_t>(coordinate));
    return sum.value();
  }

 private:
  Loops& loops_;
  std::uint64_t rounds_;
  std::vector<point> points_;
  centers centers_{};
};

}  // namespace kmeans
