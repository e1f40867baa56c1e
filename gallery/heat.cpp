// SPDX-License-Identifier: Apache-2.0
// heat: a picture's colors spread like heat in insulated plates, step by step.
#include "gallery/heat.hpp"

#include "gallery/graphs.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/picture.hpp"
#include "gallery/splices.hpp"
#include "gallery/staged_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gallery {
namespace {

// Red, green and blue, one plane after the other.
using planes = std::vector<float>;

picture to_picture(const planes& cells, std::size_t width, std::size_t height) {
  picture result(width, height);
  for (std::size_t i = 0; i < result.bytes.size(); ++i) {
    const float cell = cells[i % 3 * width * height + i / 3];
    result.bytes[i] = static_cast<std::uint8_t>(std::lround(std::clamp(cell, 0.0F, 255.0F)));
  }
  return result;
}

struct heat_range {
  double sum = 0;
  float least = 255;
  float most = 0;
};

heat_range range_of(std::span<const float> plane) {
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
  // Steps that are interleaved with one another: enough to gain most of what there is, few enough that their rows fit a cache.
  static constexpr std::uint32_t together = 16;

  std::int64_t steps = 300;
  std::int64_t block = 1;
  std::string variant = "loops";
  color_choice colors;
  picture start;
  sennit::splice_schedule* spliced = nullptr;

  std::vector<parameter> parameters() {
    return {{"steps", "number of time steps", &steps, 1, 1e6},
            {"block", "rows of pixels that are not divided any further", &block, 1, 1 << 20},
            {.name = "variant",
             .meaning = "a loop for each step, one graph of tasks for all, or a splice, which uses rows "
                        "again while they "
                        "are in cache",
             .value = &variant,
             .words = {"loops", "graph", "spliced"}},
            colors.which()};
  }
  void choose_demo() { steps = 500; }
  void prepare(const std::filesystem::path& path) { start = read_png(path); }

  template <class P>
  planes run() const {
    heat plates(3, start.width, start.height, static_cast<std::size_t>(block));
    const auto fill = [&](std::size_t plane, std::size_t y, float* row) {
      const std::uint8_t* const pixels = start.bytes.data() + 3 * y * start.width;
      for (std::size_t x = 0; x < start.width; ++x) row[x] = pixels[3 * x + plane];
    };
    if (variant == "graph") {
      const auto count = static_cast<std::size_t>(steps);
      run_graph<P>(graph_of(stages_of(plates, count, fill)), colors);
      plates.took(count);
    } else if (variant == "spliced") {
      plates.initialize(loops<P>(), fill);
      const auto tree = [&](std::int64_t i) { return plates.tree_of(static_cast<std::size_t>(i) + 1); };
      if constexpr (std::is_same_v<P, sennit::parallel>) {
        splice_noting(spliced, {.together = together}, steps, tree);
      } else {
        for (std::int64_t i = 0; i < steps; ++i) tree(i)();
      }
      plates.took(static_cast<std::size_t>(steps));
    } else {
      const loops<P> run;
      plates.initialize(run, fill);
      for (std::int64_t i = 0; i < steps; ++i) plates.step(run);
    }
    return {plates.cells().begin(), plates.cells().end()};
  }

  // Diffusion in an insulated plate neither makes nor loses heat, and no place gets
  // hotter or colder than any was.
  std::string complaint(const planes& result) const {
    constexpr float rounding = 0.01F;
    const std::size_t size = start.width * start.height;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const heat_range before = range_of(plane_of_start(plane));
      const heat_range after = range_of(std::span(result).subspan(plane * size, size));
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

  std::string describe(const planes&) const {
    return fmt::format("{} steps on {} x {} pixels", steps, start.width, start.height);
  }

  std::string encode(const planes& result) const {
    return png_of(to_picture(result, start.width, start.height));
  }

 private:
  std::vector<float> plane_of_start(std::size_t plane) const {
    std::vector<float> cells(start.width * start.height);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = start.bytes[3 * i + plane];
    return cells;
  }
};

}  // namespace

std::unique_ptr<kernel> make_heat() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
