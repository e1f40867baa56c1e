#!/bin/sh
# Builds and runs suites of tests that others wrote for their libraries, on Sennit. Prints what passed and failed by name.
#   foreign.sh [REGEX]        the tests whose name matches
# The suites come from Debian's source packages:
#   std_execution/...         the parallel algorithms in the test suite of GCC
#   tbb/...                   the conformance tests of oneTBB, for what Sennit replaces of it
# Of these there is no package. They run where the environment names a clone:
#   PARLAY=folder             ParlayLib; parlay/...: its own tests, case by case
#   PBBS=folder               PBBS, which needs PARLAY; pbbs/...: its programs by its own checks, then their times
# Results and logs are in build/foreign/.
set -u
cd "$(dirname "$0")/.."

only=${1:-.}
PARLAY=${PARLAY:+$(realpath "$PARLAY")}
PBBS=${PBBS:+$(realpath "$PBBS")}
jobs=${JOBS:-$(nproc)}
out=$PWD/build/foreign
library=$PWD/build/release/src/libsennit.a
mkdir -p "$out"

fail() { printf 'foreign: %s\n' "$1" >&2; exit 1; }

# source_package NAME: its files in $out/sources, as Debian's archive has them. Where to find the archive is what this
# machine says of binary packages.
source_package() {
  ls "$out/sources/$1"_*.dsc >/dev/null 2>&1 && return
  apt=$out/apt
  mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$out/sources"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] && sed '/^#/d; s/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$apt/parts/$(basename "$file" .list).list"
  done
  options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$apt/parts -o Dir::State::lists=$apt/lists
           -o Dir::Cache=$apt/cache -o APT::Sandbox::User="
  # shellcheck disable=SC2086
  apt-get $options update >"$out/apt.log" 2>&1 &&
    (cd "$out/sources" && apt-get $options source --download-only "$1" >>"$out/apt.log" 2>&1) ||
    fail "the source package $1 cannot be had from the archive that apt uses; see $out/apt.log"
}

# try KIND NAME SOURCE FLAGS...: builds a test, runs it unless KIND is `preprocess`, and says how that ended
try() {
  kind=$1 name=$2 source=$3
  shift 3
  program=$out/programs/$name
  mkdir -p "$(dirname "$program")"
  if [ "$kind" = preprocess ]; then
    g++ -E "$@" "$source" -o /dev/null >"$program.log" 2>&1 && echo "passed $name" || echo "failed $name (preprocessing)"
  elif ! g++ "$@" "$source" -o "$program" "$library" $(pkg-config --libs hwloc numa fmt) -lboost_context -lpthread -ldl \
    $(case $name in tbb/*) echo -ltbb ;; parlay/*) echo -lgtest_main -lgtest ;; esac) >"$program.log" 2>&1; then
    echo "failed $name (compiling)"
    return
  fi
  timeout 300 "$program" >>"$program.log" 2>&1
  status=$?
  case $name in parlay/*)
    sed -n "s,^\[       OK \] \([^ ]*\).*,passed $name/\1,p; s,^\[  FAILED  \] \([^ ]*\) (.*ms)\$,failed $name/\1,p" "$program.log" ;;
  esac
  if [ "$status" -eq 0 ]; then
    echo "passed $name"
    rm -f "$program"
  else
    echo "failed $name (status $status)"
  fi
}

std_execution() {
  suite=$out/gcc/libstdc++-v3/testsuite
  if [ ! -d "$suite" ]; then
    source_package gcc-12
    rm -rf "$out/gcc.part"
    mkdir "$out/gcc.part"
    # The package is an archive of archives.
    tar -xzf "$out"/sources/gcc-12_*.orig.tar.gz -C "$out/gcc.part" --strip-components=1 --wildcards '*/gcc-12*.tar.xz' &&
      tar -xJf "$out"/gcc.part/gcc-12*.tar.xz -C "$out/gcc.part" --strip-components=1 --wildcards \
        '*/libstdc++-v3/testsuite/*pstl*' || fail 'the source package gcc-12 has no tests of the parallel algorithms'
    mv "$out/gcc.part" "$out/gcc"
  fi
  find "$suite" -path '*/pstl/*' -name '*.cc' | sort | while read -r source; do
    name=std_execution/$(printf %s "${source#"$suite"/}" | sed 's,pstl/,,; s,\.cc$,,')
    kind=$(sed -n 's/.*{ dg-do \([a-z]*\).*/\1/p' "$source" | head -n 1)
    echo "$kind" "$name" "$source" -std=gnu++20 -O1 "-I$suite/util" -I"$PWD/integrations/std_execution/include" \
      -include sennit/std_execution.hpp -I"$PWD/include"
  done
}

# Left out are the tests of the flow graph (async_node, broadcast_node, ..., write_once_node), which sennit::tbb has not; and
# those of concurrent_map, _set, _unordered_map, _unordered_set, whose common part includes the flow graph. These containers
# are oneTBB's own.
tbb() {
  suite=$out/onetbb/test
  if [ ! -d "$suite" ]; then
    source_package onetbb
    rm -rf "$out/onetbb.part"
    mkdir "$out/onetbb.part"
    tar -xJf "$out"/sources/onetbb_*.orig.tar.xz -C "$out/onetbb.part" --strip-components=1 ||
      fail 'the source package onetbb has another form than expected'
    mv "$out/onetbb.part" "$out/onetbb"
  fi
  for name in allocators arena_constraints blocked_range blocked_range2d blocked_range3d blocked_rangeNd \
    collaborative_call_once combinable concurrent_hash_map concurrent_lru_cache concurrent_priority_queue \
    concurrent_queue concurrent_vector enumerable_thread_specific global_control mutex parallel_for parallel_for_each \
    parallel_invoke parallel_pipeline parallel_reduce parallel_scan parallel_sort resumable_tasks task_arena task_group \
    task_group_context tick_count version; do
    echo run "tbb/$name" "$suite/conformance/conformance_$name.cpp" -std=gnu++20 -O1 -w \
      "-I$PWD/integrations/tbb/include" "-I$PWD/include" "-I$suite" "-I$suite/.."
  done
}

# The tests that ParlayLib's own build has.
parlay() {
  sed -n 's/^ *add_dtests(NAME \([a-z_]*\) FILES \([a-z_]*\.cpp\) LIBS parlay\(.*\))$/\1 \2 \3/p' "$PARLAY/test/CMakeLists.txt" |
    while read -r name source more; do
      echo run "parlay/$name" "$PARLAY/test/$source" -std=c++20 -O1 -w -DDEBUG -include sennit/parlay.hpp \
        "-I$PWD/integrations/parlay/include" "-I$PWD/include" "-I$PARLAY/include" "-I$PARLAY/test" \
        $(printf %s "$more" | sed -n 's/.*FLAGS "\([^"]*\)".*/\1/p')
    done
}

if [ "${TEST:-}" = one ]; then
  shift
  try "$@"
  exit
fi

[ -z "$PARLAY" ] || [ -d "$PARLAY/include/parlay" ] || fail "PARLAY=$PARLAY is no clone of ParlayLib"
[ -z "$PBBS" ] || [ -n "$PARLAY" ] || fail 'PBBS needs ParlayLib; say where that is: PARLAY=folder'
[ -z "$PBBS" ] || [ -d "$PBBS/benchmarks" ] || fail "PBBS=$PBBS is no clone of PBBS"
[ -f "$library" ] || fail 'the library is not built; run: make foreign'
log=$out/results
{
  std_execution
  tbb
  [ -z "${PARLAY:-}" ] || parlay
} | grep -E -- "^[a-z]* [^ ]*($only)" | TEST=one xargs -P "$jobs" -L 1 "$PWD/scripts/foreign.sh" . | tee "$log"
if [ -n "${PBBS:-}" ] && printf 'pbbs/' | grep -qE -- "^($only)"; then
  integrations/parlay/pbbs/measure.py --grains "$PBBS" "$PARLAY" | tee "$out/pbbs.log"
  grep -E '^(passed|failed) ' "$out/pbbs.log" >>"$log"
fi
total=$(wc -l <"$log")
[ "$total" -gt 0 ] || fail "no test has a name that matches '$only'"
passed=$(grep -c '^passed' "$log")
echo "$passed of $total passed"
[ "$passed" -eq "$total" ]
