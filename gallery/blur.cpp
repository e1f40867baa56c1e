// SPDX-License-Identifier: Apache-2.0
// blur: each pixel of a picture becomes the average of those around it. A loop over the rows, one over the
// pixels of a row, in the order of your choice, and the square around a pixel by itself (Govedič, 2023,
// §5.3.2).
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/orders.hpp"
#include "gallery/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gallery {
namespace {

using channels = std::array<std::uint64_t, 3>;

// The pixels around one that are in the picture.
struct square {
  std::size_t left;
  std::size_t top;
  std::size_t right;  // the first column and row beyond
  std::size_t bottom;

  square(const picture& image, std::size_t x, std::size_t y, std::size_t radius)
      : left(x - std::min(x, radius)),
        top(y - std::min(y, radius)),
        right(std::min(x + radius + 1, image.width)),
        bottom(std::min(y + radius + 1, image.height)) {}

  // Of the pixels whose sum it is; halves are rounded up.
  std::uint8_t average(std::uint64_t sum) const {
    const std::uint64_t pixels = (right - left) * (bottom - top);
    return static_cast<std::uint8_t>((sum + pixels / 2) / pixels);
  }
};

void blur_pixel(const picture& in, picture& out, std::size_t x, std::size_t y, std::size_t radius) {
  const square around(in, x, y, radius);
  channels sums{};
  for (std::size_t row = around.top; row < around.bottom; ++row) {
    const std::uint8_t* const end = in.row(row) + 3 * around.right;
    for (const std::uint8_t* pixel = in.row(row) + 3 * around.left; pixel != end; pixel += 3) {
      for (std::size_t channel = 0; channel < 3; ++channel) sums[channel] += pixel[channel];
    }
  }
  for (std::size_t channel = 0; channel < 3; ++channel) {
    out.row(y)[3 * x + channel] = around.average(sums[channel]);
  }
}

// Sums over any rectangle at once: the cell of row y and column x holds the sum of all that is above and to
// the left.
class summed_area {
 public:
  explicit summed_area(const picture& image) : width_(image.width + 1), sums_(width_ * (image.height + 1)) {
    for (std::size_t y = 0; y < image.height; ++y) {
      channels row{};
      for (std::size_t x = 0; x < image.width; ++x) {
        for (std::size_t channel = 0; channel < 3; ++channel) {
          row[channel] += image.row(y)[3 * x + channel];
          sums_[(y + 1) * width_ + x + 1][channel] = sums_[y * width_ + x + 1][channel] + row[channel];
        }
      }
    }
  }

  std::uint64_t sum(const square& s, std::size_t channel) const {
    return at(s.bottom, s.right, channel) + at(s.top, s.left, channel) - at(s.top, s.right, channel) -
           at(s.bottom, s.left, channel);
  }

 private:
  std::uint64_t at(std::size_t y, std::size_t x, std::size_t channel) const {
    return sums_[y * width_ + x][channel];
  }

  std::size_t width_;
  std::vector<channels> sums_;
};

struct program {
  static constexpr description about{.name = "blur",
                                     .summary = "each pixel of a picture the average of those around it",
                                     .reads = content::picture,
                                     .input = "picture.png",
                                     .writes = content::picture};

  std::int64_t radius = 6;
  order_choice order{.tile = 64};
  picture start;

  std::vector<parameter> parameters() {
    return {{"radius", "pixels to each side that count", &radius, 0, 1000}, order.which(), order.size()};
  }
  void choose_demo() { radius = 12; }
  void prepare(const std::filesystem::path& path) { start = read_png(path); }

  template <class P>
  picture run() const {
    picture result(start.width, start.height);
    const auto reach = static_cast<std::size_t>(radius);
    for_cells<P>(order, rectangle{result.height, result.width},
                 [=, in = &start, out = &result](std::size_t y, std::size_t x) {
                   blur_pixel(*in, *out, x, y, reach);
                 });
    return result;
  }

  std::string complaint(const picture& result) const {
    const summed_area sums(start);
    for (std::size_t y = 0; y < result.height; ++y) {
      for (std::size_t x = 0; x < result.width; ++x) {
        const square around(start, x, y, static_cast<std::size_t>(radius));
        for (std::size_t channel = 0; channel < 3; ++channel) {
          const std::uint8_t right = around.average(sums.sum(around, channel));
          const std::uint8_t found = result.row(y)[3 * x + channel];
          if (found != right) {
            return fmt::format("channel {} of the pixel in column {} of row {} is {}, not {}", channel, x, y,
                               found, right);
          }
        }
      }
    }
    return {};
  }

  std::string describe(const picture& result) const {
    return fmt::format("{0} x {0} pixels averaged for each of {1} x {2}", 2 * radius + 1, result.width,
                       result.height);
  }

  std::string encode(const picture& result) const { return png_of(result); }
};

}  // namespace

std::unique_ptr<kernel> make_blur() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
