# SPDX-License-Identifier: Apache-2.0
# sennit_rollforward(target)
# Compiles the C++ sources of a target through rollforward, so that SENNIT_PROMOTION_POINT in them costs nothing and is
# taken when a beat comes: the compiler writes assembly, rollforward gives each function with promotion points its second
# copy, and the compiler's driver assembles that. Launchers that the target has already (ccache) go on to work.
#
# For GCC and clang on x86-64; without link-time optimization, whose objects hold no assembly. On other CPUs it changes nothing:
# there promotion points ask for beats, of the source `polled`.
function(sennit_rollforward target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sennit_rollforward(${target}): there is no such target")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    message(FATAL_ERROR "sennit_rollforward(${target}): this is an alias; give it ${aliased}")
  endif()
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported OR type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "sennit_rollforward(${target}): nothing is compiled for this target")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    message(FATAL_ERROR "sennit_rollforward(${target}): it reads the assembly of GCC and clang, "
                        "not of ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    return()
  endif()
  get_target_property(optimized ${target} INTERPROCEDURAL_OPTIMIZATION)
  if(optimized)
    message(FATAL_ERROR "sennit_rollforward(${target}): INTERPROCEDURAL_OPTIMIZATION leaves no assembly to roll forward; "
                        "switch it off for this target")
  endif()

  if(TARGET sennit_rollforward_tool)
    # In Sennit's own build the program is built first, and what it made is made again when it changes.
    get_target_property(directory sennit_rollforward_tool BINARY_DIR)
    set(program ${directory}/rollforward)
    add_dependencies(${target} sennit_rollforward_tool)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${program})
  elseif(TARGET sennit::rollforward)
    get_target_property(program sennit::rollforward LOCATION)
  else()
    message(FATAL_ERROR "sennit_rollforward(${target}): Sennit was built without its tools; "
                        "build and install it with SENNIT_BUILD_TOOLS=ON")
  endif()

  get_target_property(launcher ${target} CXX_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher "")
  elseif("--compile" IN_LIST launcher)
    return()  # asked for twice
  endif()
  # An empty launcher would become an empty word of the command.
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${program};--compile")
  if(launcher)
    set_property(TARGET ${target} APPEND PROPERTY CXX_COMPILER_LAUNCHER ${launcher})
  endif()
endfunction()
