# SPDX-License-Identifier: Apache-2.0
# sennit::sennit of the installed package: the variant of the library that programs here are built for. That is what
# SENNIT_VARIANT says (plain, checked, asan or tsan), else what the flags for all targets say: with -fsanitize=thread it is
# tsan, with -fsanitize=address asan. A target with flags of its own links sennit::tsan or sennit::asan itself.
set(sennit_VARIANT "${SENNIT_VARIANT}")
if(NOT sennit_VARIANT)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" sennit_build_type)
  get_directory_property(sennit_flags COMPILE_OPTIONS)
  set(sennit_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${sennit_build_type}} ${sennit_flags}")
  if(sennit_flags MATCHES "-fsanitize=[a-z,-]*thread")
    set(sennit_VARIANT tsan)
  elseif(sennit_flags MATCHES "-fsanitize=[a-z,-]*address")
    set(sennit_VARIANT asan)
  else()
    set(sennit_VARIANT plain)
  endif()
  unset(sennit_flags)
  unset(sennit_build_type)
endif()

if(TARGET sennit::${sennit_VARIANT} AND sennit_VARIANT MATCHES "^(plain|checked|asan|tsan)$")
  if(NOT TARGET sennit::sennit)
    add_library(sennit::sennit INTERFACE IMPORTED)
    set_property(TARGET sennit::sennit PROPERTY INTERFACE_LINK_LIBRARIES sennit::${sennit_VARIANT})
  endif()
elseif(sennit_VARIANT MATCHES "^(checked|asan|tsan)$")
  set(sennit_FOUND FALSE)
  set(sennit_NOT_FOUND_MESSAGE
      "this project is built for the variant '${sennit_VARIANT}' of sennit, which is not installed there; install sennit with \
SENNIT_INSTALL_VARIANTS=ON, as `make install` does, or set SENNIT_VARIANT to another one"
  )
else()
  set(sennit_FOUND FALSE)
  set(sennit_NOT_FOUND_MESSAGE "SENNIT_VARIANT is '${sennit_VARIANT}', but must be plain, checked, asan or tsan")
endif()
