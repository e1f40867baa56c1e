// SPDX-License-Identifier: Apache-2.0
// jacobi-1d, jacobi-2d, jacobi-3d, seidel-2d, apop, mvt, bicg, copy, wave-1d, convolution-2d, gray-scott and stencil-27: sweeps over the same data, again and again, spliced where there is
// a runtime, and one after the other without.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/spliced_cases.hpp"
#include "gallery/splices.hpp"
#include "gallery/sweeps.hpp"

#include <sennit/splice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gallery {
namespace {

template <class Kernel>
auto tree_of(Kernel& kernel, std::int64_t s, std::int64_t block) {
  return sennit::divided{kernel.whole().rows, block,
                         [&kernel, s](range rows) { return kernel.effects_of(s, rows); },
                         [&kernel, s](range rows) { kernel.sweep(s, {rows, kernel.whole().columns}); }};
}

std::int64_t pieces(range r, std::int64_t size) { return (r.size() + size - 1) / size; }
range piece(range r, std::int64_t size, std::int64_t i) {
  return range{r.first + i * size, r.first + (i + 1) * size}.within(r);
}

// A sweep by the loops of a policy.
template <class P, class Kernel>
void sweep(Kernel& kernel, std::int64_t s, std::int64_t block) {
  const part whole = kernel.whole();
  if constexpr (requires { Kernel::chained; }) {
    const std::int64_t rows = pieces(whole.rows, block);
    const std::int64_t columns = pieces(whole.columns, block);
    for (std::int64_t d = 0; d < rows + columns - 1; ++d) {
      P::parallel_for(
          std::max<std::int64_t>(0, d - columns + 1), std::min(rows, d + 1), [&](std::int64_t row) {
            kernel.sweep(s, {piece(whole.rows, block, row), piece(whole.columns, block, d - row)});
          });
    }
  } else {
    if constexpr (requires { kernel.row_unit(); }) block = kernel.row_unit();
    P::parallel_for(std::int64_t{0}, pieces(whole.rows, block),
                    [&](std::int64_t i) { kernel.sweep(s, {piece(whole.rows, block, i), whole.columns}); });
  }
}

// A Case has the kernel, its name and summary, a size and a block to begin with, what its steps are, and reference(n, steps).
template <class Case>
struct program {
  using kernel_type = typename Case::kernel_type;
  using numbers = std::vector<
      std::remove_cv_t<typename decltype(std::declval<const kernel_type&>().result(0))::value_type>>;

  static constexpr description about{.name = Case::name, .summary = Case::summary};

  std::int64_t n = Case::size;
  std::int64_t steps = Case::steps;
  std::int64_t block = Case::block;
  sennit::splice_schedule* spliced = nullptr;

  std::vector<parameter> parameters() {
    return {{"n", "numbers along a side", &n, 3, Case::most},
            {"steps", Case::steps_are, &steps, 1, Case::steps == 1 ? 1 : 1e6},
            {"block", "numbers, or rows of them, that are not divided any further", &block, 1, 1 << 28}};
  }
  void choose_demo() {}
  void prepare() {}

  template <class P>
  numbers run() const {
    kernel_type kernel((n + Case::unit - 1) / Case::unit * Case::unit);
    kernel.initialize();
    const std::int64_t sweeps = steps * kernel_type::phases;
    if constexpr (std::is_same_v<P, sennit::parallel>) {
      splice_noting(spliced, {}, sweeps, [&](std::int64_t s) { return tree_of(kernel, s, block); });
    } else {
      for (std::int64_t s = 0; s < sweeps; ++s) sweep<P>(kernel, s, block);
    }
    finish(kernel);
    const auto result = kernel.result(sweeps);
    return {result.begin(), result.end()};
  }

  std::string complaint(const numbers& result) const {
    const numbers right = Case::reference((n + Case::unit - 1) / Case::unit * Case::unit, steps);
    for (std::size_t i = 0; i < right.size(); ++i)
      if (Case::differ(result[i], right[i]))
        return fmt::format("number {} is {}, not {}", i, result[i], right[i]);
    return {};
  }

  std::string describe(const numbers& result) const {
    double sum = 0;
    for (const auto x : result) sum += static_cast<double>(x);
    return fmt::format("{} steps, {} numbers, {:.6g} on average", steps, result.size(),
                       sum / static_cast<double>(result.size()));
  }
};

template <class Case>
std::unique_ptr<kernel> make() {
  return std::make_unique<adapter<program<Case>>>();
}

}  // namespace

std::unique_ptr<kernel> make_jacobi_1d() { return make<jacobi_1d_case>(); }
std::unique_ptr<kernel> make_jacobi_2d() { return make<jacobi_2d_case>(); }
std::unique_ptr<kernel> make_jacobi_3d() { return make<jacobi_3d_case>(); }
std::unique_ptr<kernel> make_seidel_2d() { return make<seidel_2d_case>(); }
std::unique_ptr<kernel> make_apop() { return make<apop_case>(); }
std::unique_ptr<kernel> make_mvt() { return make<mvt_case>(); }
std::unique_ptr<kernel> make_bicg() { return make<bicg_case>(); }
std::unique_ptr<kernel> make_copy() { return make<copy_case>(); }
std::unique_ptr<kernel> make_wave_1d() { return make<wave_1d_case>(); }
std::unique_ptr<kernel> make_convolution_2d() { return make<convolution_2d_case>(); }
std::unique_ptr<kernel> make_gray_scott() { return make<gray_scott_case>(); }
std::unique_ptr<kernel> make_stencil_27() { return make<stencil_27_case>(); }

}  // namespace gallery
