#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what Debian packages are missing: setup.sh build|splicec|test|bench|deb|evidence|docs...
set -eu

# The cross compiler and the emulator for AArch64. An AArch64 machine needs neither, and Debian's arm64 has no such compiler.
if [ "$(dpkg --print-architecture 2>/dev/null || uname -m)" = arm64 ]; then cross=""; else cross="g++-12-aarch64-linux-gnu qemu-user"; fi

packages() {
  case $1 in
    build) echo g++ cmake ninja-build pkg-config libboost-context-dev libhwloc-dev libcli11-dev libffi-dev libfmt-dev \
                nlohmann-json3-dev libpng-dev libgtest-dev libgmock-dev ;;
    splicec) echo libclang-19-dev ;;
    test) echo wamerican clang-19 libclang-19-dev libclang-rt-19-dev llvm-19 clang-format-19 clang-tidy-19 libtbb-dev python3 spin valgrind chromium gdb \
               $cross mmdebstrap libopenmpi-dev openmpi-bin libmpich-dev mpich libstarpu-dev \
               abigail-tools python3-clang-19 python3-venv codespell mandoc zsh fish ;;
    deb) echo dpkg-dev lintian mmdebstrap ;;
    evidence) echo python3-matplotlib ;;
    docs) echo g++ pkg-config python3 python3-venv python3-clang-19 libopenmpi-dev libstarpu-dev ;;
    bench) echo clang-19 libtbb-dev libcuckoo-dev robin-map-dev libomp-19-dev libstarpu-dev libopenblas-dev python3 python3-venv valgrind ;;
  esac
}

purpose() {
  case $1 in
    build) echo "to build sennit and its tools" ;;
    splicec) echo "to build sennit-splicec" ;;
    test) echo "to test it (words, second compiler, splicec, sanitizers, programs for oneTBB, MPI, StarPU, AArch64, models, formatting, pages, ABI)" ;;
    deb) echo "to build Debian packages, and to look at them" ;;
    evidence) echo "to draw the pictures of docs/evidence" ;;
    docs) echo "to make the documentation as a site" ;;
    bench) echo "to compare it with other systems" ;;
  esac
}

say() { printf 'setup: %s\n' "$*" >&2; }

# The packages among the arguments that are not installed.
missing() {
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | sed -n 's/ installed$//p')
  for package; do
    case "
$installed
" in
      *"
$package
"*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

all=""
for group; do
  if [ -z "$(packages "$group")" ]; then
    say "no group of packages is called '$group'; there are build, splicec, test, bench, deb, evidence and docs"
    exit 2
  fi
  all="$all $(packages "$group")"
done

if ! command -v dpkg-query >/dev/null; then
  say "this is not Debian, so nothing is installed; the build needs what these Debian packages hold:$all"
  exit 0
fi

needed=$(missing $all)
if [ -z "$needed" ]; then
  exit 0
fi

# On a terminal, sudo may ask for a password; nobody is asked who is not meant to use it.
may_sudo() {
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null && return 0
  [ -t 0 ] && id -nG | grep -qw sudo && say "some Debian packages are missing; sudo is to install them" && sudo -v
}

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! may_sudo; then
    say "some Debian packages are missing, and installing them takes root or sudo; as root, run"
    say "  apt-get update && apt-get install --no-install-recommends ${needed% }"
    say "and then try again"
    exit 1
  fi
  as_root="sudo -n"
fi

say "installing the Debian packages that are missing"
for group; do
  of_group=$(missing $(packages "$group"))
  if [ -n "$of_group" ]; then
    say "  $(purpose "$group"): $of_group"
  fi
done

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=2 -o Acquire::http::Timeout=30 \
    -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

# Old lists of packages may do: what counts is whether they name what is needed.
if ! apt -qq -o APT::Update::Error-Mode=any update &&
  ! apt -qq --simulate install $needed 2>/dev/null; then
  say "apt-get could not refresh its lists of packages; is the network up, and are its sources right? Needed are"
  say "  $needed"
  exit 1
fi
if ! apt -q install -y --no-install-recommends $needed; then
  say "apt-get could not install $needed"
  say "its words are above; on Debian 12 all of these are in 'main'"
  exit 1
fi
