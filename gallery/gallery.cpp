// SPDX-License-Identifier: Apache-2.0
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace gallery {

std::vector<std::unique_ptr<kernel>> kernels() {
  std::vector<std::unique_ptr<kernel>> all;
  for (const auto make :
       {make_fib,       make_nqueens,   make_knapsack,       make_uts,        make_mergesort,
        make_quicksort, make_daxpy,     make_memcpy,         make_scan,       make_mandelbrot,
        make_blur,      make_heat,      make_life,           make_pagerank,   make_sw,
        make_swn2,      make_fdtd_2d,   make_srad,           make_kmeans,     make_spmv,
        make_cg,        make_mg,        make_floyd_warshall, make_transpose,  make_mm,
        make_matmul,    make_strassen,  make_cholesky,       make_jacobi_1d,  make_jacobi_2d,
        make_jacobi_3d, make_seidel_2d, make_apop,           make_mvt,        make_bicg,
        make_copy,      make_wave_1d,   make_convolution_2d, make_gray_scott, make_stencil_27}) {
    all.push_back(make());
  }
  return all;
}

std::filesystem::path data_file(std::string_view name) {
  const std::filesystem::path installed =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / SENNIT_GALLERY_INSTALLED / name;
  return std::filesystem::exists(installed) ? installed : std::filesystem::path(SENNIT_GALLERY_SOURCE) / name;
}

}  // namespace gallery
