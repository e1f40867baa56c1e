// SPDX-License-Identifier: Apache-2.0
// kmeans: objects in clusters, each object in the one whose center is nearest, by Lloyd's rounds as in
// Rodinia (Che et al., 2009). Every round is one reduction over all objects: what it adds up to are the next
// centers.
#include "gallery/input_error.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/splitmix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gallery {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 27;

// Points in a space of so many dimensions.
struct points {
  std::size_t count = 0;
  std::size_t dimensions = 0;
  std::vector<float> cells;

  points() = default;
  points(std::size_t n, std::size_t d) : count(n), dimensions(d), cells(n * d) {}

  float* operator[](std::size_t i) { return cells.data() + i * dimensions; }
  const float* operator[](std::size_t i) const { return cells.data() + i * dimensions; }

  bool operator==(const points&) const = default;
};

template <class Number>
Number distance(const float* a, const float* b, std::size_t dimensions) {
  Number sum = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Number difference = static_cast<Number>(a[d]) - static_cast<Number>(b[d]);
    sum += difference * difference;
  }
  return sum;
}

std::size_t nearest(const points& centers, const float* object) {
  std::size_t best = 0;
  auto least = distance<float>(centers[0], object, centers.dimensions);
  for (std::size_t c = 1; c < centers.count; ++c) {
    const auto d = distance<float>(centers[c], object, centers.dimensions);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  return best;
}

struct member {
  const float* object;
  std::size_t cluster;
  bool moved;  // from another cluster
};

// What objects add up to: their number and the sum of their coordinates, cluster by cluster. Coordinates are
// whole numbers, so that sums are exact, and the same in whatever order they are made.
class tally {
 public:
  explicit tally(const points& centers)
      : dimensions_(centers.dimensions), sums_(centers.count * (dimensions_ + 1)) {}

  void add(const member& m) {
    double* const sum = sums_.data() + m.cluster * (dimensions_ + 1);
    for (std::size_t d = 0; d < dimensions_; ++d) sum[d] += static_cast<double>(m.object[d]);
    sum[dimensions_] += 1;
    moved_ += m.moved ? 1 : 0;
  }
  void add(const tally& other) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    moved_ += other.moved_;
  }

  std::int64_t moved() const { return moved_; }

  // Makes each center the mean of its cluster; one whose cluster is empty stays where it is.
  void move_to_means(points& centers) const {
    for (std::size_t c = 0; c < centers.count; ++c) {
      const double* const sum = sums_.data() + c * (dimensions_ + 1);
      const double objects = sum[dimensions_];
      if (objects == 0) continue;
      for (std::size_t d = 0; d < dimensions_; ++d) centers[c][d] = static_cast<float>(sum[d] / objects);
    }
  }

 private:
  std::size_t dimensions_;
  std::vector<double> sums_;  // for each cluster the coordinates, then the number of objects
  std::int64_t moved_ = 0;
};

struct clustering {
  points centers;
  std::vector<std::uint32_t> cluster_of;
  std::int64_t rounds = 0;
  bool settled = false;  // no object changed its cluster in the last round

  bool operator==(const clustering&) const = default;
};

struct program {
  static constexpr description about{.name = "kmeans",
                                     .summary = "objects in clusters around the nearest centers"};

  std::int64_t count = 100'000;
  std::int64_t dimensions = 34;
  std::int64_t clusters = 5;
  std::int64_t spread = 200;
  std::int64_t rounds = 20;
  std::int64_t seed = 1;
  points objects;

  std::vector<parameter> parameters() {
    return {{"objects", "number of objects", &count, 1, 1 << 24},
            {"dimensions", "coordinates of each object", &dimensions, 1, 1000},
            {"clusters", "number of clusters", &clusters, 1, 1000},
            {"spread", "how far an object is from the middle of its group in each dimension, at most",
             &spread, 0, 1e4},
            {"rounds", "after which it ends even if objects still change their clusters", &rounds, 1, 1e4},
            {"seed", "which objects", &seed, 0, 1e9}};
  }
  void choose_demo() { count = 400'000; }

  // As many groups of objects as clusters are asked for, taking turns.
  void prepare() {
    const auto n = static_cast<std::size_t>(count);
    const auto d = static_cast<std::size_t>(dimensions);
    const auto k = static_cast<std::size_t>(clusters);
    if (k > n) {
      throw input_error(fmt::format(
          "kmeans: {} objects cannot be in {} clusters; ask for at most {} with --clusters", n, k, n));
    }
    if (n * d > most_cells) {
      throw input_error(fmt::format(
          "kmeans: {} objects with {} coordinates are too many; ask for at most {} objects with --objects", n,
          d, most_cells / d));
    }
    std::uint64_t state = splitmix64(static_cast<std::uint64_t>(seed));
    const auto random = [&](std::int64_t below) {
      state = splitmix64(state);
      return static_cast<std::int64_t>(state % static_cast<std::uint64_t>(below));
    };
    points middles(k, d);
    for (float& cell : middles.cells) cell = static_cast<float>(random(256));
    objects = points(n, d);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        objects[i][j] = middles[i % k][j] + static_cast<float>(random(2 * spread + 1) - spread);
      }
    }
  }

  // The first objects are the first centers.
  template <class P>
  clustering run() const {
    clustering now;
    now.centers = points(static_cast<std::size_t>(clusters), objects.dimensions);
    std::copy_n(objects.cells.begin(), now.centers.cells.size(), now.centers.cells.begin());
    constexpr std::uint32_t none = -1;
    now.cluster_of.assign(objects.count, none);
    while (!now.settled && now.rounds < rounds) {
      const tally sums = P::parallel_fold(
          0, objects.count, tally(now.centers),
          [&](tally& sum, std::size_t i) {
            const std::size_t cluster = nearest(now.centers, objects[i]);
            const auto before = std::exchange(now.cluster_of[i], static_cast<std::uint32_t>(cluster));
            sum.add(member{objects[i], cluster, before != cluster});
          },
          [](tally& sum, const tally& more) { sum.add(more); });
      now.settled = sums.moved() == 0;
      sums.move_to_means(now.centers);
      ++now.rounds;
    }
    return now;
  }

  // Each center is the mean of its cluster; and once they have settled, each object is in the nearest one's.
  std::string complaint(const clustering& result) const {
    points means(result.centers.count, result.centers.dimensions);
    std::vector<double> sums(means.cells.size());
    std::vector<std::size_t> sizes(means.count);
    for (std::size_t i = 0; i < objects.count; ++i) {
      const std::size_t own = result.cluster_of[i];
      if (own >= means.count) return fmt::format("object {} is in no cluster", i);
      ++sizes[own];
      for (std::size_t d = 0; d < means.dimensions; ++d) {
        sums[own * means.dimensions + d] += static_cast<double>(objects[i][d]);
      }
      if (!result.settled) continue;
      const auto mine = distance<double>(result.centers[own], objects[i], means.dimensions);
      for (std::size_t c = 0; c < means.count; ++c) {
        const auto other = distance<double>(result.centers[c], objects[i], means.dimensions);
        if (mine > other * 1.0001 + 0.01) {  // more than single precision can be wrong by
          return fmt::format("object {} is in cluster {}, but the center of {} is nearer", i, own, c);
        }
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t cluster = i / means.dimensions;
      if (sizes[cluster] == 0) continue;
      const auto right = static_cast<float>(sums[i] / static_cast<double>(sizes[cluster]));
      if (result.centers.cells[i] != right) {
        return fmt::format("coordinate {} of the center of cluster {} is {}, not {}", i % means.dimensions,
                           cluster, result.centers.cells[i], right);
      }
    }
    return {};
  }

  std::string describe(const clustering& result) const {
    return fmt::format("{} objects in {} clusters, {} after {} rounds", objects.count, result.centers.count,
                       result.settled ? "settled" : "still moving", result.rounds);
  }
};

}  // namespace

std::unique_ptr<kernel> make_kmeans() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
