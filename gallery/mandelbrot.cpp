// SPDX-License-Identifier: Apache-2.0
// mandelbrot: a picture of the Mandelbrot set. Rows cost very different amounts of work: those through the
// set a lot, those beside it little; and so do the pixels of a row. Both loops are parallel, in the order of
// your choice; no order is better for the caches, but each is balanced in its own way.
#include "gallery/input_error.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/orders.hpp"
#include "gallery/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace gallery {
namespace {

using color = std::array<std::uint8_t, 3>;

// Steps until z = z*z + c leaves the circle of radius 2, `most` if it has not by then.
std::int64_t steps(double x, double y, std::int64_t most) {
  double re = 0;
  double im = 0;
  std::int64_t n = 0;
  for (; n < most && re * re + im * im <= 4; ++n) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
  }
  return n;
}

// The set is black; outside, colors pass through a cycle whose turns take twice as many steps each.
std::vector<color> palette(std::int64_t most) {
  std::vector<color> colors(static_cast<std::size_t>(most) + 1);
  for (std::size_t n = 0; n + 1 < colors.size(); ++n) {
    const double turn = std::log2(static_cast<double>(n) + 1) * 0.5;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const double phase = 0.6 + 0.12 * static_cast<double>(channel);
      colors[n][channel] =
          static_cast<std::uint8_t>(255 * (0.5 - 0.5 * std::cos(2 * std::numbers::pi * (turn + phase))));
    }
  }
  return colors;
}

struct program {
  static constexpr description about{
      .name = "mandelbrot", .summary = "a picture of the Mandelbrot set", .writes = content::picture};

  std::int64_t width = 1200;
  std::int64_t height = 800;
  std::int64_t most = 1000;
  double x = -0.7;
  double y = 0;
  double span = 3.2;
  order_choice order;
  std::vector<color> colors;

  std::vector<parameter> parameters() {
    return {{"width", "pixels in a row", &width, 1, 1 << 16},
            {"height", "rows", &height, 1, 1 << 16},
            {"steps", "after which a point is taken to be in the set", &most, 1, 1e6},
            {"x", "center of the picture, real part", &x, -4, 4},
            {"y", "center of the picture, imaginary part", &y, -4, 4},
            {"span", "width of the picture in the complex plane", &span, 1e-12, 8},
            order.which(),
            order.size()};
  }

  void choose_demo() {
    most = 700;
    x = -0.743643;
    y = 0.131825;
    span = 0.006;
  }

  void prepare() {
    if (static_cast<std::size_t>(width * height) > most_pixels) {
      throw input_error(
          fmt::format("mandelbrot: {} x {} pixels are too many; ask for at most {} with --width and --height",
                      width, height, most_pixels));
    }
    colors = palette(most);
  }

  std::int64_t steps_at(std::size_t column, std::size_t row) const {
    const double pixel = span / static_cast<double>(width);
    return steps(x + pixel * (static_cast<double>(column) + 0.5 - 0.5 * static_cast<double>(width)),
                 y - pixel * (static_cast<double>(row) + 0.5 - 0.5 * static_cast<double>(height)), most);
  }

  template <class P>
  picture run() const {
    picture result(static_cast<std::size_t>(width), static_cast<std::size_t>(height));
    for_cells<P>(order, rectangle{result.height, result.width},
                 [this, out = &result](std::size_t row, std::size_t column) {
                   const color& c = colors[static_cast<std::size_t>(steps_at(column, row))];
                   std::copy(c.begin(), c.end(), out->row(row) + 3 * column);
                 });
    return result;
  }

  // One pixel of each row, not the same column everywhere, by itself.
  std::string complaint(const picture& result) const {
    for (std::size_t row = 0; row < result.height; ++row) {
      const std::size_t column = row * 7919 % result.width;
      const color right = colors[static_cast<std::size_t>(steps_at(column, row))];
      if (!std::equal(right.begin(), right.end(), result.row(row) + column * 3)) {
        return fmt::format("the pixel in column {} of row {} has the wrong color", column, row);
      }
    }
    return {};
  }

  std::string describe(const picture& result) const {
    return fmt::format("{} x {} pixels", result.width, result.height);
  }

  std::string encode(const picture& result) const { return png_of(result); }
};

}  // namespace

std::unique_ptr<kernel> make_mandelbrot() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
