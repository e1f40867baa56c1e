#include "common/openmp_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::openmp_way way(program);
  return program.run(mergesort::kernel<bench::openmp_way>(program, way));
}
