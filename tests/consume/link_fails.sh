#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# link_fails.sh WANTED COMPILER FLAG...: passes if fib.cpp, built with the flags and linked to the plain library of the package in
# LIBDIR, is refused by the linker with a message that has WANTED in it.
set -eu
here=$(dirname "$0")
export PKG_CONFIG_PATH="$LIBDIR/pkgconfig"
wanted=$1
shift
# pkg-config prints words of a shell.
if eval '"$@" -std=c++20 "$here/fib.cpp" -o link_fails' "$(pkg-config --cflags --libs sennit)" 2>link_fails.txt; then
  echo "it links, and would misbehave"
  exit 1
fi
grep -F "$wanted" link_fails.txt || { cat link_fails.txt; exit 1; }
