// `dict` of PBBS's first version: a hash table into which keys are put, sought and deleted, each in parallel. The second
// version has no such program, but its table is ParlayLib's.
#include "parlay/hash_table.h"
#include "parlay/primitives.h"
#include "common/parse_command_line.h"
#include "common/sequenceIO.h"
#include "common/time_loop.h"

#include <cstdio>

int main(int argc, char* argv[]) {
  commandLine command(argc, argv, "[-r <rounds>] <inFile>");
  const auto keys = benchIO::readIntSeqFromFile<int>(command.getArgument(0));
  const std::size_t n = keys.size();
  std::size_t wrong = 0;
  time_loop(command.getOptionIntValue("-r", 1), 1.0, [] {}, [&] {
    parlay::hashtable<parlay::hash_numeric<int>> table(n, parlay::hash_numeric<int>{});
    parlay::parallel_for(0, n, [&](std::size_t i) { table.insert(keys[i]); });
    const auto found = parlay::tabulate(n, [&](std::size_t i) { return table.find(keys[i]) == keys[i]; });
    parlay::parallel_for(0, n / 2, [&](std::size_t i) { table.deleteVal(keys[i]); });
    const auto left = parlay::tabulate(n / 2, [&](std::size_t i) { return table.find(keys[i]) == keys[i]; });
    wrong += n - parlay::count(found, true) + parlay::count(left, true);
  }, [] {});
  if (wrong != 0) std::printf("dict: %zu keys were not found, or found after they had been deleted\n", wrong);
  return wrong == 0 ? 0 : 1;
}
