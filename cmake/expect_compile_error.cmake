# cmake -DMATCH=regex -P expect_compile_error.cmake -- compiler argument...
# Passes if the compiler fails and what it says has, within its first 10 lines, an error and a match: a reader of a
# terminal sees so much.
set(command "")
set(collect OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(collect)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(collect ON)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REPEAT "[^\n]*\n?" 10 ten_lines)
string(REGEX MATCH "^${ten_lines}" seen "${output}")
if(status EQUAL 0)
  message(FATAL_ERROR "this must not compile, and it does: ${command}")
elseif(NOT output MATCHES "${MATCH}")
  message(FATAL_ERROR "the compiler rejects it, but nothing it says matches '${MATCH}':\n${output}")
elseif(NOT seen MATCHES "error: " OR NOT seen MATCHES "${MATCH}")
  message(FATAL_ERROR "the compiler rejects it, but its first 10 lines have no error that matches '${MATCH}':\n${output}")
endif()
