# SPDX-License-Identifier: Apache-2.0
# Functions that declare tests, for tests/ and for whatever else has some.
#
# Labels that mean something here:
#   stress     heavy; only where SENNIT_STRESS=ON (make stress)
#   optimized  counts instructions or reads assembly: exists only in a Release build without sanitizers
#   later      takes long and says little of a change of the library's code: make check builds and runs it, make test does not
#   models, package, documents, stepped, compile-fail   set by those tests themselves
# The tests labeled "later" are built by a target of that name.
find_package(GTest REQUIRED)
include(GoogleTest)
add_custom_target(later)

# What tests are compiled with. Most of the time of `make test` is the compiler's, and most of that is optimization. Tests of a Release
# build are compiled with -O1, which takes a third less time, and those labeled "optimized", which count instructions, as users
# build. With -O0 a test of algorithms would compile a quarter faster and run ten times as long. Under sanitizers clang takes 2.6
# times as long with -O1 as with -O0, and with -O0 they see more accesses, as no optimizer has removed some. Folders whose programs
# compute much keep -O1 there, and so does all of `make stress`.
set(sennit_computing algorithm loops nests splice unit)
set(sennit_options_O1 "$<$<CONFIG:Release>:-O1>")
set(sennit_options_O0 -O0)
# GCC 12 takes inlined members of std::string for faults, and says so of precompiled headers of the system, too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(sennit_gcc_mistakes -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  list(APPEND sennit_options_O1 ${sennit_gcc_mistakes})
  list(APPEND sennit_options_O0 ${sennit_gcc_mistakes})
endif()

# sennit_test_level(VARIABLE): O0 or O1, for the tests of this folder.
function(sennit_test_level variable)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  set(${variable} O1 PARENT_SCOPE)
  if(SENNIT_SANITIZE AND NOT SENNIT_STRESS AND NOT folder IN_LIST sennit_computing)
    set(${variable} O0 PARENT_SCOPE)
  endif()
endfunction()

# Saves a second of compiling for each file of tests. Such a build does not find out that a file forgets to include
# something, and a launcher such as ccache keeps nothing of it.
option(SENNIT_PRECOMPILE_TESTS "Parse what all tests include once, unless there is a compiler launcher" OFF)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(SENNIT_PRECOMPILE_TESTS OFF)
endif()
if(SENNIT_PRECOMPILE_TESTS)
  file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
  foreach(level IN ITEMS O0 O1)
    add_library(sennit_precompiled_${level} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(sennit_precompiled_${level} PRIVATE sennit::sennit sennit_warnings GTest::gmock GTest::gtest_main)
    target_compile_options(sennit_precompiled_${level} PRIVATE ${sennit_options_${level}})
    # GCC parses the text where a test is compiled with other macros; clang does not, so a test whose macros the headers look at
    # has DISABLE_PRECOMPILE_HEADERS.
    target_precompile_headers(
      sennit_precompiled_${level} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <sennit/sennit.hpp>
    )
  endforeach()
endif()

# sennit_compile_as_test(TARGET): with warnings, as far optimized as tests in this folder are, and with what is precompiled.
function(sennit_compile_as_test target)
  sennit_test_level(level)
  target_link_libraries(${target} PRIVATE sennit_warnings GTest::gmock GTest::gtest_main)
  target_compile_options(${target} PRIVATE ${sennit_options_${level}})
  if(SENNIT_PRECOMPILE_TESTS)
    target_precompile_headers(${target} REUSE_FROM sennit_precompiled_${level})
  endif()
endfunction()

# sennit_test_objects(NAME file...): compiled once for several tests, which name $<TARGET_OBJECTS:NAME> as their sources.
function(sennit_test_objects name)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_link_libraries(${name} PRIVATE sennit::sennit)
  sennit_compile_as_test(${name})
endfunction()

# sennit_precompile(TARGET header...): the same for a library of which the tests need all.
function(sennit_precompile target)
  if(NOT SENNIT_PRECOMPILE_TESTS)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE ${sennit_gcc_mistakes})
  endif()
endfunction()

sennit_precompile(
  sennit <sennit/region.hpp> <sennit/runtime.hpp> <algorithm> <atomic> <chrono> <functional> <memory> <mutex> <optional> <string>
  <thread> <vector>
)

# sennit_test(NAME SOURCES file... [LABELS label...] [LIBRARIES target...] [TIMEOUT seconds] [ENVIRONMENT NAME=value...]
#             [INTERNAL] [THROWS] [SERIAL] [ALONE])
# One GoogleTest program; each of its tests is one of ctest's, in a process of its own, named NAME.Suite.Test.
#   INTERNAL  it may include headers of src/
#   THROWS    it uses exceptions and is left out of a build without them
#   SERIAL    it measures, and nothing may run beside it
#   ALONE     it is not linked with the library
function(sennit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "INTERNAL;THROWS;SERIAL;ALONE" "TIMEOUT" "SOURCES;LABELS;LIBRARIES;ENVIRONMENT")
  if(test_UNPARSED_ARGUMENTS OR NOT test_SOURCES)
    message(FATAL_ERROR "sennit_test(${name}): give SOURCES, and nothing unknown (${test_UNPARSED_ARGUMENTS})")
  endif()
  if(test_THROWS AND NOT SENNIT_EXCEPTIONS)
    return()
  endif()
  if("optimized" IN_LIST test_LABELS AND (SENNIT_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release"))
    return()
  endif()

  if("stress" IN_LIST test_LABELS AND NOT SENNIT_STRESS)
    return()
  endif()

  set(target test_${name})
  set_property(GLOBAL APPEND PROPERTY SENNIT_TESTS "${name} ${target}\n")
  add_executable(${target} ${test_SOURCES})
  if("later" IN_LIST test_LABELS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(later ${target})
  endif()
  if(test_ALONE)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  elseif(test_INTERNAL)
    set_target_properties(${target} PROPERTIES SENNIT_INTERNALS ON)
    target_link_libraries(${target} PRIVATE sennit_internals)
  else()
    target_link_libraries(${target} PRIVATE sennit::sennit)
  endif()
  target_link_libraries(${target} PRIVATE ${test_LIBRARIES})
  if("optimized" IN_LIST test_LABELS)
    target_link_libraries(${target} PRIVATE sennit_warnings GTest::gmock GTest::gtest_main)
  else()
    sennit_compile_as_test(${target})
  endif()
  if(test_INTERNAL)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  endif()

  if(CMAKE_CROSSCOMPILING)
    target_compile_definitions(${target} PRIVATE SENNIT_TEST_EMULATED=1)
  endif()

  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 60)
    if("stress" IN_LIST test_LABELS)
      set(test_TIMEOUT 600)
    endif()
  endif()
  if(SENNIT_SANITIZE OR CMAKE_CROSSCOMPILING)  # under an emulator
    math(EXPR test_TIMEOUT "${test_TIMEOUT} * 5")
  endif()
  gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  # Set by a script that ctest reads after the discovery, as PROPERTIES above would take lists apart.
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_properties.cmake)
  file(
    CONFIGURE
    OUTPUT ${script}
    CONTENT [[
if(@target@_TESTS)
  set_tests_properties(
    ${@target@_TESTS}
    PROPERTIES TIMEOUT "@test_TIMEOUT@" RUN_SERIAL "@test_SERIAL@" LABELS "@test_LABELS@" ENVIRONMENT "@test_ENVIRONMENT@"
  )
endif()
]]
    @ONLY
  )
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# sennit_strict_warnings_tests(NAME [LABELS label...])
# Passes if strict_warnings.cpp has no warning inside the headers, with this build's compiler and with the other one of GCC
# and clang.
function(sennit_strict_warnings_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 tests "" "" "LABELS")
  find_program(SENNIT_GCC NAMES g++)
  find_program(SENNIT_CLANG NAMES clang++-19 clang++)
  mark_as_advanced(SENNIT_GCC SENNIT_CLANG)
  set(other ${SENNIT_GCC})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(other ${SENNIT_CLANG})
  endif()
  set(test ${name}.strict_warnings)
  foreach(compiler IN ITEMS ${CMAKE_CXX_COMPILER} ${other})
    if(NOT compiler)
      continue()
    endif()
    add_test(
      NAME ${test}
      COMMAND
        ${compiler} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
        -Werror "-I$<JOIN:$<TARGET_PROPERTY:sennit,INTERFACE_INCLUDE_DIRECTORIES>,;-I>" -fsyntax-only
        ${CMAKE_CURRENT_SOURCE_DIR}/strict_warnings.cpp
      COMMAND_EXPAND_LISTS
    )
    set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS "${tests_LABELS}")
    set(test ${name}.strict_warnings.other_compiler)
  endforeach()
endfunction()

# sennit_compile_fail_tests([EACH regex] [LINES n] [LINES_OF_CLANG n] NAME regex NAME regex...)
# Each passes if the compiler rejects compile_fail/NAME.cpp and says something that matches, in the first 10 lines of its
# output: the diagnostic that a user is to read. With EACH it has to match that, with the test's own regex in place of the
# @. No regex can have a semicolon. With LINES it has to match the first error, of n lines at most, of this build's compiler
# and, in make stress, of the other one of GCC and clang. With LINES_OF_CLANG, clang's may have other lengths.
function(sennit_compile_fail_tests)
  cmake_parse_arguments(PARSE_ARGV 0 tests "" "EACH;LINES;LINES_OF_CLANG" "")
  set(compilers ${CMAKE_CXX_COMPILER})
  if(tests_LINES)
    find_program(SENNIT_GCC NAMES g++)
    find_program(SENNIT_CLANG NAMES clang++-19 clang++)
    mark_as_advanced(SENNIT_GCC SENNIT_CLANG)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND SENNIT_CLANG)
      list(APPEND compilers ${SENNIT_CLANG})
    elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND SENNIT_GCC)
      list(APPEND compilers ${SENNIT_GCC})
    endif()
  endif()
  set(mistakes "${tests_UNPARSED_ARGUMENTS}")
  if(NOT tests_EACH)
    set(tests_EACH "@")
  endif()
  set(include_dirs $<TARGET_PROPERTY:sennit,INTERFACE_INCLUDE_DIRECTORIES>)
  # GCC takes what is precompiled where all options are the same.
  set(precompiled "")
  if(SENNIT_PRECOMPILE_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    separate_arguments(precompiled UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
    list(APPEND precompiled
      $<TARGET_PROPERTY:sennit_precompiled_O1,COMPILE_OPTIONS>
      -include ${PROJECT_BINARY_DIR}/CMakeFiles/sennit_precompiled_O1.dir/cmake_pch.hxx
    )
  endif()
  while(mistakes)
    list(POP_FRONT mistakes name regex)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/${name}.cpp)
    if(NOT regex OR NOT EXISTS ${source})
      message(FATAL_ERROR "sennit_compile_fail_tests: ${name} needs a regex and ${source}")
    endif()
    string(REPLACE "@" "${regex}" match "${tests_EACH}")
    set(test compile-fail.${name})
    foreach(compiler IN LISTS compilers)
      set(lines ${tests_LINES})
      set(also "")
      set(macros "")
      if(compiler STREQUAL CMAKE_CXX_COMPILER AND precompiled)
        set(also ${precompiled})
        set(macros $<TARGET_PROPERTY:sennit_precompiled_O1,COMPILE_DEFINITIONS>)
      endif()
      cmake_path(GET compiler FILENAME called)
      if(tests_LINES_OF_CLANG AND called MATCHES "clang")
        set(lines ${tests_LINES_OF_CLANG})
      endif()
      add_test(
        NAME ${test}
        COMMAND
          ${CMAKE_COMMAND} -DMATCH=${match} -DLINES=${lines} -P ${PROJECT_SOURCE_DIR}/cmake/expect_compile_error.cmake --
          ${compiler} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -Wall -Wextra -Werror "-I$<JOIN:${include_dirs},;-I>" -c
          "$<$<BOOL:${macros}>:-D$<JOIN:${macros},;-D>>" ${also} ${source} -o /dev/null
        COMMAND_EXPAND_LISTS
      )
      set_tests_properties(${test} PROPERTIES LABELS compile-fail TIMEOUT 120)
      # The other compiler's messages are for make stress.
      if(NOT SENNIT_STRESS)
        break()
      endif()
      set(test compile-fail.${name}.other_compiler)
    endforeach()
  endwhile()
endfunction()
