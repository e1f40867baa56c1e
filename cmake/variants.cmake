# SPDX-License-Identifier: Apache-2.0
# The library as programs need it that are built with a sanitizer, or that want to be told what they do against the rules:
# the same sources with other flags, as sennit_asan, sennit_tsan and sennit_checked. include/sennit/detail/variant.hpp keeps
# programs from linking another one than they are built for.
set(SENNIT_VARIANTS asan tsan checked)
if(SENNIT_INSTALL_VARIANTS STREQUAL "ON")
  set(installed_variants ${SENNIT_VARIANTS})
else()
  set(installed_variants ${SENNIT_INSTALL_VARIANTS})
  list(REMOVE_ITEM installed_variants OFF)
endif()
foreach(variant IN LISTS installed_variants)
  if(NOT variant IN_LIST SENNIT_VARIANTS)
    message(FATAL_ERROR "SENNIT_INSTALL_VARIANTS=${SENNIT_INSTALL_VARIANTS}: there is no variant ${variant}; it may be ON, OFF "
                        "or a list of ${SENNIT_VARIANTS}")
  endif()
endforeach()
if(installed_variants AND (SENNIT_SANITIZE OR SENNIT_CHECKED))
  message(FATAL_ERROR "SENNIT_INSTALL_VARIANTS=${SENNIT_INSTALL_VARIANTS}: this build is a variant itself; build them without "
                      "SENNIT_SANITIZE and SENNIT_CHECKED")
endif()

# What the library and its users are compiled with.
set(variant_flags_asan -fsanitize=address)
set(variant_flags_tsan -fsanitize=thread)
set(variant_flags_checked -DSENNIT_CHECKED=1)

foreach(variant IN LISTS installed_variants)
  sennit_library(sennit_${variant})
  set_target_properties(
    sennit_${variant}
    PROPERTIES OUTPUT_NAME sennit-${variant}
               EXPORT_NAME ${variant}
               UNITY_BUILD ON
  )
  target_compile_options(sennit_${variant} PUBLIC ${variant_flags_${variant}} PRIVATE -g1 -fno-omit-frame-pointer)
  if(NOT variant STREQUAL "checked")
    target_link_options(sennit_${variant} PUBLIC ${variant_flags_${variant}})
  endif()
endforeach()
