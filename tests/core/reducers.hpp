// SPDX-License-Identifier: Apache-2.0
// What the tests of reducers share: one that shows the order, one whose views are counted, and loops of every kind.
#pragma once

#include "support.hpp"

#include <sennit/baseline.hpp>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sennit_test {

using numbers = std::vector<int>;
using record = sennit::reducer<numbers, appending>;

// A reducer of `tracked`: its views can be counted.
struct adding {
  void operator()(tracked& left, tracked&& right) const { left = tracked(left.value() + right.value()); }
};
struct making_tracked {
  tracked operator()() const { return tracked(0); }
};
using tally = sennit::reducer<tracked, adding, making_tracked>;
inline void add(tally& t, std::uint64_t x = 1) { *t = tracked(t->value() + x); }

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
