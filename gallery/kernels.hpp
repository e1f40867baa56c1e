// SPDX-License-Identifier: Apache-2.0
// The makers of the kernels, one for each file.
#pragma once

#include "gallery/kernel.hpp"

#include <memory>

namespace gallery {

std::unique_ptr<kernel> make_fib();
std::unique_ptr<kernel> make_nqueens();
std::unique_ptr<kernel> make_knapsack();
std::unique_ptr<kernel> make_uts();
std::unique_ptr<kernel> make_mergesort();
std::unique_ptr<kernel> make_quicksort();
std::unique_ptr<kernel> make_daxpy();
std::unique_ptr<kernel> make_memcpy();
std::unique_ptr<kernel> make_scan();
std::unique_ptr<kernel> make_mandelbrot();
std::unique_ptr<kernel> make_blur();
std::unique_ptr<kernel> make_heat();
std::unique_ptr<kernel> make_life();
std::unique_ptr<kernel> make_pagerank();
std::unique_ptr<kernel> make_sw();
std::unique_ptr<kernel> make_swn2();
std::unique_ptr<kernel> make_fdtd_2d();
std::unique_ptr<kernel> make_srad();
std::unique_ptr<kernel> make_kmeans();
std::unique_ptr<kernel> make_spmv();
std::unique_ptr<kernel> make_cg();
std::unique_ptr<kernel> make_mg();
std::unique_ptr<kernel> make_floyd_warshall();
std::unique_ptr<kernel> make_transpose();
std::unique_ptr<kernel> make_mm();
std::unique_ptr<kernel> make_matmul();
std::unique_ptr<kernel> make_strassen();
std::unique_ptr<kernel> make_cholesky();
std::unique_ptr<kernel> make_jacobi_1d();
std::unique_ptr<kernel> make_jacobi_2d();
std::unique_ptr<kernel> make_jacobi_3d();
std::unique_ptr<kernel> make_seidel_2d();
std::unique_ptr<kernel> make_apop();
std::unique_ptr<kernel> make_mvt();
std::unique_ptr<kernel> make_bicg();
std::unique_ptr<kernel> make_copy();
std::unique_ptr<kernel> make_wave_1d();
std::unique_ptr<kernel> make_convolution_2d();
std::unique_ptr<kernel> make_gray_scott();
std::unique_ptr<kernel> make_stencil_27();

}  // namespace gallery
