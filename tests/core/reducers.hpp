// What the tests of reducers share: one that shows the order, and loops of every kind.
#pragma once

#include "support.hpp"

#include <sennit/baseline.hpp>

#include <numeric>
#include <vector>

namespace sennit_test {

using numbers = std::vector<int>;
using record = sennit::reducer<numbers, appending>;

inline numbers up_to(int end) {
  numbers all(static_cast<std::size_t>(end));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

inline void spin(int turns) {
  for (int i = 0; i < turns; ++i) asm volatile("");
}

inline const std::vector<sennit::loop_options>& loop_kinds() {
  static const std::vector<sennit::loop_options> all{
      {}, sennit::grain(1), sennit::grain(3), sennit::static_partition, sennit::baseline::thesis};
  return all;
}

}  // namespace sennit_test
