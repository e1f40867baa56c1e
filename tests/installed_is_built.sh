#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed_is_built.sh BUILD SOURCE. Catches what is installed, but not built by `make install`, which then stops for want of it.
set -eu
cd "$1"
targets=$(sed -n 's|.* --target \(src/all.*\)|\1|p' "$2/Makefile")
test -n "$targets"
installed=$(grep -rhoE --include=cmake_install.cmake 'TYPE (STATIC_LIBRARY|EXECUTABLE) FILES "[^"]*"' . |
  sed 's/.*FILES "//; s/"$//')
test -n "$installed"
made=$(ninja -t commands $targets)
for file in $installed; do
  printf '%s\n' "$made" | grep -qF " ${file#"$1/"} " || { echo "make install does not build $file"; exit 1; }
done
