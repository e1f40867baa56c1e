#include "common/sennit_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_way way(program);
  return program.run(mergesort::kernel<bench::sennit_way>(program, way));
}
