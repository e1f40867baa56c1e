#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh [FOLDER]: Debian packages of the last commit in FOLDER, or else in out/deb. They are built in a clean root, which has
# what packaging/debian/control names and no network, and lintian looks at them. Then they are installed in another clean root,
# where packaging/debian/tests builds and runs programs.
#
# The roots are of the Debian release that this machine has; SENNIT_DEB_SUITE names another one. DEBFULLNAME and DEBEMAIL, which dch
# reads, too, say who builds the packages.
set -eu
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-out/deb}")
suite=${SENNIT_DEB_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}

say() { printf 'deb: %s\n' "$*" >&2; }

# Who is named as the maintainer: nobody has to be.
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
if [ -n "${DEBFULLNAME:-}${DEBEMAIL:-}" ]; then
  case ${DEBEMAIL:-} in
    *' <'*'>') name=${DEBFULLNAME:-${DEBEMAIL% <*}} email=${DEBEMAIL##*<} email=${email%>} ;;  # dch takes that, too
    *) name=${DEBFULLNAME:-} email=${DEBEMAIL:-} ;;
  esac
  maintainer="$name <$email>"
  if [ "$(printf '%s\n' "$maintainer" | wc -l)" -ne 1 ] ||
    ! printf '%s\n' "$maintainer" | grep -Eqx '[^ <>,][^<>,]* <[^ <>,@]+@[^ <>,@]+>'; then
    say "DEBFULLNAME='${DEBFULLNAME:-}' and DEBEMAIL='${DEBEMAIL:-}' name no maintainer: give a name and an address, as in
  make deb DEBFULLNAME='Ada Lovelace' DEBEMAIL=ada@example.org"
    exit 2
  fi
fi

if [ "$(id -u)" -ne 0 ]; then
  say "a root to build in takes root's rights: sudo make deb"
  exit 1
fi
roots=$(mktemp -d)
trap 'rm -rf "$roots"' EXIT
trap 'exit 130' INT TERM

# list FIELD FILE: the names of packages in a field
list() { sed -n "/^$1:/,/^[^ ]/s/^ \([a-z0-9.+-]*\).*/\1/p" "$2" | paste -sd,; }

# new_root NAME VARIANT PACKAGES
new_root() {
  say "a clean root to $1 in, of Debian $suite"
  mmdebstrap --quiet --mode=root --variant="$2" --include="$3" "$suite" "$roots/$1"
}

# inside NAME COMMAND...: with processes of its own, and without a network
inside() {
  root=$roots/$1
  shift
  unshare --mount --net --pid --fork --mount-proc="$root/proc" chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LC_ALL=C.UTF-8 HOME=/nonexistent "$@"
}

version=$(sed -n 's/^#define SENNIT_VERSION_[MP][A-Z]* *//p' include/sennit/version.hpp | paste -sd.)

mkdir -p "$out"
new_root build buildd "ca-certificates,$(list Build-Depends packaging/debian/control)"
tree=$roots/build/build/sennit-$version
mkdir -p "$tree"
git archive --prefix="sennit-$version/" HEAD | gzip -9n >"$roots/build/build/sennit_$version.orig.tar.gz"
tar -xzf "$roots/build/build/sennit_$version.orig.tar.gz" -C "$roots/build/build"
cp -R "$tree/packaging/debian" "$tree/debian"
MAINTAINER=$maintainer awk '/^Maintainer: / { $0 = "Maintainer: " ENVIRON["MAINTAINER"] } { print }' \
  "$tree/packaging/debian/control" >"$tree/debian/control"
# Debian's changelog is made, as the version stands in version.hpp.
cat >"$tree/debian/changelog" <<END
sennit ($version-1) UNRELEASED; urgency=medium

  * Commit $(git rev-parse --short=12 HEAD). CHANGELOG.md says what is new.

 -- $maintainer  $(git log -1 --format=%cD)
END
say "building"
inside build sh -c "cd '/build/sennit-$version' && DEB_BUILD_OPTIONS='parallel=${JOBS:-1}' dpkg-buildpackage -us -uc"
rm -f "$out"/sennit_* "$out"/*.deb
cp "$roots"/build/build/sennit_* "$roots"/build/build/*.deb "$out"
rm -rf "$roots/build"

# Nobody has asked Debian for these packages, so they close no bug there.
say "lintian"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes

new_root test minbase "$(sed -n 's/^Depends: //p' packaging/debian/tests/control | tr -d ' ' | sed 's/@,//')"
mkdir "$roots/test/debs"
cp "$out"/*.deb "$roots/test/debs"
cp -R packaging/debian/tests "$roots/test/tests"
say "installing the packages"
chroot "$roots/test" sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends /debs/*.deb' </dev/null >/dev/null
say "building and running programs"
inside test sh -c 'mkdir /tmp/programs && AUTOPKGTEST_TMP=/tmp/programs sh -eu /tests/programs'

# Catches: a package that cannot take its own place, a program that needs more than the library's package, files that stay behind.
say "installing the packages over themselves, and removing them"
inside test sh -euc '
  dpkg --install /debs/*.deb
  dpkg --remove sennit-doc sennit libsennit-dev
  test "$(/tmp/programs/fib)" = 832040
  dpkg --purge $(dpkg-query --show --showformat "\${Package} " "*sennit*")
  left=$(find / -xdev \( -path /proc -o -path /debs -o -path /tests -o -path /tmp \) -prune -o \
    \( -name "*sennit*" -o -name "*tpal*" -o -name "*rollforward*" \) -print)
  [ -z "$left" ] || { echo "left behind: $left"; exit 1; }
' >"$roots/removal" 2>&1 || { cat "$roots/removal" >&2; exit 1; }
say "done: $(cd "$out" && ls ./*.deb | tr '\n' ' ')"
