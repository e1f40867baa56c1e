// SPDX-License-Identifier: Apache-2.0
// Catches a checker that takes the memory of a function for that of others, as it has not seen its allocation: the program
// asks for the checker before it asks for the library, so the linker meets the checker's archive before the first use of malloc().
#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

void part(std::vector<double>& all, long group) {
  const sennit::range some{group * 10, group * 10 + 10};
  const sennit::call_effects fx{sennit::writes(sennit::memory_range(all, some))};
  sennit::step([&] {
    for (auto i = some.first; i < some.last; ++i) all[static_cast<std::size_t>(i)] += 1;
  });
}

void whole(std::vector<double>& all) {
  const sennit::call_effects fx{sennit::writes(sennit::memory_range(all))};
  sennit::sequence_of(10,
                      [&](std::size_t group) { return sennit::call(part, all, static_cast<long>(group)); });
}

}  // namespace

int main() {
  std::vector<double> all(100);
  sennit::splice(3, [&](int) { whole(all); });
  std::printf("%g\n", all.back());
}
