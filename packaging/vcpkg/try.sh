#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# try.sh VCPKG_ROOT: installs the port with the vcpkg in that folder and with the system's Boost and hwloc, then builds and runs
# a program of examples/ with vcpkg's toolchain file. Takes no network, if the folder has vcpkg's program and the system has
# patchelf, cmake, ninja and pkg-config.
set -eu
cd "$(dirname "$0")/../.."
vcpkg_root=$(realpath "${1:?say where vcpkg is: try.sh VCPKG_ROOT}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

VCPKG_FORCE_SYSTEM_BINARIES=1 "$vcpkg_root/vcpkg" install sennit --disable-metrics --classic --vcpkg-root="$vcpkg_root" \
  --overlay-ports=packaging/vcpkg/ports --overlay-ports=packaging/vcpkg/system \
  --x-install-root="$folder/installed" --x-buildtrees-root="$folder/trees" --x-packages-root="$folder/packages" \
  --downloads-root="$folder/downloads" --binarysource=clear
cmake -G Ninja -S examples/heat -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$vcpkg_root/scripts/buildsystems/vcpkg.cmake" \
  -DVCPKG_INSTALLED_DIR="$folder/installed" -DVCPKG_MANIFEST_MODE=OFF \
  ${VCPKG_DEFAULT_TRIPLET:+"-DVCPKG_TARGET_TRIPLET=$VCPKG_DEFAULT_TRIPLET"}
cmake --build "$folder/build"
grep -q "^sennit_DIR:PATH=$folder/installed/" "$folder/build/CMakeCache.txt"
"$folder/build/heat"
