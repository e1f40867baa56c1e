# cmake -DCOMPILER=c++ -DINCLUDE=folder -DSOURCE=vectors.cpp -P expect_vectors.cmake
# Catches: an inner loop that compilers cannot vectorize, as the sum is reached through memory or the count is not known.
foreach(loop IN ITEMS "INTEGERS;paddq" "RANGE;addpd" "TREE;addpd" "TRANSFORM;mulpd" "COUNT;pcmpeqd" "FIND;pcmpeqd")
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
endforeach()
