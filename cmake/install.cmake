# SPDX-License-Identifier: Apache-2.0
# The installed package: headers, library, and the files for find_package(sennit) and pkg-config. All of it can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sennit)
set_target_properties(sennit PROPERTIES EXPORT_NAME plain)  # sennit::sennit is that or a variant
install(TARGETS sennit EXPORT sennitTargets)
foreach(variant IN LISTS installed_variants)
  install(TARGETS sennit_${variant} EXPORT sennitTargets)
endforeach()
install(EXPORT sennitTargets NAMESPACE sennit:: DESTINATION ${package_dir})
if(SENNIT_BUILD_TOOLS)
  install(EXPORT sennitPrograms NAMESPACE sennit:: DESTINATION ${package_dir})  # may be in a package of its own
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sennit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/sennit.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/tools/gdb/sennit-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/sennit)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A shared library brings what it links; a static one leaves that to its user, whom both files then tell what it is.
get_target_property(library_type sennit TYPE)
# pkg-config wants what Requires.private names even where nothing is linked statically, so nothing is private.
set(static OFF)
set(libs "")
set(requires "")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(static ON)
  # What a C compiler does not link by itself.
  set(cxx_library ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER cxx_library INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
  list(REMOVE_DUPLICATES cxx_library)
  list(TRANSFORM cxx_library PREPEND "-l")
  string(JOIN " " libs -lboost_context ${cxx_library})
  if(SENNIT_HAS_HWLOC)
    set(requires "hwloc >= 2.5")
  endif()
endif()
get_target_property(definitions sennit INTERFACE_COMPILE_DEFINITIONS)
list(FILTER definitions EXCLUDE REGEX BUILD_INTERFACE)  # not for users of what is installed
set(cflags "")
if(definitions)
  list(TRANSFORM definitions PREPEND "-D" OUTPUT_VARIABLE cflags)
  string(JOIN " " cflags ${cflags})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/sennitConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sennitConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO
)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/sennitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion
)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/sennitConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/sennitConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/sennit_check_effects.cmake ${PROJECT_SOURCE_DIR}/cmake/sennit_rollforward.cmake
        ${PROJECT_SOURCE_DIR}/cmake/sennit_splicec.cmake ${PROJECT_SOURCE_DIR}/cmake/sennit_variant.cmake
        ${PROJECT_SOURCE_DIR}/cmake/sennit_visible_copies.h
  DESTINATION ${package_dir}
)

file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
foreach(variant IN ITEMS "" LISTS installed_variants)
  set(dash_variant "")
  set(variant_libs "")
  set(variant_cflags "")
  if(variant)
    set(dash_variant -${variant})
    set(variant_cflags ${variant_flags_${variant}})
    if(NOT variant STREQUAL "checked")
      set(variant_libs ${variant_flags_${variant}})
    endif()
  endif()
  set(pc_file ${CMAKE_CURRENT_BINARY_DIR}/sennit${dash_variant}.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sennit.pc.in ${pc_file} @ONLY)
  install(FILES ${pc_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# sennit_integration_pc(NAME REQUIRES DESCRIPTION CFLAG...): what sennit::NAME says, for pkg-config.
function(sennit_integration_pc name requires description)
  string(JOIN " " cflags ${ARGN})
  set(pc_file ${CMAKE_CURRENT_BINARY_DIR}/sennit-${name}.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sennit-integration.pc.in ${pc_file} @ONLY)
  install(FILES ${pc_file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
sennit_integration_pc(mpi sennit "Strands that wait for MPI" -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
sennit_integration_pc(parlay sennit "ParlayLib with Sennit as its scheduler" "-include sennit/parlay.hpp")
sennit_integration_pc(starpu sennit-mpi "Graphs over ranks whose values StarPU-MPI moves")
sennit_integration_pc(std_execution sennit "C++17's parallel algorithms on Sennit" "-include sennit/std_execution.hpp")
sennit_integration_pc(tbb sennit "Programs for oneTBB on Sennit" "-I\${includedir}/sennit_tbb")
