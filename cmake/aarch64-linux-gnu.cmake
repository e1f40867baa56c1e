# SPDX-License-Identifier: Apache-2.0
# Builds for AArch64 Linux on another machine, by GCC 12 of Debian or, with -DSENNIT_CROSS_CLANG=ON, by clang 19; programs run
# under qemu-user. scripts/aarch64_sysroot.sh makes the folder with the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(SENNIT_AARCH64_SYSROOT "" CACHE PATH "Where scripts/aarch64_sysroot.sh has put the libraries")
option(SENNIT_CROSS_CLANG "Cross-compile with clang 19" OFF)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SENNIT_AARCH64_SYSROOT SENNIT_CROSS_CLANG)
if(NOT EXISTS ${SENNIT_AARCH64_SYSROOT}/usr/include)
  message(FATAL_ERROR "SENNIT_AARCH64_SYSROOT=${SENNIT_AARCH64_SYSROOT} has no libraries for AArch64; make it by "
                      "scripts/aarch64_sysroot.sh, and name it")
endif()

if(SENNIT_CROSS_CLANG)
  set(CMAKE_C_COMPILER clang-19)
  set(CMAKE_CXX_COMPILER clang++-19)
  set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
  set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
else()
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
endif()

set(CMAKE_SYSROOT ${SENNIT_AARCH64_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${SENNIT_AARCH64_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SENNIT_AARCH64_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${SENNIT_AARCH64_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${SENNIT_AARCH64_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${SENNIT_AARCH64_SYSROOT})
