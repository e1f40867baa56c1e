#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and tests configurations, goes on after a failure, and ends with the sum 'N passed, N failed' and the time.
#   test.sh test [ONLY]       what one runs again and again: one optimized configuration, with all tests of what the
#                             library does; with ONLY, the programs whose name matches, of all there are, or else the tests
#   test.sh check             what each change has to pass besides: the tests of tools, integrations and generated code, ASan and
#                             UBSan, TSan, Debug, models, packages, documents, code that must not compile, beats at each
#                             instruction, formatting
#   test.sh stress [REGEX]    every compiler, sanitizer and option, and clang-tidy, or those whose name matches; heavy
#                             tests included
set -u
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

began=$(date +%s)
passed=0
failed=0
skipped=0
failures=""

title() { printf '\n=== %s\n' "$*"; }

fail() {
  failed=$((failed + 1))
  failures="$failures
  $1"
}

# step NAME COMMAND...: passes or fails as the command does. Status 77: what it needs cannot be fetched; it is skipped.
step() {
  step=$1
  shift
  title "$step"
  "$@"
  case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) fail "$step" ;;
  esac
}

configure() { cmake "$@" >"$log" 2>&1 || { cat "$log"; false; }; }

# count FILE ATTRIBUTE: a number in the first element of a JUnit file
count() { sed -n "s/^[[:space:]]*$2=\"\([0-9]*\)\".*/\1/p;/<testcase/q" "$1"; }

# What configuration() builds, and which tests it runs: a pattern of their names, and options for ctest.
targets=all
tests=.
labels=""

# configuration PRESET [OPTION...]: builds and tests the preset with these options
configuration() {
  preset=$1 name=${TEST_VARIANT:-}$1 start=$(date +%s)
  shift
  title "$name: build"
  if ! configure --preset "$preset" "$@" ||
    ! cmake --build "build/$name" --parallel "$jobs" --target $targets; then
    fail "$name: build"
    return
  fi
  # Otherwise variants would take the place of each other, and of what one builds by hand.
  if [ ! -f "build/$name/CMakeCache.txt" ]; then
    fail "$name: CMakePresets.json lets the preset build in another folder than build/$name"
    return
  fi

  title "$name: test (built in $(($(date +%s) - start)) s)"
  report=$PWD/build/$name/tests.xml
  failed_tests=build/$name/Testing/Temporary/LastTestsFailed.log
  rm -f "$report" "$failed_tests"
  ctest --preset "$preset" --parallel "$jobs" --tests-regex "$tests" $labels --no-tests=error --output-junit "$report"
  status=$?
  if [ ! -f "$report" ]; then
    fail "$name: ctest did not come to an end"
    return
  fi
  bad=$(count "$report" failures)
  left_out=$(($(count "$report" skipped) + $(count "$report" disabled)))
  passed=$((passed + $(count "$report" tests) - bad - left_out))
  failed=$((failed + bad))
  skipped=$((skipped + left_out))
  if [ "$bad" -gt 0 ]; then
    failures="$failures
$(sed "s/^[0-9]*:/  $name: /" "$failed_tests")"
  elif [ $status -ne 0 ]; then
    fail "$name: ctest"
  fi
  title "$name: $(($(date +%s) - start)) s in all"
}

# aarch64 [OPTION...]: the same for AArch64, under qemu-user. Needs the libraries of Debian's arm64. On AArch64 itself the other
# configurations are these tests.
aarch64() {
  if [ "$(uname -m)" = aarch64 ]; then
    title "${TEST_VARIANT:-}aarch64: left out, as this machine is one"
    return
  fi
  fetched=$passed
  step "${TEST_VARIANT:-}aarch64: libraries" scripts/aarch64_sysroot.sh build/aarch64-sysroot
  if [ "$passed" -gt "$fetched" ]; then configuration aarch64 "$@"; fi
}

# asked_for REGEX NAME
asked_for() { printf '%s\n' "$2" | grep -Eq -e "$1"; }

stress() {
  targets="all later documents"
  for variant in default shared no-exceptions no-hwloc; do
    case $variant in
      default) options="" ;;
      shared) options="-DBUILD_SHARED_LIBS=ON" ;;
      # The tools and the gallery are programs with exceptions.
      no-exceptions) options="-DSENNIT_EXCEPTIONS=OFF -DSENNIT_BUILD_TOOLS=OFF" ;;
      no-hwloc) options="-DSENNIT_WITH_HWLOC=OFF" ;;
    esac
    # The presets put this before the name of their build directory.
    export TEST_VARIANT="stress/$variant-"
    for preset in release release-clang dev asan asan-clang tsan tsan-gcc ubsan; do
      if asked_for "$1" "$variant-$preset"; then
        configuration "$preset" -DSENNIT_STRESS=ON $options
      fi
    done
  done
  # What is of Sennit's own: the other tests run programs of this machine.
  parts="core loops process schedule graph splice beats"
  targets=$(printf 'tests/%s/all ' $parts)
  tests="^($(echo "$parts" | tr ' ' '|'))[._]"
  labels="--exclude-regex ^test_.*_NOT_BUILT$"
  for variant in default shared clang; do
    case $variant in
      default) options="" ;;
      shared) options="-DBUILD_SHARED_LIBS=ON" ;;
      clang) options="-DSENNIT_CROSS_CLANG=ON" ;;
    esac
    export TEST_VARIANT="stress/$variant-"
    if asked_for "$1" "$variant-aarch64"; then aarch64 -DSENNIT_STRESS=ON $options; fi
  done
  unset TEST_VARIANT
  if asked_for "$1" tidy; then step tidy make --no-print-directory tidy; fi
}

# The folders of tests/ that say what the library does. The others are of what uses it (tools, the gallery, integrations, documents),
# of what it costs, or explore its protocols as models do, and take as long again to build: `make check` has their tests, and those of
# each folder that is not named here.
library="algorithm beats c_interface core exports gdb graph loops nests pipeline policy process schedule splice splice_schedule
  topology unit"
# Of these folders, too, what takes long to build or to run, and says little of a change of the library's code.
slow='^(later|models|package|documents|compile-fail|stepped)$'

# named FOLDER...: a pattern of the names of these folders' tests
named() { printf '^(%s)[._]' "$(echo "$@" | tr ' ' '|')"; }

# only FOLDER...: builds these folders of tests/, and runs their tests
only() {
  targets=$(printf 'tests/%s/all ' "$@")
  tests=$(named "$@")
}

# and_some FOLDER PROGRAM...: of a folder, these programs as well
and_some() {
  folder=$1
  shift
  targets="$targets$(printf " test_$folder.%s" "$@")"
  tests="$tests|^$folder[.]($(echo "$@" | tr ' ' '|'))[.]"
}

run_tests() {
  # ctest has a test that fails for each program that is not built.
  labels="--label-exclude $slow --exclude-regex ^test_.*_NOT_BUILT$"
  only $library
  if [ -n "$1" ]; then
    labels=""
    # Programs of tests are written down as they are configured: a name and its target.
    configure --preset release -DSENNIT_PRECOMPILE_TESTS=ON || { fail "release: configure"; return; }
    chosen=$(grep -E -e "$1" build/release/tests.txt)
    if [ -n "$chosen" ]; then
      targets=$(printf '%s\n' "$chosen" | sed 's/.* //' | tr '\n' ' ')
      tests="^($(printf '%s\n' "$chosen" | sed 's/ .*//; s/[.]/[.]/g' | paste -sd '|'))[.]"
    else
      targets="all later documents"
      tests=$1  # of the documents, of the tools, of what is not to compile
    fi
  fi
  configuration release -DSENNIT_PRECOMPILE_TESTS=ON
}

run_checks() {
  # What `make test` leaves out, with a variant to be installed. The others, sennit-asan and sennit-tsan, differ in their flags
  # alone.
  targets="all later documents"
  labels="--label-regex $slow"
  configuration release -DSENNIT_PRECOMPILE_TESTS=ON -DSENNIT_INSTALL_VARIANTS=checked
  labels="--label-exclude $slow --exclude-regex $(named $library)"
  configuration release -DSENNIT_PRECOMPILE_TESTS=ON -DSENNIT_INSTALL_VARIANTS=checked
  labels=""
  # Each of these builds has the library anew.
  quickly="-DSENNIT_PRECOMPILE_TESTS=ON -DSENNIT_COMPILE_FOLDERS=ON"
  # What only uses the library takes half of the time to build. Under sanitizers it is for stress. GCC's take twice as
  # long to build as clang's.
  # All but the costs of loops, which take longest to build, and but for what there is not under TSan.
  schedules="affinity distribution execution file groups refinement replay schedule split steal_tree tiling timeline"
  # Loops, algorithms and nests own next to no memory, and take long to build; as do the tools of TPAL and rollforward, and
  # many splices. Policies and the topology have no memory of their own. Of graphs, those tests that make and free most.
  only unit core process beats pipeline
  and_some schedule $schedules lateness long_region
  and_some splice failure fronts
  and_some graph alive boxes create failure flow flow_random flow_regions inside keys lifetime limit_permit random record \
    replay run task_graph task_values trace values within
  configuration asan-clang $quickly
  # The others have no threads of their own; the tools of TPAL, which take longest to build, have the library's. Of splices and
  # graphs, those tests that make most use of several workers. Loops take long to build; make stress has them.
  only core process beats pipeline
  and_some schedule $schedules
  and_some splice failure fronts
  and_some graph alive color create flow flow_random flow_random_perturbed flow_regions limit_permit placement priority random \
    random_perturbed random_tasks record replay run static task_async task_choice task_compose task_graph task_limit task_priority within
  configuration tsan $quickly
  # A Debug build has a library that sees the program's locks, and frames that no optimizer has touched; the rest is as
  # above. Here each file of the library is compiled alone, and nothing is precompiled: one that forgets to include something
  # is found.
  only process
  targets="$targets test_loops_checked"
  tests="$tests|^loops_checked[.]"
  configuration dev
  # AArch64: forks, sleep, the switch of stacks, a loop, beats that are asked for.
  targets="test_core_join test_core_sleep test_core_float_environment test_loops_reduce test_beats"
  tests="^(core_(join|sleep|float_environment)|loops_reduce|beats)[.]"
  aarch64 -DSENNIT_COMPILE_FOLDERS=ON
  step format-check make --no-print-directory format-check
  step abi scripts/abi.sh
  step docs sh -c 'scripts/setup.sh docs && /usr/bin/python3 -B scripts/site/make.py out/docs && python3 -B tests/docs/test_site.py'
}

case ${1:-} in
  test) run_tests "${2:-}" ;;
  check) run_checks ;;
  stress) stress "${2:-.}" ; step format-check make --no-print-directory format-check ;;
  *)
    echo "test.sh: say test, check or stress" >&2
    exit 2
    ;;
esac

if [ "$failed" -gt 0 ]; then
  printf '\nfailed:%s\n' "$failures"
fi
printf '\n%d passed, %d failed' "$passed" "$failed"
if [ "$skipped" -gt 0 ]; then printf ', %d skipped' "$skipped"; fi
printf '; %d min %d s\n' $((($(date +%s) - began) / 60)) $((($(date +%s) - began) % 60))
[ "$failed" -eq 0 ]
