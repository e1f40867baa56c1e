#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the libraries that a build for AArch64 needs, and that its programs load, into a folder: aarch64_sysroot.sh FOLDER. Does
# nothing if they are there. Says what is missing, and fails, where it cannot: with status 77 if packages cannot be fetched.
set -eu

packages=libboost-context-dev,libhwloc-dev,libgtest-dev,libgmock-dev,libfmt-dev,libcli11-dev,nlohmann-json3-dev,libffi-dev,libpng-dev
folder=$1
say() { printf 'aarch64_sysroot: %s\n' "$*" >&2; }

if [ "$(cat "$folder/made-of" 2>/dev/null)" = "$packages" ]; then exit 0; fi
if ! command -v mmdebstrap >/dev/null; then
  say "there is no mmdebstrap, which fetches Debian's packages for another CPU; install it: apt-get install mmdebstrap"
  exit 1
fi
log=$(mktemp)
mkdir -p "$(dirname "$folder")"
fresh=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$log" "$fresh"' EXIT
# Extracted, not installed: nothing of it runs.
if ! mmdebstrap --quiet --variant=extract --arch=arm64 --include="$packages" bookworm "$fresh" >"$log" 2>&1; then
  cat "$log" >&2
  say "mmdebstrap could not fetch Debian's packages for arm64: $packages; is the network up?"
  exit 77
fi
echo "$packages" >"$fresh/made-of"
rm -rf "$folder"
chmod 755 "$fresh"
mv "$fresh" "$folder"
