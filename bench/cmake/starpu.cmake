# SPDX-License-Identifier: Apache-2.0
# StarPU, as pkg-config finds it.

macro(bench_find_starpu)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_search_module(bench_starpu QUIET IMPORTED_TARGET starpu-1.4 starpu-1.3)
  endif()
endmacro()

# bench_starpu_program(KERNEL SYSTEM SOURCE)
function(bench_starpu_program kernel system source)
  if(NOT TARGET PkgConfig::bench_starpu)
    bench_absent(${kernel}-${system} "StarPU is not installed (Debian: libstarpu-dev)")
    return()
  endif()
  bench_program(${kernel} ${system} ${source} PkgConfig::bench_starpu)
endfunction()
