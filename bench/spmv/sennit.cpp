#include "common/sennit_loops.hpp"
#include "spmv/kernel.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("nested")) return bench::run_with_sennit<spmv::nested_kernel>(program);
  return bench::run_with_sennit<spmv::rows_kernel>(program);
}
