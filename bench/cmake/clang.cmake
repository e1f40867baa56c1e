# SPDX-License-Identifier: Apache-2.0
# Programs built by clang in a build whose own compiler is another one: openmp-clang and the serial programs it is
# compared with. The flags are those of the Release build.

macro(bench_find_clang)
  find_program(SENNIT_BENCH_CLANG NAMES clang++-19 DOC "The clang of the benchmarks")
  separate_arguments(bench_clang_flags UNIX_COMMAND "-std=c++20 ${CMAKE_CXX_FLAGS_RELEASE} -pthread")
endmacro()

# bench_clang_program(KERNEL SYSTEM SOURCE [FLAG...])
function(bench_clang_program kernel system source)
  set(program ${kernel}-${system})
  if(NOT SENNIT_BENCH_CLANG)
    bench_absent(${program} "clang++-19 is not installed (Debian: clang-19)")
    return()
  endif()
  if(ARGN)
    bench_clang_takes(works "${ARGN}")
    if(NOT works)
      bench_absent(${program} "clang++-19 does not link with ${ARGN} (Debian: libomp-19-dev)")
      return()
    endif()
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${program})
  add_custom_command(
    OUTPUT ${output}
    COMMAND
      ${SENNIT_BENCH_CLANG} ${bench_clang_flags} ${bench_flags_${kernel}} ${ARGN} -Wall -Wextra -I${CMAKE_CURRENT_SOURCE_DIR}
      -I${PROJECT_SOURCE_DIR} -MD -MF ${output}.d -MT ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${kernel}/${source} -o ${output}
    DEPENDS ${kernel}/${source}
    DEPFILE ${output}.d
    COMMENT "Building ${program} with clang"
    VERBATIM
  )
  add_custom_target(bench_${program} ALL DEPENDS ${output})
endfunction()

function(bench_clang_takes result flag)
  if(NOT DEFINED SENNIT_BENCH_CLANG_TAKES${flag})
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe.cpp)
    file(WRITE ${probe} "int main() {}\n")
    execute_process(
      COMMAND ${SENNIT_BENCH_CLANG} ${flag} ${probe} -o ${CMAKE_CURRENT_BINARY_DIR}/probe
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET
    )
    if(status EQUAL 0)
      set(SENNIT_BENCH_CLANG_TAKES${flag} ON CACHE INTERNAL "")
    endif()
  endif()
  set(${result} ${SENNIT_BENCH_CLANG_TAKES${flag}} PARENT_SCOPE)
endfunction()
