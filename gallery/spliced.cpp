// jacobi-1d, jacobi-2d, jacobi-3d, seidel-2d, apop, mvt, bicg and copy: sweeps over the same data, again and again, spliced where there is
// a runtime, and one after the other without.
#include "gallery/apop.hpp"
#include "gallery/copy.hpp"
#include "gallery/jacobi_1d.hpp"
#include "gallery/jacobi_2d.hpp"
#include "gallery/jacobi_3d.hpp"
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"
#include "gallery/mvt.hpp"
#include "gallery/seidel_2d.hpp"
#include "gallery/splices.hpp"
#include "gallery/sweeps.hpp"

#include <sennit/splice.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

// A Case has the kernel, its name and summary, a size and a block to begin with, and reference(n, steps): what plain loops come to.
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
            {"steps", "number of time steps", &steps, 1, Case::steps == 1 ? 1 : 1e6},
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

struct exact {
  static constexpr std::int64_t unit = 1;
  static bool differ(double a, double b) { return a != b; }
};

template <class Kernel>
std::vector<double> start_of(std::int64_t n) {
  Kernel kernel(n);
  kernel.initialize();
  const auto u = kernel.result(0);
  return {u.begin(), u.end()};
}

// update(before, i) of all indices within the border of a cube of so many dimensions.
template <int dimensions, class Update>
std::vector<double> stencil(std::vector<double> u, std::int64_t n, std::int64_t steps, const Update& update) {
  const auto inside = [n](std::int64_t i) {
    for (int d = 0; d < dimensions; ++d, i /= n)
      if (i % n == 0 || i % n == n - 1) return false;
    return true;
  };
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::vector<double> before = u;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(u.size()); ++i)
      if (inside(i)) u[static_cast<std::size_t>(i)] = update(before.data() + i, i);
  }
  return u;
}

struct jacobi_1d_case : exact {
  using kernel_type = jacobi_1d;
  static constexpr auto name = "jacobi-1d";
  static constexpr auto summary = "means of three neighbors, step by step";
  static constexpr std::int64_t size = 1 << 22, most = 1 << 28, steps = 16, block = 4096;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    return stencil<1>(start_of<jacobi_1d>(n), n, times,
                      [](const double* u, std::int64_t) { return 0.33333 * (u[-1] + u[0] + u[1]); });
  }
};

struct jacobi_2d_case : exact {
  using kernel_type = jacobi_2d;
  static constexpr auto name = "jacobi-2d";
  static constexpr auto summary = "means of five neighbors in a square, step by step";
  static constexpr std::int64_t size = 2000, most = 1 << 14, steps = 16, block = 2;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    return stencil<2>(start_of<jacobi_2d>(n), n, times, [n](const double* u, std::int64_t) {
      return 0.2 * (u[0] + u[-1] + u[1] + u[n] + u[-n]);
    });
  }
};

struct jacobi_3d_case : exact {
  using kernel_type = jacobi_3d;
  static constexpr auto name = "jacobi-3d";
  static constexpr auto summary = "weighted means of seven neighbors in a cube, step by step";
  static constexpr std::int64_t size = 160, most = 800, steps = 8, block = 1;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    return stencil<3>(start_of<jacobi_3d>(n), n, times, [n, plane = n * n](const double* u, std::int64_t) {
      return 0.4 * u[0] + 0.1 * (u[-1] + u[1] + u[-n] + u[n] + u[-plane] + u[plane]);
    });
  }
};

struct seidel_2d_case : exact {
  using kernel_type = seidel_2d;
  static constexpr auto name = "seidel-2d";
  static constexpr auto summary = "means of nine neighbors in a square, in place, step by step";
  static constexpr std::int64_t size = 1000, most = 1 << 14, steps = 16, block = 8;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    std::vector<double> u = start_of<seidel_2d>(n);
    for (std::int64_t t = 0; t < times; ++t) {
      for (std::int64_t i = 1; i < n - 1; ++i) {
        for (std::int64_t j = 1; j < n - 1; ++j) {
          double* const at = u.data() + i * n + j;
          at[0] =
              (at[-n - 1] + at[-n] + at[-n + 1] + at[-1] + at[0] + at[1] + at[n - 1] + at[n] + at[n + 1]) /
              9.0;
        }
      }
    }
    return u;
  }
};

struct apop_case : exact {
  using kernel_type = apop;
  static constexpr auto name = "apop";
  static constexpr auto summary = "price of an American put option, backwards in time";
  static constexpr std::int64_t size = 1 << 21, most = 1 << 27, steps = 16, block = 2048;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    const std::vector<double> payoff = start_of<apop>(n);
    const auto cells = static_cast<double>(n);
    const double time = 0.9 / (0.3 * 0.3 * cells * cells);
    return stencil<1>(payoff, n, times, [&](const double* u, std::int64_t i) {
      const auto x = static_cast<double>(i);
      const double spread = 0.3 * 0.3 * x * x;
      const double kept = 0.5 * time * (spread - 0.06 * x) * u[-1] + (1 - time * (spread + 0.06)) * u[0] +
                          0.5 * time * (spread + 0.06 * x) * u[1];
      return std::max(kept, payoff[static_cast<std::size_t>(i)]);
    });
  }
};

// Sums of many numbers depend on the order.
template <class Kernel>
struct products {
  using kernel_type = Kernel;
  static constexpr std::int64_t size = 2000, most = 1 << 15, steps = 1, block = 8;
  static constexpr std::int64_t unit = two_products::bands;
  static bool differ(double a, double b) { return !(std::abs(a - b) <= 1e-10 * std::abs(b)); }

  static std::vector<double> reference(std::int64_t n, std::int64_t) {
    std::vector<double> result(static_cast<std::size_t>(2 * n));
    const auto part_of = [](std::int64_t i) { return static_cast<double>(i % 1021) / 1021; };
    for (std::int64_t i = 0; i < n; ++i) {
      double plain = part_of(i);
      double transposed = part_of(i + 1);
      for (std::int64_t j = 0; j < n; ++j) {
        plain += part_of(i * (j + 1)) * part_of(j + 3);
        transposed += part_of(j * (i + 1)) * part_of(j + 4);
      }
      result[static_cast<std::size_t>(i)] = plain;
      result[static_cast<std::size_t>(n + i)] = transposed;
    }
    return result;
  }
};

struct mvt_case : products<mvt> {
  static constexpr auto name = "mvt";
  static constexpr auto summary = "a matrix with a vector, and transposed with another";
};

struct bicg_case : products<bicg> {
  static constexpr auto name = "bicg";
  static constexpr auto summary = "a transposed matrix with a vector, and plain with another";
};

struct copy_case : exact {
  using kernel_type = copy;
  static constexpr auto name = "copy";
  static constexpr auto summary = "bytes copied to two places, and on from one of them";
  static constexpr std::int64_t size = 1 << 24, most = 1 << 30, steps = 1, block = 1 << 20;

  static std::vector<char> reference(std::int64_t n, std::int64_t) {
    std::vector<char> result(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i + 1 < n; ++i)
      result[static_cast<std::size_t>(i)] = static_cast<char>((i + 1) * 2654435761 >> 7);
    return result;
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

}  // namespace gallery
