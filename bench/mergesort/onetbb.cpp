#include "common/onetbb_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::onetbb_way way(program);
  return program.run(mergesort::kernel<bench::onetbb_way>(program, way));
}
