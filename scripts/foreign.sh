#!/bin/sh
# Builds and runs suites of tests that others wrote for their libraries, on Sennit. Prints what passed and failed by name.
#   foreign.sh [REGEX]        the tests whose name matches
# The suites come from Debian's source packages:
#   std_execution/...         the parallel algorithms in the test suite of GCC
#   tbb/...                   the conformance tests of oneTBB, for what Sennit replaces of it
#   programs/...              programs that use oneTBB, unchanged: on Sennit they print what they print on oneTBB. The times of
#                             both are shown: medians of whole runs, one run of each at a time
# Of these there is no package. They run where the environment names a clone:
#   PARLAY=folder             ParlayLib; parlay/...: its own tests, case by case
#   PBBS=folder               PBBS, which needs PARLAY; pbbs/...: its programs by its own checks, then their times
# Results and logs are in build/foreign/.
set -u
cd "$(dirname "$0")/.."

fail() { printf 'foreign: %s\n' "$1" >&2; exit 1; }

only=${1:-.}
PARLAY=${PARLAY:-} PBBS=${PBBS:-}
jobs=${JOBS:-$(nproc)}
out=$PWD/build/foreign
library=$PWD/build/release/src/libsennit.a
mkdir -p "$out"

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
  package=$1
  set -- -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts" -o "Dir::State::lists=$apt/lists" \
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=
  apt-get "$@" update >"$out/apt.log" 2>&1 &&
    (cd "$out/sources" && apt-get "$@" source --download-only "$package" >>"$out/apt.log" 2>&1) ||
    fail "the source package $package cannot be had from the archive that apt uses; see $out/apt.log"
}

# try KIND NAME SOURCE FLAGS...: builds a test, runs it unless KIND is `preprocess`, and says how that ended
try() {
  kind=$1 name=$2 source=$3
  shift 3
  program=$out/programs/$name
  mkdir -p "$(dirname "$program")"
  if [ "$kind" = preprocess ]; then
    g++ -E "$@" "$source" -o /dev/null >"$program.log" 2>&1 && echo "passed $name" || echo "failed $name (preprocessing)"
    return
  fi
  if ! g++ "$@" "$source" -o "$program" "$library" $(pkg-config --libs hwloc numa fmt) -lboost_context -lpthread -ldl \
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

# program NAME COMMAND SOURCES FLAGS...: builds a program on Sennit and on oneTBB, and compares what both print and write.
# COMMAND: what follows the name of the program where it is run, in a directory of its own. Blanks separate its words.
program() {
  name=$1 command=$2
  shift 2
  here=$out/programs/$name
  rm -rf "$here"
  # Both have one name, as some print it.
  mkdir -p "$here/sennit" "$here/onetbb" "$here/on_sennit" "$here/on_onetbb"
  if ! g++ -std=gnu++20 -O2 -DNDEBUG -w "-I$PWD/integrations/tbb/include" "-I$PWD/include" "$@" -o "$here/on_sennit/program" \
    "$library" $(pkg-config --libs hwloc numa fmt) -lboost_context -lpthread -ldl -ltbb >"$here/log" 2>&1; then
    echo "failed $name (compiling)"
    return
  fi
  if ! g++ -std=gnu++20 -O2 -DNDEBUG -w "$@" -o "$here/on_onetbb/program" -ltbb -lpthread >>"$here/log" 2>&1; then
    echo "failed $name (compiling on oneTBB)"
    return
  fi
  for turn in 1 2 3 4 5; do
    for system in sennit onetbb; do
      begin=$(date +%s%N)
      # The command is split into words.
      # shellcheck disable=SC2086
      (cd "$here/$system" && timeout 300 ../on_$system/program $command >printed 2>&1) || {
        echo "failed $name (status $? on $system)"
        return
      }
      echo $((($(date +%s%N) - begin) / 1000)) >>"$here/$system.times"
    done
  done
  # Numbers with a point are times.
  sed -i -E 's/[0-9]+\.[0-9]+(e-?[0-9]+)?/TIME/g' "$here/sennit/printed" "$here/onetbb/printed"
  if ! diff -r "$here/sennit" "$here/onetbb" >>"$here/log" 2>&1; then
    echo "failed $name (it prints or writes something else than on oneTBB)"
    return
  fi
  times=$(for system in sennit onetbb; do sort -n "$here/$system.times" | sed -n 3p; done | tr '\n' ' ')
  echo "passed $name $(echo "$times" | awk '{ printf "(%.3f s; on oneTBB %.3f s)", $1 / 1e6, $2 / 1e6 }')"
}

# line WORDS...: a line of which xargs makes these words, whatever is in them
line() { printf '%s\n' "$@" | sed 's,[^A-Za-z0-9_./:=+@-],\\&,g' | paste -s -d ' '; }

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
    line "${kind:-run}" "$name" "$source" -std=gnu++20 -O1 "-I$suite/util" -I"$PWD/integrations/std_execution/include" \
      -include sennit/std_execution.hpp -I"$PWD/include"
  done
}

# unpack NAME: the source package in $out/NAME
unpack() {
  [ -d "$out/$1" ] && return
  source_package "$1"
  rm -rf "$out/$1.part"
  mkdir "$out/$1.part"
  tar -xf "$out/sources/$1"_*.orig.tar.* -C "$out/$1.part" --strip-components=1 ||
    fail "the source package $1 has another form than expected"
  mv "$out/$1.part" "$out/$1"
}

# Left out are the tests of the flow graph (async_node, broadcast_node, ..., write_once_node), which sennit::tbb has not; and
# those of concurrent_map, _set, _unordered_map, _unordered_set, whose common part includes the flow graph. These containers
# are oneTBB's own.
tbb() {
  unpack onetbb
  suite=$out/onetbb/test
  for name in allocators arena_constraints blocked_range blocked_range2d blocked_range3d blocked_rangeNd \
    collaborative_call_once combinable concurrent_hash_map concurrent_lru_cache concurrent_priority_queue \
    concurrent_queue concurrent_vector enumerable_thread_specific global_control mutex parallel_for parallel_for_each \
    parallel_invoke parallel_pipeline parallel_reduce parallel_scan parallel_sort resumable_tasks task_arena task_group \
    task_group_context tick_count version; do
    line run "tbb/$name" "$suite/conformance/conformance_$name.cpp" -std=gnu++20 -O1 -w \
      "-I$PWD/integrations/tbb/include" "-I$PWD/include" "-I$suite" "-I$suite/.."
  done
}

# The tests that ParlayLib's own build has.
parlay() {
  sed -n 's/^ *add_dtests(NAME \([a-z_]*\) FILES \([a-z_]*\.cpp\) LIBS parlay\(.*\))$/\1 \2 \3/p' "$PARLAY/test/CMakeLists.txt" |
    while read -r name source more; do
      line run "parlay/$name" "$PARLAY/test/$source" -std=c++20 -O1 -w -DDEBUG -include sennit/parlay.hpp \
        "-I$PWD/integrations/parlay/include" "-I$PWD/include" "-I$PARLAY/include" "-I$PARLAY/test" \
        $(printf %s "$more" | sed -n 's/.*FLAGS "\([^"]*\)".*/\1/p')
    done
}

# Those of oneTBB's own examples that use no flow graph, at sizes of some tenths of a second.
programs() {
  unpack onetbb
  from=$out/onetbb/examples
  data=../../../../onetbb/examples  # from where a program runs
  example() {
    name=$1 command=$2 under=$3
    shift 3
    for file; do
      shift
      set -- "$@" "$from/$under/$file"
    done
    line program "programs/$name" "$command" "$@" "-I$from" "-I$from/$under"
  }
  example primes 'auto 100000000' parallel_reduce/primes main.cpp primes.cpp
  example convex_hull 'auto 4000000' parallel_reduce/convex_hull convex_hull_sample.cpp
  example sudoku "auto $data/task_group/sudoku/input1" task_group/sudoku sudoku.cpp
  example parallel_preorder 'auto 10000 50' parallel_for_each/parallel_preorder main.cpp Graph.cpp parallel_preorder.cpp
  example square auto parallel_pipeline/square square.cpp gen_input.cpp
  example fibonacci '500 1:2' test_all/fibonacci fibonacci.cpp
  example seismic 'auto 200' parallel_for/seismic main.cpp universe.cpp seismic_video.cpp ../../common/gui/convideo.cpp
  example fractal 'auto 1 1000' task_arena/fractal main.cpp fractal.cpp ../../common/gui/convideo.cpp
  example count_strings 'auto 1000000' concurrent_hash_map/count_strings count_strings.cpp
  example shortpath 'auto N=1000' concurrent_priority_queue/shortpath shortpath.cpp
  example tachyon "$data/parallel_for/tachyon/dat/balls.dat" parallel_for/tachyon \
    $(cd "$from/parallel_for/tachyon" && ls src/*.cpp | grep -v '/trace\.') src/trace.tbb.cpp ../../common/gui/convideo.cpp
}

# wanted SUITE: a pattern that begins with the name of a suite and a slash is for that one, so that no other is fetched
wanted() {
  case $(printf %s "$only" | sed 's/([^()]*)//g') in
    *'|'*) true ;;
    std_execution/* | tbb/* | programs/* | parlay/* | pbbs/*) [ "${only%%/*}" = "$1" ] ;;
  esac
}

if [ "${TEST:-}" = one ]; then
  shift
  case $1 in
    program) shift && program "$@" ;;
    *) try "$@" ;;
  esac
  exit
fi

folder() { realpath -e -- "$2" 2>/dev/null || fail "$1=$2 does not exist; say where the clone is: $1=folder"; }
[ -z "$PARLAY" ] || PARLAY=$(folder PARLAY "$PARLAY") || exit
[ -z "$PBBS" ] || PBBS=$(folder PBBS "$PBBS") || exit
[ -z "$PARLAY" ] || [ -d "$PARLAY/include/parlay" ] || fail "PARLAY=$PARLAY is no clone of ParlayLib"
[ -z "$PBBS" ] || [ -n "$PARLAY" ] || fail 'PBBS needs ParlayLib; say where that is: PARLAY=folder'
[ -z "$PBBS" ] || [ -d "$PBBS/benchmarks" ] || fail "PBBS=$PBBS is no clone of PBBS"
[ -f "$library" ] || fail 'the library is not built; run: make foreign'
log=$out/results
: >"$log"

# failed SUITE WHY: a suite of which tests are missing counts as a test that failed
failed() { echo "failed $1 ($2)" | tee -a "$log"; }

# list SUITE FILE: adds the suite's tests of which the name matches to the file
list() {
  wanted "$1" || return 0
  if ("$1") >"$out/$1.tests" && [ -s "$out/$1.tests" ]; then
    grep -E -- "^[a-z]* [^ ]*($only)" "$out/$1.tests" >>"$2"
  else
    failed "$1" 'its tests cannot be had, or none was found'
  fi
}

# each JOBS FILE: the tests in the file, so many at a time
each() {
  {
    TEST=one xargs -r -P "$1" -L 1 "$PWD/scripts/foreign.sh" . <"$2" || echo 'failed foreign (not all tests were run)'
  } | tee -a "$log"
}

rm -f "$out/together" "$out/alone"
touch "$out/together" "$out/alone"
list std_execution "$out/together"
list tbb "$out/together"
[ -z "$PARLAY" ] || list parlay "$out/together"
list programs "$out/alone"
each "$jobs" "$out/together"
each 1 "$out/alone"
if [ -n "$PBBS" ] && wanted pbbs; then
  {
    integrations/parlay/pbbs/measure.py --grains --only "$(printf %s "$only" | sed 's,pbbs/,,g')" "$PBBS" "$PARLAY"
    echo $? >"$out/pbbs.status"
  } | tee "$out/pbbs.log"
  grep -E '^(passed|failed) ' "$out/pbbs.log" >>"$log"
  status=$(cat "$out/pbbs.status")
  # 3: no program has such a name.
  if [ "$status" -ne 0 ] && [ "$status" -ne 3 ] && ! grep -q '^failed ' "$out/pbbs.log"; then
    failed pbbs "status $status of measure.py"
  elif [ "$status" -eq 0 ] && ! grep -q '^passed ' "$out/pbbs.log"; then
    failed pbbs 'no program was run'
  fi
fi
total=$(wc -l <"$log")
[ "$total" -gt 0 ] || fail "no test has a name that matches '$only'"
passed=$(grep -c '^passed' "$log")
echo "$passed of $total passed"
[ "$passed" -eq "$total" ]
