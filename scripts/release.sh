#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# release.sh             checks whether the last commit can be the release that include/sennit/version.hpp names, and says how to tag it
# release.sh --no-build  only what needs no build
#
# It tags nothing itself. All checks are made, whatever has failed before.
set -u
cd "$(dirname "$0")/.."

case $# in
  0) builds=yes ;;
  *)
    [ "$*" = --no-build ] || { echo "release: the only option is --no-build" >&2; exit 2; }
    builds=no
    ;;
esac

version=$(sed -n 's/^#define SENNIT_VERSION_[MP][A-Z]* *//p' include/sennit/version.hpp | paste -sd.)
failed=0

# check WHAT COMMAND...: passes or fails as the command does
check() {
  what=$1
  shift
  if "$@"; then
    echo "ok      $what"
  else
    echo "FAILED  $what"
    failed=$((failed + 1))
  fi
}

is_clean() {
  changed=$(git status --porcelain) || return 1
  [ -z "$changed" ] || { printf '%s\n' "$changed" | head; false; }
}
has_no_tag() { tag=$(git tag --list "v$version") && [ -z "$tag" ]; }
changelog_has_version() {
  section=$(sed -n 's/^## \[\(.*\)\].*/\1/p' CHANGELOG.md | sed -n 1p)
  [ "$section" = "$version" ] || { echo "the first section of CHANGELOG.md is [$section]"; false; }
}
changelog_has_date() { grep -qE "^## \[$version\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md; }
documents_agree() {
  for test in tests/docs/test_*.py tests/packaging/test_*.py tests/evidence/test_evidence.py; do
    python3 -B "$test" >/dev/null 2>&1 || { echo "$test fails"; return 1; }
  done
}

check "nothing is changed that is not committed" is_clean
check "there is no tag v$version yet" has_no_tag
check "CHANGELOG.md begins with $version" changelog_has_version
check "CHANGELOG.md says when $version was released" changelog_has_date
check "the documents agree with the code, and packages with the version" documents_agree
if [ $builds = yes ]; then
  check "make test" make test
  check "make check" make check
  check "Debian packages are built and work" make deb
fi
# Of make check, too, unless nothing is built.
if [ $builds = no ] && [ -z "$(git tag --list 'v[0-9]*' --merged HEAD)" ]; then
  echo "ok      no commit has a tag yet, so there is no ABI to keep"
fi

if [ $failed -gt 0 ]; then
  echo "release: $failed checks failed; $version cannot be released from here"
  exit 1
fi
if [ $builds = no ]; then
  echo "release: what needs no build is in order; without --no-build all is checked"
  exit 0
fi
cat <<END
release: all is in order. Make stress is for releases, too, and takes hours. Then:
  git tag -a v$version -m 'Sennit $version'
END
