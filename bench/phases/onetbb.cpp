// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb_loops.hpp"
#include "phases/kernels.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("static")) return phases::run_looped<bench::onetbb_loops<tbb::static_partitioner>>(program);
  if (program.is("affinity"))
    return phases::run_looped<bench::onetbb_loops<tbb::affinity_partitioner>>(program);
  return phases::run_looped<bench::onetbb_loops<tbb::auto_partitioner>>(program);
}
