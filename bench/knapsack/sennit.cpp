#include "common/sennit_way.hpp"
#include "knapsack/items.hpp"

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return knapsack::run<bench::sennit_way>(program);
}
