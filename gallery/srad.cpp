// SPDX-License-Identifier: Apache-2.0
// srad: speckle-reducing anisotropic diffusion (Yu and Acton, 2002), as in Rodinia (Che et al., 2009). The
// grays of a picture spread, but little across edges; how much a spot counts as an edge is judged against the
// speckle of a patch that has none. A step has three loops, each of which needs all of the one before it; two
// of them are nests, run in the order of your choice.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/orders.hpp"
#include "gallery/picture.hpp"
#include "gallery/splitmix.hpp"

#include <sennit/parallel_reduce.hpp>
#include <sennit/serial.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace gallery {
namespace {

struct field {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<float> cells;

  field() = default;
  field(std::size_t w, std::size_t h) : width(w), height(h), cells(w * h) {}

  float* row(std::size_t y) { return cells.data() + y * width; }
  const float* row(std::size_t y) const { return cells.data() + y * width; }

  bool operator==(const field&) const = default;
};

// Grays from 0 to 255 become 1 to e: speckle multiplies what is under it, and in the method nothing is zero.
constexpr float white = 255;

field from_picture(const picture& image) {
  field result(image.width, image.height);
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const std::uint8_t* const pixel = image.bytes.data() + 3 * i;
    const float gray = 0.299F * pixel[0] + 0.587F * pixel[1] + 0.114F * pixel[2];
    result.cells[i] = std::exp(gray / white);
  }
  return result;
}

picture to_picture(const field& image) {
  picture result(image.width, image.height);
  for (std::size_t i = 0; i < result.bytes.size(); ++i) {
    const float gray = white * std::log(image.cells[i / 3]);
    result.bytes[i] = static_cast<std::uint8_t>(std::lround(std::clamp(gray, 0.0F, white)));
  }
  return result;
}

// The differences from a cell to its four neighbors. Beyond the edge the picture goes on as it is at the
// edge.
struct gradient {
  float north;
  float south;
  float west;
  float east;

  gradient(const field& now, std::size_t x, std::size_t y) {
    const float here = now.row(y)[x];
    north = now.row(y == 0 ? 0 : y - 1)[x] - here;
    south = now.row(std::min(y + 1, now.height - 1))[x] - here;
    west = now.row(y)[x == 0 ? 0 : x - 1] - here;
    east = now.row(y)[std::min(x + 1, now.width - 1)] - here;
  }
};

// How easily a cell's gray spreads: 1 where the picture varies as its speckle does, near 0 at an edge.
float conduction(const field& now, std::size_t x, std::size_t y, float speckle) {
  const gradient d(now, x, y);
  const float here = now.row(y)[x];
  const float slope =
      (d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east) / (here * here);
  const float curve = (d.north + d.south + d.west + d.east) / here;
  const float scale = 1 + 0.25F * curve;
  const float variation = (0.5F * slope - 0.0625F * curve * curve) / (scale * scale);
  return std::clamp(1 / (1 + (variation - speckle) / (speckle * (1 + speckle))), 0.0F, 1.0F);
}

// What flows between two neighbors depends on the conduction of the one to the south or to the east.
float diffused(const field& now, const field& conductions, std::size_t x, std::size_t y, float rate) {
  const gradient d(now, x, y);
  const float here = conductions.row(y)[x];
  const float south = conductions.row(std::min(y + 1, now.height - 1))[x];
  const float east = conductions.row(y)[std::min(x + 1, now.width - 1)];
  return now.row(y)[x] + 0.25F * rate * (here * d.north + south * d.south + here * d.west + east * d.east);
}

struct moments {
  double sum = 0;
  double squares = 0;

  moments operator+(const moments& other) const { return {sum + other.sum, squares + other.squares}; }
};

moments moments_of(const float* first, const float* last) {
  moments m;
  for (; first != last; ++first) {
    const double cell = *first;
    m = m + moments{cell, cell * cell};
  }
  return m;
}

// The square of the coefficient of variation of the patch at the top left: the same bits whoever sums which
// row.
template <class P>
float speckle_of(const field& now, std::size_t patch) {
  const std::size_t width = std::min(now.width, patch);
  const std::size_t height = std::min(now.height, patch);
  const moments all = P::parallel_reduce(
      0, height, moments(), [&](std::size_t y) { return moments_of(now.row(y), now.row(y) + width); },
      std::plus<>(), sennit::deterministic);
  const auto cells = static_cast<double>(height * width);
  const double mean = all.sum / cells;
  return static_cast<float>((all.squares / cells - mean * mean) / (mean * mean));
}

struct program {
  static constexpr description about{.name = "srad",
                                     .summary = "a picture's speckle diffuses, its edges stay",
                                     .reads = content::picture,
                                     .input = "picture.png",
                                     .writes = content::picture};

  std::int64_t steps = 50;
  double rate = 0.5;
  std::int64_t patch = 128;
  double speckle = 0;
  std::int64_t seed = 1;
  order_choice order{.tile = 64};
  field start;

  std::vector<parameter> parameters() {
    return {{"steps", "number of time steps", &steps, 1, 1e6},
            {"rate", "how far a step goes", &rate, 0, 1},
            {"patch", "side of the square at the top left that has no edges", &patch, 1, 1 << 20},
            {"speckle", "put on the picture first: what each pixel varies by, at most", &speckle, 0, 1},
            {"seed", "which speckle", &seed, 0, 1e9},
            order.which(),
            order.size()};
  }
  void choose_demo() { speckle = 0.2; }
  void prepare(const std::filesystem::path& path) {
    start = from_picture(read_png(path));
    std::uint64_t state = splitmix64(static_cast<std::uint64_t>(seed));
    for (float& cell : start.cells) {
      state = splitmix64(state);
      const double factor = 1 + speckle * (std::ldexp(static_cast<double>(state), -63) - 1);
      cell = std::clamp(cell * static_cast<float>(factor), 1.0F, std::numbers::e_v<float>);
    }
  }

  template <class P>
  field run() const {
    const auto step = static_cast<float>(rate);
    const auto side = static_cast<std::size_t>(patch);
    field now = start;
    field next(now.width, now.height);
    field conductions(now.width, now.height);
    for (std::int64_t i = 0; i < steps; ++i) {
      const float measure = speckle_of<P>(now, side);
      if (!(measure > 0)) break;  // the patch has no speckle left
      const rectangle cells{now.height, now.width};
      for_cells<P>(order, cells, [measure, in = &now, out = &conductions](std::size_t y, std::size_t x) {
        out->row(y)[x] = conduction(*in, x, y, measure);
      });
      for_cells<P>(order, cells,
                   [=, in = &now, flows = &conductions, out = &next](std::size_t y, std::size_t x) {
                     out->row(y)[x] = diffused(*in, *flows, x, y, step);
                   });
      std::swap(now, next);
    }
    return now;
  }

  // What flows out of a cell flows into a neighbor, and no cell gets lighter or darker than any was.
  std::string complaint(const field& result) const {
    const auto [darkest, lightest] = std::minmax_element(start.cells.begin(), start.cells.end());
    constexpr float rounding = 1e-3F;
    for (const float cell : result.cells) {
      if (!(cell >= *darkest - rounding && cell <= *lightest + rounding)) {
        return fmt::format("a cell is {}, beyond the {} to {} they began with", cell, *darkest, *lightest);
      }
    }
    const double before = moments_of(start.cells.data(), start.cells.data() + start.cells.size()).sum;
    const double after = moments_of(result.cells.data(), result.cells.data() + result.cells.size()).sum;
    if (std::abs(after - before) > 1e-5 * before) {
      return fmt::format("the cells' sum was {} and now is {}", before, after);
    }
    return {};
  }

  std::string describe(const field& result) const {
    const auto speckle_in = [this](const field& image) {
      return std::sqrt(speckle_of<sennit::serial>(image, static_cast<std::size_t>(patch)));
    };
    return fmt::format("{} steps on {} x {} pixels: speckle from {:.4f} to {:.4f}", steps, result.width,
                       result.height, speckle_in(start), speckle_in(result));
  }

  std::string encode(const field& result) const { return png_of(to_picture(result)); }
};

}  // namespace

std::unique_ptr<kernel> make_srad() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
