#!/bin/sh
# abi.sh          whether the last commit's shared library can take the place of the one of the newest tag: builds both
# abi.sh OLD NEW  the same for two shared libraries
#
# A library of another soname takes nobody's place, and may differ. What is new is no difference.
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
    tag=$(git tag --list 'v[0-9]*' --merged HEAD --sort=-version:refname | head -n 1)
    if [ -z "$tag" ]; then
      say "no commit has a tag yet, so there is nothing to compare with"
      exit 0
    fi
    say "comparing with $tag"
    old=$(built "$tag" old)
    new=$(built HEAD new)
    ;;
  2)
    old=$1
    new=$2
    for library in "$old" "$new"; do
      [ -f "$library" ] || { say "$library: there is no such file"; exit 2; }
    done
    ;;
  *)
    say "give two shared libraries, or nothing"
    exit 2
    ;;
esac

if [ "$(soname "$old")" != "$(soname "$new")" ]; then
  say "the sonames differ: $(soname "$old") and $(soname "$new")"
  exit 0
fi
if abidiff --no-added-syms "$old" "$new"; then
  say "the same for programs that are built"
else
  say "programs that are built with $(soname "$old") may not run with the new library: undo the change, or raise the version by a minor"
  exit 1
fi
