#include "common/openmp_way.hpp"
#include "knapsack/items.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::openmp_way way(program);
  return program.run([&](std::uint64_t items) {
    std::uint64_t best = 0;
    way.enter([&] { best = knapsack::search<bench::openmp_way>(items).best(); });
    return best;
  });
}
