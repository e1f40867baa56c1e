// SPDX-License-Identifier: Apache-2.0
// stencil-27: each number of a cube becomes the weighted mean of itself and its 26 neighbors, by how near these are.
#pragma once

#include "gallery/jacobi_3d.hpp"

#include <cstdint>

namespace gallery {

struct all_neighbors {
  static void row(const double* __restrict in, double* __restrict out, std::int64_t n) {
    // The nine rows of the neighborhood, plane by plane.
    const double* const a = in - n * n - n;
    const double* const b = in - n * n;
    const double* const c = in - n * n + n;
    const double* const d = in - n;
    const double* const e = in + n;
    const double* const f = in + n * n - n;
    const double* const g = in + n * n;
    const double* const h = in + n * n + n;
    for (std::int64_t k = 1; k < n - 1; ++k) {
      const double faces = b[k] + d[k] + in[k - 1] + in[k + 1] + e[k] + g[k];
      const double edges = a[k] + c[k] + f[k] + h[k] + (b[k - 1] + b[k + 1] + g[k - 1] + g[k + 1]) +
                           (d[k - 1] + d[k + 1] + e[k - 1] + e[k + 1]);
      const double corners =
          a[k - 1] + a[k + 1] + c[k - 1] + c[k + 1] + (f[k - 1] + f[k + 1] + h[k - 1] + h[k + 1]);
      out[k] = 0.3 * in[k] + 0.06 * faces + 0.02 * edges + 0.0125 * corners;
    }
  }
};
using stencil_27 = cube_sweeps<all_neighbors>;

}  // namespace gallery
