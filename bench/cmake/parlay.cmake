# SPDX-License-Identifier: Apache-2.0
# ParlayLib's headers, where a folder of the compiler or SENNIT_BENCH_PARLAY has them. No Debian package does.

macro(bench_find_parlay)
  find_path(SENNIT_BENCH_PARLAY parlay/primitives.h DOC "The folder that has parlay/primitives.h")
endmacro()

# bench_parlay_program(KERNEL SYSTEM SOURCE)
function(bench_parlay_program kernel system source)
  if(NOT SENNIT_BENCH_PARLAY)
    bench_absent(${kernel}-${system} "ParlayLib's headers are not installed (-DSENNIT_BENCH_PARLAY=FOLDER says where they are)")
    return()
  endif()
  bench_program(${kernel} ${system} ${source} ${CMAKE_DL_LIBS})
  target_include_directories(${kernel}-${system} SYSTEM PRIVATE ${SENNIT_BENCH_PARLAY})
  target_compile_options(${kernel}-${system} PRIVATE -mcx16)  # as its own build has it
endfunction()
