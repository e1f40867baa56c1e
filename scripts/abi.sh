#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# abi.sh                                    whether the last commit's shared library can take the place of the newest release's: builds both
# abi.sh OLD NEW [OLD_HEADERS NEW_HEADERS]  the same for two shared libraries, and the folders of their headers
#
# A library of another soname takes nobody's place, and may differ. What is new is no difference, nor are types that no header defines.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'abi: %s\n' "$*" >&2; }

if ! command -v abidiff >/dev/null; then
  say "there is no abidiff; install the Debian package abigail-tools"
  exit 2
fi

soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }

# built COMMIT NAME: its shared library, with what abidiff needs to know of types
built() {
  tree=$PWD/build/abi/$2
  rm -rf "$tree/source"
  mkdir -p "$tree/source"
  git archive "$1" | tar -x -C "$tree/source"
  cmake -G Ninja -S "$tree/source" -B "$tree/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g" \
    -DBUILD_SHARED_LIBS=ON -DSENNIT_BUILD_TESTS=OFF -DSENNIT_BUILD_TOOLS=OFF >&2
  cmake --build "$tree/build" --parallel "${JOBS:-$(nproc)}" --target sennit >&2
  echo "$tree/build/src/libsennit.so"
}

case $# in
  0)
    # Of a shallow clone nobody knows which tags it has not got.
    shallow=$(git rev-parse --is-shallow-repository)
    if [ "$shallow" = true ]; then
      say "this is no whole clone, so its tags may be missing, and nothing is compared; make one: git fetch --unshallow --tags"
      exit 0
    fi
    tags=$(git tag --list 'v[0-9]*' --merged HEAD --sort=-version:refname)
    # Nobody has to keep the ABI of a candidate (v1.2.3-rc1), which is sorted behind its release.
    tag=$(printf '%s\n' "$tags" | grep -E '^v[0-9]+[.][0-9]+[.][0-9]+$' | sed -n 1p)
    if [ -z "$tag" ]; then
      say "no commit has the tag of a release yet, so there is nothing to compare with"
      exit 0
    fi
    say "comparing with $tag"
    old=$(built "$tag" old)
    new=$(built HEAD new)
    set -- --headers-dir1 build/abi/old/source/include --headers-dir2 build/abi/new/source/include
    ;;
  2 | 4)
    old=$1
    new=$2
    for path; do
      [ -e "$path" ] || { say "$path: there is no such file"; exit 2; }
    done
    shift 2
    [ $# -eq 0 ] || set -- --headers-dir1 "$1" --headers-dir2 "$2"
    ;;
  *)
    say "give two shared libraries, and maybe their headers, or nothing"
    exit 2
    ;;
esac

if [ "$(soname "$old")" != "$(soname "$new")" ]; then
  say "the sonames differ: $(soname "$old") and $(soname "$new")"
  exit 0
fi
if abidiff --no-added-syms "$@" "$old" "$new"; then
  say "the same for programs that are built"
else
  say "programs that are built with $(soname "$old") may not run with the new library: undo the change, or raise the version by a minor"
  exit 1
fi
