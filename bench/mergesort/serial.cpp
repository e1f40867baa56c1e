#include "common/serial_way.hpp"
#include "mergesort/runs.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::serial_way way(program);
  return program.run(mergesort::kernel<bench::serial_way>(program, way));
}
