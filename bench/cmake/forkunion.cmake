# SPDX-License-Identifier: Apache-2.0
# forkunion's C++ headers, which its crate brings along. Only cargo knows where it put them.

macro(bench_find_forkunion)
  set(bench_forkunion "")
  set(bench_forkunion_reason "${bench_rust_reason}")
  if(NOT bench_forkunion_reason)
    bench_locate_forkunion()
  endif()
endmacro()

function(bench_locate_forkunion)
  execute_process(
    COMMAND
      ${SENNIT_BENCH_CARGO} metadata --quiet --locked --offline --format-version 1 --manifest-path
      ${CMAKE_CURRENT_SOURCE_DIR}/rust/Cargo.toml --all-features
    OUTPUT_VARIABLE metadata ERROR_QUIET
  )
  string(REGEX MATCH "\"([^\"]*/forkunion-[0-9.]+)/Cargo.toml\"" found "${metadata}")
  if(found AND EXISTS ${CMAKE_MATCH_1}/include/forkunion.hpp)
    set(bench_forkunion ${CMAKE_MATCH_1}/include PARENT_SCOPE)
  else()
    set(bench_forkunion_reason "cargo has no forkunion with a C++ header" PARENT_SCOPE)
  endif()
endfunction()

# bench_forkunion_program(KERNEL SYSTEM SOURCE)
function(bench_forkunion_program kernel system source)
  if(bench_forkunion_reason)
    bench_absent(${kernel}-${system} "${bench_forkunion_reason}")
    return()
  endif()
  bench_program(${kernel} ${system} ${source})
  target_include_directories(${kernel}-${system} SYSTEM PRIVATE ${bench_forkunion})
endfunction()
