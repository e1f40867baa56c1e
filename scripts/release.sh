#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# release.sh             checks whether the last commit can be the release that include/sennit/version.hpp names, and says how to tag it
# release.sh --no-build  only what needs no build: tells in a minute what is missing
#
# It tags nothing itself. All checks are made, whatever has failed before; but nothing is built for a commit that cannot be released.
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
if ! printf '%s\n' "$version" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+'; then
  echo "release: include/sennit/version.hpp says no version, but '$version'" >&2
  exit 1
fi
if ! commit=$(git rev-parse --verify --quiet 'HEAD^{commit}'); then
  echo "release: this is no clone with a commit in it" >&2
  exit 1
fi
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
  changed=$(git status --porcelain --untracked-files=normal) || return 1
  [ -z "$changed" ] || { printf '%s\n' "$changed" | head; false; }
}
is_whole() {
  shallow=$(git rev-parse --is-shallow-repository) || return 1
  [ "$shallow" = false ] || { echo "its tags may be missing: git fetch --unshallow --tags"; false; }
}
is_on_main() {
  for main in refs/heads/main refs/remotes/origin/main; do
    if git rev-parse --verify --quiet "$main" >/dev/null && git merge-base --is-ancestor "$commit" "$main"; then return; fi
  done
  echo "$(git rev-parse --abbrev-ref HEAD) is at $(git rev-parse --short "$commit"), which main does not have"
  false
}
has_no_tag() {
  tag=$(git tag --list "v$version") || return 1
  [ -z "$tag" ] || { echo "it is at $(git rev-parse --short "$tag^{commit}"); the next version goes into include/sennit/version.hpp"; false; }
}
# A clone that has not fetched lately, or that was made without tags, does not know of origin's tag.
origin_has_no_tag() {
  if ! tag=$(GIT_TERMINAL_PROMPT=0 timeout 60 git ls-remote --tags origin "refs/tags/v$version" </dev/null); then
    echo "origin does not answer: is $(git remote get-url origin) right, and the network up?"
    false
  else
    [ -z "$tag" ] || { echo "somebody has released $version: git fetch --tags"; false; }
  fi
}
is_above_the_tags() {
  newest=$(git tag --list 'v[0-9]*' --merged HEAD --sort=-version:refname) || return 1
  # A candidate (v1.2.3-rc1) comes before its release, and is sorted behind it.
  newest=$(printf '%s\n' "$newest" | grep -E '^v[0-9]+[.][0-9]+[.][0-9]+$' | sed -n 1p)
  [ -z "$newest" ] || [ "$newest" = "v$version" ] ||
    [ "$(printf '%s\n' "$newest" "v$version" | sort -V | tail -n 1)" = "v$version" ] ||
    { echo "$newest has been released before this commit"; false; }
}
changelog_has_version() {
  section=$(sed -n 's/^## \[\(.*\)\].*/\1/p' CHANGELOG.md | sed -n 1p)
  [ "$section" = "$version" ] || { echo "the first section of CHANGELOG.md is [$section]"; false; }
}
changelog_has_date() {
  date=$(awk -v version="[$version]" '$1 == "##" && $2 == version && $3 == "-" && NF == 4 { print $4; exit }' CHANGELOG.md)
  # What date understands may be no date of the calendar, or "yesterday".
  [ -n "$date" ] && [ "$(date -d "$date" +%F 2>/dev/null)" = "$date" ] ||
    { echo "its heading should be: ## [$version] - $(date +%F)"; return 1; }
  [ "$(printf '%s\n' "$date" "$(date +%F)" | sort | tail -n 1)" = "$(date +%F)" ] || { echo "$date is still to come"; false; }
}
changelog_says_what_is_new() {
  awk -v version="[$version]" '$1 == "##" { here = $2 == version; next } here && /^ *[-*] / { found = 1 } END { exit !found }' CHANGELOG.md ||
    { echo "its section has no line that begins with '-'"; false; }
}
is_what_was_tested() { [ "$(git rev-parse HEAD)" = "$commit" ] && is_clean; }
is_root() { [ "$(id -u)" -eq 0 ] || { echo "make deb makes clean roots: sudo scripts/release.sh"; false; }; }
documents_agree() {
  for test in tests/docs/test_*.py tests/packaging/test_*.py tests/evidence/test_evidence.py; do
    case $test in */test_reference.py | */test_site.py) continue ;; esac  # of make check: they read what it makes, or take clang's Python
    python3 -B "$test" >/dev/null 2>&1 || { echo "$test fails; it says why: python3 -B $test"; return 1; }
  done
}

check "nothing is changed that is not committed" is_clean
check "this is a whole clone" is_whole
check "the commit is on main" is_on_main
check "there is no tag v$version yet" has_no_tag
if git remote get-url origin >/dev/null 2>&1; then check "origin has no tag v$version yet" origin_has_no_tag; fi
check "$version is above what has been released" is_above_the_tags
check "CHANGELOG.md begins with $version" changelog_has_version
check "CHANGELOG.md says when $version was released" changelog_has_date
check "CHANGELOG.md says what is new in $version" changelog_says_what_is_new
check "each file of code says its license" python3 -B scripts/spdx.py --check
check "the documents agree with the code, and packages with the version" documents_agree
if [ $builds = yes ]; then
  check "Debian packages can be built here" is_root
  # What a build cannot change is said before the hour that it takes.
  if [ $failed -gt 0 ]; then
    echo "release: $failed checks failed, so nothing is built; $version cannot be released from here"
    exit 1
  fi
  check "make test" make test
  check "make check, which compares the ABI with the newest release's" make check
  check "Debian packages are built and work" make deb
  check "what was tested is what is committed" is_what_was_tested
elif [ -z "$(git tag --list 'v[0-9]*' --merged HEAD)" ]; then
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
release: all is in order. \`make stress\` is for releases, too, and takes hours. Then:
  git tag -a v$version -m 'Sennit $version' $(git rev-parse --short=12 "$commit")
END
