# SPDX-License-Identifier: Apache-2.0
# Linked by each of our own targets, never exported to those who use the library.
add_library(sennit_warnings INTERFACE)
target_compile_options(sennit_warnings INTERFACE -Wall -Wextra $<$<BOOL:${SENNIT_WERROR}>:-Werror>)
# GCC 12 takes inlined members of std::string for copies that overlap (its bug 105651), and which ones depends on what else is
# inlined. A program that a user builds with `make demo` must not fail of that.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sennit_warnings INTERFACE -Wno-restrict)
endif()
