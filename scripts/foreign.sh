#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs suites of tests that others wrote for their libraries, on Sennit. Prints what passed and failed by name.
#   foreign.sh [REGEX]        the tests whose name matches; TURNS=7: how often programs are timed
# The suites come from Debian's packages, and from PyPI:
#   std_execution/...         the parallel algorithms in the test suite of GCC
#   tbb/...                   the conformance tests of oneTBB, for what Sennit replaces of it
#   programs/...              programs that use oneTBB or the parallel algorithms of C++17, unchanged: on Sennit they print what
#                             they print on oneTBB. The times of both are shown, at 1 and 2 workers: medians of whole runs, in
#                             turns
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
turns=${TURNS:-7}
out=$PWD/build/foreign
library=$PWD/build/release/src/libsennit.a
mkdir -p "$out"

# download FOLDER WORDS...: what apt-get fetches by these words, into the folder; fails if it does. Where to find Debian's archive is what this
# machine says of binary packages.
download() {
  apt=$out/apt folder=$1
  shift
  mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$folder"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] && sed '/^#/d; s/^Types:.*/Types: deb deb-src/' "$file" >"$apt/parts/$(basename "$file")"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' "$file" >"$apt/parts/$(basename "$file" .list).list"
  done
  { [ -f "$apt/updated" ] || apt_get update && touch "$apt/updated"; } && (cd "$folder" && apt_get "$@")
}
apt_get() {
  apt-get -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts" -o "Dir::State::lists=$apt/lists" \
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User= "$@" >>"$out/apt.log" 2>&1
}

# source_package NAME: its files in $out/sources, as Debian's archive has them
source_package() {
  ls "$out/sources/$1"_*.dsc >/dev/null 2>&1 && return
  download "$out/sources" source --download-only "$1" || {
    rm -f "$out/sources/$1"_*
    fail "the source package $1 cannot be had from the archive that apt uses; see $out/apt.log"
  }
}

# packages NAME...: what is in these binary packages, in $root. Nothing is installed.
root=$out/root
packages() {
  for package; do
    [ -f "$out/debs/$package.unpacked" ] && continue
    download "$out/debs" download "$package" && dpkg -x "$out/debs/$package"_*.deb "$root" ||
      fail "the package $package cannot be had from the archive that apt uses; see $out/apt.log"
    touch "$out/debs/$package.unpacked"
  done
}

# from_pypi NAME VERSION CONSTRAINT...: the source distribution in $out/NAME-VERSION. The constraints are for what pip needs to
# read it.
from_pypi() {
  [ -d "$out/$1-$2" ] && return
  mkdir -p "$out/sources"
  distribution=$1 version=$2
  shift 2
  printf '%s\n' "$@" >"$out/sources/constraints"
  PIP_CONSTRAINT=$out/sources/constraints python3 -m pip download --no-deps --no-binary "$distribution" -d "$out/sources" \
    "$distribution==$version" >"$out/pip.log" 2>&1 &&
    tar -xf "$out/sources/$distribution-$version.tar.gz" -C "$out" ||
    fail "$distribution $version cannot be had from the index that pip uses; see $out/pip.log"
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
  if ! g++ "$source" "$@" -o "$program" "$library" $(pkg-config --libs hwloc numa fmt) -lboost_context -lpthread -ldl \
    $(case $name in tbb/* | programs/*) echo -ltbb ;; parlay/*) echo -lgtest_main -lgtest ;; esac) >"$program.log" 2>&1; then
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

# run_on SYSTEM WORKERS: the run of $command on it; prints how many microseconds it took
run_on() {
  mkdir -p "$here/$1.$2"
  begin=$(date +%s%N)
  # The command is split into words.
  # shellcheck disable=SC2086
  (cd "$here/$1.$2" && SENNIT_WORKERS=$2 timeout 300 taskset -c "$(processors "$2")" ../on_$1/program $command >printed 2>&1) ||
    return
  echo $((($(date +%s%N) - begin) / 1000))
}

# processors COUNT: the first so many of those that this process may use
processors() { python3 -c 'import os, sys; print(*sorted(os.sched_getaffinity(0))[: int(sys.argv[1])], sep=",")' "$1"; }

# program KIND NAME COMMAND SOURCES FLAGS...: builds a program on Sennit and on oneTBB, and compares what both print and write.
# KIND: `program`, or `algorithms` for one that uses the parallel algorithms of C++17. COMMAND: what follows the name of the
# program where it is run, in a directory of its own. Blanks separate its words.
program() {
  kind=$1 name=$2 command=$3
  shift 3
  here=$out/programs/$name
  rm -rf "$here"
  # Both have one name, as some print it.
  mkdir -p "$here/on_sennit" "$here/on_onetbb"
  set -- -std=gnu++20 -O2 -DNDEBUG -w -o program "$@"
  (cd "$here/on_onetbb" && g++ "$@" -ltbb -lpthread) >"$here/log.onetbb" 2>&1 &
  [ "$kind" = program ] || set -- "-I$PWD/integrations/std_execution/include" -include sennit/std_execution.hpp "$@"
  set -- "-I$PWD/integrations/tbb/include" "-I$PWD/include" "$@" "$library" $(pkg-config --libs hwloc numa fmt)
  (cd "$here/on_sennit" && g++ "$@" -lboost_context -ltbb -lpthread -ldl) >"$here/log" 2>&1 || {
    wait
    echo "failed $name (compiling)"
    return
  }
  wait $! || {
    echo "failed $name (compiling on oneTBB)"
    return
  }
  figures=
  for workers in $(seq "$(nproc)" | head -n 2); do
    for turn in $(seq "$turns"); do
      for system in sennit onetbb; do
        run_on "$system" "$workers" >>"$here/$system.$workers.times" || {
          echo "failed $name (status $? on $system, workers: $workers)"
          return
        }
      done
    done
    # Numbers with a point are times. Of a mesh only the numbers of vertices and faces are the same in each run on oneTBB.
    find "$here" -name '*.off' -exec sed -i '3,$d' {} +
    sed -i -E 's/[0-9]+\.[0-9]+(e-?[0-9]+)?/TIME/g' "$here/sennit.$workers/printed" "$here/onetbb.$workers/printed"
    if ! diff -r "$here/sennit.$workers" "$here/onetbb.$workers" >>"$here/log" 2>&1; then
      echo "failed $name (it prints or writes something else than on oneTBB, workers: $workers)"
      return
    fi
    times=$(for system in sennit onetbb; do sort -n "$here/$system.$workers.times" | sed -n "$(((turns + 1) / 2))p"; done | tr '\n' ' ')
    figures="$figures$(echo "$times" | awk -v P="$workers" '{ printf " P%d %.3f s, %.3f of oneTBB;", P, $1 / 1e6, $1 / $2 }')"
  done
  echo "passed $name ($(printf %s "$figures" | sed 's,^ ,,; s,;$,,'))"
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
  packages libtbb-dev libtbb12 libtbbmalloc2
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

# Those of oneTBB's own examples that use no flow graph, at sizes of some tenths of a second; and programs of other projects.
programs() {
  packages libtbb-dev libtbb12 libtbbmalloc2
  for project in onetbb_examples cgal gudhi manifold; do
    ("$project") || line missing "programs/$project"
  done
}

onetbb_examples() {
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

# Examples of CGAL, which Debian has as packages of headers and of examples with their data
cgal() {
  packages libcgal-dev libcgal-demo libmpfr-dev libgmp-dev
  from=$out/cgal
  if [ ! -d "$from" ]; then
    rm -rf "$from.part"
    mkdir "$from.part"
    for archive in examples data; do
      tar -xzf "$root/usr/share/doc/libcgal-dev/$archive.tar.gz" -C "$from.part" ||
        fail 'the package libcgal-demo has no examples or no data'
    done
    mv "$from.part" "$from"
  fi
  set -- -DCGAL_LINKED_WITH_TBB -frounding-math -ltbbmalloc -lmpfr -lgmp
  example=$from/examples/Polygon_mesh_processing meshes=$from/data/meshes
  line program programs/union_of_meshes "$meshes/eight.off 60" "$example/corefinement_parallel_union_meshes.cpp" "$@"
  line program programs/self_intersections "$meshes/refined_elephant.off" "$example/self_intersections_example.cpp" "$@"
  example=$from/examples/Point_set_processing_3 points=$from/data/points_3
  line program programs/smooth_points "$points/fin90_with_PCA_normals.xyz smoothed.xyz" \
    "$example/bilateral_smooth_point_set_example.cpp" "$@"
  line program programs/fewer_points "$points/sphere_20k.xyz fewer.xyz" \
    "$example/wlop_simplify_and_regularize_point_set_example.cpp" "$@"
}

# Gudhi: programs and tests that use oneTBB
gudhi() {
  unpack gudhi
  boost=$(echo BOOST_LIB_VERSION | g++ -include boost/version.hpp -E -P -x c++ - | tail -n 1 | tr -d '"' | tr _ .)
  packages "libboost-program-options$boost-dev" "libboost-test$boost-dev" "libboost-test$boost.0" \
    libcgal-dev libeigen3-dev libmpfr-dev libgmp-dev
  from=$out/gudhi
  set -- -DGUDHI_USE_TBB -DCGAL_USE_EIGEN3 -DGUDHI_USE_EIGEN3
  for module in "$from"/src/*/include; do
    set -- "$@" "-I$module"
  done
  bitmap=$out/bitmap.txt
  awk 'BEGIN { print "3\n48\n48\n48"; for (n = x = 1; n <= 48 * 48 * 48; n++) { x = x * 16807 % 2147483647; print x % 1000 } }' >"$bitmap"
  line program programs/cubical_persistence "$bitmap" "$from/src/Bitmap_cubical_complex/utilities/cubical_complex_persistence.cpp" "$@"
  line program programs/rips_persistence "$from/data/points/tore3D_1307.off -r 0.3 -m 0.5 -d 3 -p 3 -o diagram" \
    "$from/src/Persistent_cohomology/example/rips_persistence_via_boundary_matrix.cpp" "$@" -lboost_program_options
  # Tests that read files look for them elsewhere.
  for test in Tangential_complex/test/test_tangential_complex Collapse/test/collapse_unit_test \
    Simplex_tree/test/simplex_tree_make_filtration_non_decreasing_unit_test; do
    line run "programs/${test##*/}" "$from/src/$test.cpp" -std=gnu++20 -O1 -w -DBOOST_TEST_DYN_LINK \
      "-I$PWD/integrations/tbb/include" "-I$PWD/include" "$@" -lboost_unit_test_framework -lmpfr -lgmp
  done
}

# Manifold. Version 3 is made for oneTBB, version 2 for the parallel algorithms of C++17 besides.
manifold() {
  from_pypi manifold3d 3.2.1
  from_pypi manifold3d 2.5.1 'scikit-build-core<0.8' 'pyproject-metadata<0.9'
  packages libthrust-dev libglm-dev
  solids=$PWD/integrations/tbb/programs/solids.cpp
  set -- 'sponge 3 balls 400 union 150 surface 60'
  from=$out/manifold3d-3.2.1
  line program programs/manifold "$1" "$solids" "$from"/src/*.cpp -DMANIFOLD_PAR=1 "-I$from/include" "-I$from/src"
  from=$out/manifold3d-2.5.1/src
  # What its two-dimensional part needs is no package. It is not used, so nothing has to be linked for it.
  set -- "$@" "$solids" "$from"/collider/src/*.cpp "$from"/polygon/src/*.cpp "$from"/manifold/src/*.cpp \
    "$from"/sdf/src/*.cpp "$from"/third_party/quickhull/*.cpp "-DMANIFOLD_PAR='T'" \
    -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_TBB -ffunction-sections -Wl,--gc-sections "-I$from/third_party/quickhull"
  for module in "$from"/*/include; do
    set -- "$@" "-I$module"
  done
  line algorithms programs/manifold_with_algorithms "$@"
}

# wanted SUITE: a pattern that begins with the name of a suite and a slash is for that one, so that no other is fetched
wanted() {
  case $(printf %s "$only" | sed 's/([^()]*)//g') in
    *'|'*) true ;;
    std_execution/* | tbb/* | programs/* | parlay/* | pbbs/*) [ "${only%%/*}" = "$1" ] ;;
  esac
}

# What is unpacked is found by the compiler after what is installed, and by programs.
libraries=$root/usr/lib/$(g++ -print-multiarch)
export CPLUS_INCLUDE_PATH="$root/usr/include:$root/usr/include/eigen3" LIBRARY_PATH="$libraries" LD_LIBRARY_PATH="$libraries"

if [ "${TEST:-}" = one ]; then
  shift
  case $1 in
    program | algorithms) program "$@" ;;
    missing) echo "failed $2 (it cannot be had)" ;;
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
# The geometric means of what the programs took of oneTBB's time
sed -n 's/^passed programs.*(\(P1.*\))$/\1/p' "$log" | tr ';' '\n' | awk '
  { sub(/^ */, ""); sum[$1] += log($4); count[$1]++ }
  END { for (workers in sum) printf "programs at %s: %.3f of oneTBB (geometric mean of %d)\n", workers, exp(sum[workers] / count[workers]), count[workers] }
' | sort
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
