# SPDX-License-Identifier: Apache-2.0
# Boost's concurrent maps, which are younger than Debian 12's Boost: the headers, of the system or of PyPI. Nothing of them
# is linked; the library itself keeps the Boost that it was configured with.

macro(bench_find_boost)
  set(bench_boost "")
  set(bench_boost_reason "")
  include(CheckIncludeFileCXX)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_include_file_cxx(boost/unordered/concurrent_flat_map.hpp SENNIT_BENCH_SYSTEM_BOOST)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT SENNIT_BENCH_SYSTEM_BOOST)
    bench_locate_pypi_boost()
    if(NOT bench_boost AND NOT bench_pypi_reason)
      bench_install_pypi(boost-headers bench_boost_reason)
      bench_locate_pypi_boost()
    endif()
    if(NOT bench_boost)
      string(JOIN "" bench_boost_reason "Boost is older than 1.83 (${bench_pypi_reason}${bench_boost_reason})")
      message(STATUS "Benchmarks without Boost's concurrent maps: ${bench_boost_reason}")
    endif()
  endif()
endmacro()

macro(bench_locate_pypi_boost)
  file(GLOB bench_boost ${bench_pypi}/lib/python3*/site-packages/boost_headers/include)
  if(bench_boost AND NOT EXISTS ${bench_boost}/boost/unordered/concurrent_flat_map.hpp)
    set(bench_boost "")
  endif()
endmacro()

# bench_use_boost(PROGRAM): those headers, if they are not where the compiler looks anyway.
function(bench_use_boost program)
  if(bench_boost)
    target_include_directories(${program} SYSTEM BEFORE PRIVATE ${bench_boost})
  endif()
endfunction()
