# SPDX-License-Identifier: Apache-2.0
# sennit_check_effects(target)
# Has the accesses of a target's C and C++ code in splices checked against the effects that it declares, while it runs. For
# programs; of a library, each program that links it is linked with the checker, too.
#
# For GCC and clang on Linux with glibc; not together with sanitizers that need a runtime of their own.
function(sennit_check_effects target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sennit_check_effects(${target}): there is no such target")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    message(FATAL_ERROR "sennit_check_effects(${target}): this is an alias; give it ${aliased}")
  endif()
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported OR type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "sennit_check_effects(${target}): nothing is compiled for this target")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    message(FATAL_ERROR "sennit_check_effects(${target}): it needs the instrumentation of GCC or clang, "
                        "not of ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(NOT TARGET sennit::effect_checker)
    message(FATAL_ERROR "sennit_check_effects(${target}): this Sennit has no effect checker: it was built with a sanitizer, "
                        "or not for Linux")
  endif()

  if(DEFINED sennit_VARIANT AND NOT sennit_VARIANT STREQUAL "plain")
    message(FATAL_ERROR "sennit_check_effects(${target}): the effect checker goes with the plain library, not with the variant "
                        "${sennit_VARIANT}; configure without sanitizers and SENNIT_VARIANT for it")
  endif()

  # Calls at the end of a function would return to its caller, and name its line. Vectors wider than 16 bytes are accessed
  # without a hook by clang. Of DWARF 5 the addr2line of binutils 2.40 does not read all. Checks of the C library's headers
  # (_FORTIFY_SOURCE) give its functions other names. The header, and -fno-tree-loop-distribute-patterns, keep copies calls.
  # Where GCC stores the result of a call, or copies an argument for it, the access is in the call, and not seen, but for
  # -fno-elide-constructors. Constant evaluation takes the part of the header that clang warns of.
  set(copies ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/sennit_visible_copies.h)
  set(gcc "-Wno-tsan;-fno-tree-vectorize;-fno-tree-loop-distribute-patterns;-fno-optimize-strlen"
          "--param=tsan-instrument-func-entry-exit=0"
  )
  set(clang "-fno-vectorize;-fno-slp-vectorize;-Wno-constant-evaluated;SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
  target_compile_options(
    ${target}
    PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=thread;-g;-gdwarf-4;-fno-optimize-sibling-calls;-U_FORTIFY_SOURCE>"
      "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:-include \"${copies}\">"
      "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:${gcc};-fno-elide-constructors>"
      "$<$<COMPILE_LANG_AND_ID:C,GNU>:${gcc}>"
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:${clang}>"
      "$<$<COMPILE_LANG_AND_ID:C,Clang>:${clang}>"
  )
  target_compile_definitions(${target} PRIVATE SENNIT_CHECK_EFFECTS=1)
  target_link_libraries(${target} PRIVATE sennit::effect_checker)
endfunction()
