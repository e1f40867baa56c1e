# SPDX-License-Identifier: Apache-2.0
# sennit_splicec(target source...)
# Translates C and C++ sources with `#pragma splice` to C++ that uses Sennit, and compiles the results in place of them, as
# C++20. The target's include directories and definitions hold for the translation, too. It links sennit::sennit itself.
function(sennit_splicec target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sennit_splicec(${target}): there is no such target")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    message(FATAL_ERROR "sennit_splicec(${target}): this is an alias; give it ${aliased}")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "sennit_splicec(${target}): say which sources are to be translated")
  endif()
  if(TARGET sennit_splicec_tool)
    set(program sennit_splicec_tool)
  elseif(TARGET sennit::splicec)
    set(program sennit::splicec)
  else()
    message(FATAL_ERROR "sennit_splicec(${target}): Sennit was built without splicec; install libclang 19 (Debian: "
                        "libclang-19-dev), then build and install Sennit with SENNIT_BUILD_TOOLS=ON")
  endif()

  get_target_property(sources ${target} SOURCES)
  set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  foreach(source IN LISTS ARGN)
    if(source IN_LIST sources)
      message(FATAL_ERROR "sennit_splicec(${target}): ${source} is a source of the target already, and would be compiled "
                          "twice; name it here only")
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE in)
    cmake_path(GET in FILENAME name)
    cmake_path(GET in PARENT_PATH folder)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/splicec/${target}/${name}.cpp)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/splicec/${target})
    add_custom_command(
      OUTPUT ${out}
      COMMAND
        ${program} ${in} -o ${out} --depfile ${out}.d -- "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
        "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      DEPENDS ${in} ${program}
      DEPFILE ${out}.d
      COMMENT "Translating ${name} for ${target}"
      COMMAND_EXPAND_LISTS VERBATIM
    )
    target_sources(${target} PRIVATE ${out})
    # What the source includes beside it.
    target_include_directories(${target} PRIVATE ${folder})
  endforeach()
  target_compile_features(${target} PRIVATE cxx_std_20)
endfunction()
