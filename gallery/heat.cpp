// heat: a picture's colors spread like heat in an insulated plate, step by step (2-D diffusion, explicit
// five-point scheme). A step is a parallel loop over the rows; the next one starts when it is done.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gallery {
namespace {

// The part of the difference to a neighbor that flows in a step; above a quarter the scheme is not stable.
constexpr float flow = 0.2F;

struct plate {
  std::size_t width = 0;
  std::size_t height = 0;
  std::array<std::vector<float>, 3> planes;  // red, green, blue

  const float* row(std::size_t plane, std::size_t y) const { return planes[plane].data() + y * width; }
  float* row(std::size_t plane, std::size_t y) { return planes[plane].data() + y * width; }

  bool operator==(const plate&) const = default;
};

plate from_picture(const picture& image) {
  plate result{image.width, image.height, {}};
  for (std::size_t plane = 0; plane < 3; ++plane) {
    result.planes[plane].resize(image.width * image.height);
    for (std::size_t i = 0; i < result.planes[plane].size(); ++i)
      result.planes[plane][i] = image.bytes[3 * i + plane];
  }
  return result;
}

picture to_picture(const plate& p) {
  picture result(p.width, p.height);
  for (std::size_t i = 0; i < result.bytes.size(); ++i) {
    result.bytes[i] =
        static_cast<std::uint8_t>(std::lround(std::clamp(p.planes[i % 3][i / 3], 0.0F, 255.0F)));
  }
  return result;
}

// Beyond the edge the plate is as warm as at the edge, so nothing flows across it.
void step_row(const plate& now, plate& next, std::size_t y) {
  const std::size_t last = now.width - 1;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const float* above = now.row(plane, y == 0 ? 0 : y - 1);
    const float* here = now.row(plane, y);
    const float* below = now.row(plane, std::min(y + 1, now.height - 1));
    float* out = next.row(plane, y);
    const auto cell = [&](std::size_t x, std::size_t left, std::size_t right) {
      out[x] = here[x] + flow * (above[x] + below[x] + here[left] + here[right] - 4 * here[x]);
    };
    cell(0, 0, std::min<std::size_t>(1, last));
    for (std::size_t x = 1; x < last; ++x) cell(x, x - 1, x + 1);
    if (last > 0) cell(last, last - 1, last);
  }
}

struct heat_range {
  double sum = 0;
  float least = 255;
  float most = 0;
};

heat_range range_of(const std::vector<float>& plane) {
  heat_range range;
  for (const float cell : plane) {
    range = {range.sum + static_cast<double>(cell), std::min(range.least, cell), std::max(range.most, cell)};
  }
  return range;
}

struct program {
  static constexpr description about{.name = "heat",
                                     .summary = "a picture's colors spread like heat in a plate",
                                     .reads = content::picture,
                                     .input = "picture.png",
                                     .writes = content::picture};

  std::int64_t steps = 300;
  plate start;

  std::vector<parameter> parameters() { return {{"steps", "number of time steps", &steps, 1, 1e6}}; }
  void choose_demo() { steps = 500; }
  void prepare(const std::filesystem::path& path) { start = from_picture(read_png(path)); }

  template <class P>
  plate run() const {
    plate now = start;
    plate next = start;
    for (std::int64_t i = 0; i < steps; ++i) {
      P::parallel_for(0, now.height, [&](std::size_t y) { step_row(now, next, y); });
      std::swap(now, next);
    }
    return now;
  }

  // Diffusion in an insulated plate neither makes nor loses heat, and no place gets
  // hotter or colder than any was.
  std::string complaint(const plate& result) const {
    constexpr float rounding = 0.01F;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const heat_range before = range_of(start.planes[plane]);
      const heat_range after = range_of(result.planes[plane]);
      if (after.least < before.least - rounding || after.most > before.most + rounding) {
        return fmt::format("plane {} now ranges from {} to {}, beyond the {} to {} it began with", plane,
                           after.least, after.most, before.least, before.most);
      }
      if (std::abs(after.sum - before.sum) > 1e-4 * before.sum + 1) {
        return fmt::format("plane {} held {} of heat and now holds {}", plane, before.sum, after.sum);
      }
    }
    return {};
  }

  std::string describe(const plate& result) const {
    return fmt::format("{} steps on {} x {} pixels", steps, result.width, result.height);
  }

  void write(const plate& result, const std::filesystem::path& path) const {
    write_png(to_picture(result), path);
  }
};

}  // namespace

std::unique_ptr<kernel> make_heat() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
