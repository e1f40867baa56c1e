// SPDX-License-Identifier: Apache-2.0
// What the spliced programs begin with, and what plain loops come to, which are written without the kernels.
#pragma once

#include "gallery/apop.hpp"
#include "gallery/convolution_2d.hpp"
#include "gallery/copy.hpp"
#include "gallery/gray_scott.hpp"
#include "gallery/jacobi_1d.hpp"
#include "gallery/jacobi_2d.hpp"
#include "gallery/jacobi_3d.hpp"
#include "gallery/mvt.hpp"
#include "gallery/seidel_2d.hpp"
#include "gallery/stencil_27.hpp"
#include "gallery/wave_1d.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gallery {

struct of_time_steps {
  static constexpr auto steps_are = "number of time steps";
  static constexpr std::int64_t unit = 1;
};

struct exact : of_time_steps {
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
  static constexpr auto steps_are = "times that both are done";
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

// The sums depend on the order.
struct wave_1d_case {
  static constexpr auto steps_are = "times that eight time steps and a sum are done";
  using kernel_type = wave_1d;
  static constexpr auto name = "wave-1d";
  static constexpr auto summary =
      "a wave by differences of order 4, with a sum of squares after each eight steps";
  static constexpr std::int64_t size = 1 << 22, most = 1 << 28, steps = 2, block = 4096;
  static constexpr std::int64_t unit = 1;
  static bool differ(double a, double b) { return !(std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b))); }

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    std::vector<double> told = start_of<wave_1d>(n);
    std::vector<double> u(told.begin(), told.begin() + n);
    std::vector<double> before = u;
    for (std::int64_t t = 1; t <= times * wave_1d::times; ++t) {
      std::vector<double> next = u;
      for (std::size_t i = 2; i + 2 < u.size(); ++i) {
        next[i] = 2 * u[i] - before[i] +
                  0.25 * (-u[i - 2] + 16 * u[i - 1] - 30 * u[i] + 16 * u[i + 1] - u[i + 2]) / 12;
      }
      before = std::exchange(u, next);
      if (t % wave_1d::times != 0) continue;
      double& sum = told[static_cast<std::size_t>(n + (t / wave_1d::times - 1) % wave_1d::sums_told)];
      for (std::size_t i = 2; i + 2 < u.size(); ++i) sum += u[i] * u[i];
    }
    std::copy(u.begin(), u.end(), told.begin());
    return told;
  }
};

struct convolution_2d_case : exact {
  using kernel_type = convolution_2d;
  static constexpr auto name = "convolution-2d";
  static constexpr auto summary = "a square convolved with 5 x 5 weights, step by step";
  static constexpr std::int64_t size = 2000, most = 1 << 14, steps = 16, block = 2;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    std::vector<double> u = start_of<convolution_2d>(n);
    for (std::int64_t t = 0; t < times; ++t) {
      const std::vector<double> before = u;
      for (std::int64_t i = 2; i < n - 2; ++i) {
        for (std::int64_t j = 2; j < n - 2; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < 25; ++k) {
            sum += five_by_five::weights[k / 5][k % 5] *
                   before[static_cast<std::size_t>((i + k / 5 - 2) * n + j + k % 5 - 2)];
          }
          u[static_cast<std::size_t>(i * n + j)] = sum;
        }
      }
    }
    return u;
  }
};

// Sums in another order than the kernel's.
struct nearly : of_time_steps {
  static bool differ(double a, double b) { return !(std::abs(a - b) <= 1e-10); }
};

struct gray_scott_case : nearly {
  using kernel_type = gray_scott;
  static constexpr auto name = "gray-scott";
  static constexpr auto summary = "two substances that diffuse and react, step by step";
  static constexpr std::int64_t size = 1000, most = 1 << 14, steps = 16, block = 1;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    std::vector<double> u = start_of<gray_scott>(n);
    std::vector<double> v = u;  // as it begins, there is half of what is missing of the other
    for (double& x : v) x = (1 - x) / 2;
    for (std::int64_t t = 0; t < times; ++t) {
      const auto beside = [n](const double* x) { return x[-1] + x[1] + x[-n] + x[n] - 4 * x[0]; };
      std::vector<double> turned(u.size());
      for (std::size_t i = 0; i < u.size(); ++i) turned[i] = u[i] * v[i] * v[i];
      u = stencil<2>(std::move(u), n, 1, [&](const double* x, std::int64_t i) {
        return x[0] + 0.2 * beside(x) - turned[static_cast<std::size_t>(i)] + 0.04 * (1 - x[0]);
      });
      v = stencil<2>(std::move(v), n, 1, [&](const double* x, std::int64_t i) {
        return x[0] + 0.1 * beside(x) + turned[static_cast<std::size_t>(i)] - 0.1 * x[0];
      });
    }
    return u;
  }
};

struct stencil_27_case : nearly {
  using kernel_type = stencil_27;
  static constexpr auto name = "stencil-27";
  static constexpr auto summary = "weighted means of all neighbors in a cube, step by step";
  static constexpr std::int64_t size = 160, most = 800, steps = 8, block = 1;

  static std::vector<double> reference(std::int64_t n, std::int64_t times) {
    return stencil<3>(start_of<stencil_27>(n), n, times, [n](const double* u, std::int64_t) {
      constexpr double weights[] = {0.3, 0.06, 0.02, 0.0125};
      double sum = 0;
      for (std::int64_t i = -1; i <= 1; ++i)
        for (std::int64_t j = -1; j <= 1; ++j)
          for (std::int64_t k = -1; k <= 1; ++k)
            sum += weights[i * i + j * j + k * k] * u[(i * n + j) * n + k];
      return sum;
    });
  }
};

}  // namespace gallery
