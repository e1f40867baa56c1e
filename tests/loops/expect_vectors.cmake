# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=c++ -DINCLUDE=folder -DSOURCE=vectors.cpp -P expect_vectors.cmake
# Catches: an inner loop that compilers cannot vectorize, as the sum is reached through memory or the count is not known; and
# a loop over ints that is claimed one by one, as a store to an int might change what tells whether all of it is seen.
foreach(loop IN ITEMS "INTEGERS;paddq" "RANGE;addpd" "TREE;addpd" "TRANSFORM;mulpd" "ADD;paddd" "COUNT;pcmpeqd" "FIND;pcmpeqd")
  list(GET loop 0 name)
  list(GET loop 1 instruction)
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -O3 -ffast-math -I${INCLUDE} -D${name} -S -o - ${SOURCE}
    OUTPUT_VARIABLE assembly
    COMMAND_ERROR_IS_FATAL ANY
  )
  if(NOT assembly MATCHES "${instruction}[^\n]*%xmm")
    message(SEND_ERROR "${name}: ${COMPILER} makes no ${instruction} of the loop")
  endif()
  if(name STREQUAL "ADD")
    # What loop_over::run_one() returns: whether the compiler sees all of an iteration.
    string(REGEX MATCH "\n_ZN6sennit6detail9loop_over[^\n]*7run_one[^\n]*:[^\n]*\n" label "${assembly}")
    string(FIND "${assembly}" "${label}" begin)
    string(SUBSTRING "${assembly}" ${begin} -1 function)
    string(REGEX REPLACE "\tret.*" "" function "${function}")
    if(NOT function MATCHES "\t\\$1, %(eax|al)\n")
      message(SEND_ERROR "${name}: ${COMPILER} does not see all of an iteration:${function}")
    endif()
  endif()
endforeach()
