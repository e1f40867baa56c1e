#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pkg_config.sh C_COMPILER COMPILER [FLAG...]: builds and runs main.c and main.cpp with what sennit.pc of the package in LIBDIR
# says.
set -eu
here=$(dirname "$0")
export PKG_CONFIG_PATH="$LIBDIR/pkgconfig"
export LD_LIBRARY_PATH="$LIBDIR"
c_compiler=$1
shift

pkg-config --exact-version="$VERSION" sennit
# pkg-config prints words of a shell, in which a blank of the prefix is quoted.
with_sennit() { eval '"$@"' "$(pkg-config --cflags --libs sennit)"; }
with_sennit "$@" -std=c++20 -Werror "-DSENNIT_EXPECTED_VERSION=\"$VERSION\"" "$here/main.cpp" -o pkg_config_consume
./pkg_config_consume

with_sennit "$c_compiler" -std=c99 -Wall -Wextra -Werror -pedantic "-DSENNIT_EXPECTED_VERSION=\"$VERSION\"" "$here/main.c" \
  -o pkg_config_consume_c
./pkg_config_consume_c

# Catches: flags of an integration that name a header, or a folder of headers, that is not installed.
for name in mpi parlay starpu std_execution tbb; do
  pkg-config --exact-version="$VERSION" "sennit-$name"
  pkg-config --libs "sennit-$name" | grep -q -e -lsennit
  eval "set -- $(pkg-config --variable=includedir sennit) $(pkg-config --cflags "sennit-$name")"
  includes=$1
  shift
  for word; do
    case $word in
      -I*) path=${word#-I} ;;
      sennit/*) path=$includes/$word ;;
      *) continue ;;
    esac
    [ -e "$path" ] || { echo "sennit-$name.pc names $path, which is not installed" >&2; exit 1; }
  done
done
