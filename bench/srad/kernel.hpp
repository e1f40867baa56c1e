// SPDX-License-Identifier: Apache-2.0
// Speckle-reducing anisotropic diffusion of Rodinia on a picture of `size` pixels a side, `work` rounds of
// three loops over the rows: a reduction and two stencils. kernel.rs is the same.
#pragma once

#include "common/loops.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace srad {

constexpr std::size_t grain = 8;  // rows, for those that need one
constexpr double lambda = 0.5;
constexpr double unit = 1 << 20;

// In fixed point, so that sums are exact in any order.
struct moments {
  std::int64_t sum = 0;
  std::int64_t squares = 0;
};

struct neighbors {
  double north, south, west, east;  // each less the pixel itself
};

// What the pixels of a row need: its own and its neighbors'.
struct rows {
  const double *above, *here, *below;

  rows(const double* picture, std::size_t side, std::size_t row)
      : above(picture + (row == 0 ? 0 : row - 1) * side),
        here(picture + row * side),
        below(picture + (row + 1 == side ? row : row + 1) * side) {}

  neighbors around(std::size_t j, std::size_t side) const {
    const double pixel = here[j];
    return {above[j] - pixel, below[j] - pixel, here[j == 0 ? 0 : j - 1] - pixel,
            here[j + 1 == side ? j : j + 1] - pixel};
  }
};

inline double diffusion(const neighbors& d, double pixel, double q0) {
  const double gradient =
      (d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east) / (pixel * pixel);
  const double laplacian = (d.north + d.south + d.west + d.east) / pixel;
  const double numerator = 0.5 * gradient - 1.0 / 16.0 * (laplacian * laplacian);
  const double denominator = 1 + 0.25 * laplacian;
  const double q = numerator / (denominator * denominator);
  const double coefficient = 1.0 / (1.0 + (q - q0) / (q0 * (1 + q0)));
  return coefficient < 0 ? 0 : coefficient > 1 ? 1 : coefficient;
}

template <class Loops>
class kernel {
 public:
  kernel(const bench::program& program, Loops& loops) : loops_(loops), rounds_(program.work()) {}

  void prepare(std::uint64_t side) {
    side_ = side;
    picture_.resize(side * side);
    coefficient_.resize(side * side);
    next_.resize(side * side);
    bench::random_numbers random(4);
    for (double& pixel : picture_) pixel = static_cast<double>(1 + random.below(255)) / 256;
  }

  void run() {
    loops_.enter([this] {
      for (std::uint64_t round = 0; round < rounds_; ++round) {
        find_coefficients(speckle());
        diffuse();
        picture_.swap(next_);
      }
    });
  }

  std::uint64_t check() const {
    bench::checksum sum;
    for (const double pixel : picture_) sum.add(std::bit_cast<std::uint64_t>(pixel));
    return sum.value();
  }

 private:
  double speckle() {
    const moments all = loops_.fold(
        side_, grain, moments{},
        [side = side_, picture = picture_.data()](moments& view, std::size_t row) {
          moments of_row;
          for (std::size_t j = 0; j < side; ++j) {
            const double pixel = picture[row * side + j];
            of_row.sum += static_cast<std::int64_t>(pixel * unit);
            of_row.squares += static_cast<std::int64_t>(pixel * pixel * unit);
          }
          view.sum += of_row.sum;
          view.squares += of_row.squares;
        },
        [](moments& view, const moments& other) {
          view.sum += other.sum;
          view.squares += other.squares;
        });
    const double pixels = static_cast<double>(side_ * side_);
    const double mean = static_cast<double>(all.sum) / unit / pixels;
    const double variance = static_cast<double>(all.squares) / unit / pixels - mean * mean;
    return variance / (mean * mean);
  }

  void find_coefficients(double q0) {
    loops_.each(side_, grain,
                [q0, side = side_, picture = picture_.data(), out = coefficient_.data()](std::size_t i) {
                  const rows pixels(picture, side, i);
                  for (std::size_t j = 0; j < side; ++j)
                    out[i * side + j] = diffusion(pixels.around(j, side), pixels.here[j], q0);
                });
  }

  void diffuse() {
    loops_.each(side_, grain,
                [side = side_, picture = picture_.data(), coefficient = coefficient_.data(),
                 out = next_.data()](std::size_t i) {
                  const rows pixels(picture, side, i), c(coefficient, side, i);
                  for (std::size_t j = 0; j < side; ++j) {
                    const neighbors d = pixels.around(j, side);
                    const double divergence = c.here[j] * d.north + c.below[j] * d.south +
                                              c.here[j] * d.west + c.here[j + 1 == side ? j : j + 1] * d.east;
                    out[i * side + j] = pixels.here[j] + 0.25 * lambda * divergence;
                  }
                });
  }

  Loops& loops_;
  std::uint64_t rounds_;
  std::size_t side_ = 0;
  std::vector<double> picture_, coefficient_, next_;
};

}  // namespace srad
