# SPDX-License-Identifier: Apache-2.0
# OpenBLAS with LAPACK in it, as pkg-config finds it.

macro(bench_find_openblas)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_search_module(bench_openblas QUIET IMPORTED_TARGET openblas)
  endif()
endmacro()

# bench_openblas_program(KERNEL SYSTEM SOURCE [LIBRARY...])
function(bench_openblas_program kernel system source)
  if(NOT TARGET PkgConfig::bench_openblas)
    bench_absent(${kernel}-${system} "OpenBLAS is not installed (Debian: libopenblas-dev)")
    return()
  endif()
  bench_program(${kernel} ${system} ${source} ${ARGN} PkgConfig::bench_openblas)
endfunction()
