// SPDX-License-Identifier: Apache-2.0
#include "maps/edges.hpp"

#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/number_table.hpp>

class of_sennit {
 public:
  std::uint32_t find_or_insert(const maps::key& k, std::uint32_t n) {
    // The table has no number 0.
    const std::uint32_t made = n + 1;
    const std::uint64_t h = maps::hash()(k);
    for (;;) {
      const auto seen = table_.find(h, [&](std::uint32_t of) { return keys_[of] == k; });
      if (seen.number != 0) return seen.number - 1;
      keys_.ensure(made);
      keys_[made] = k;
      if (table_.add(h, made, seen)) return n;
    }
  }

 private:
  sennit::detail::number_table table_;
  sennit::detail::growing<maps::key> keys_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return program.run(maps::walk<of_sennit>(program));
}
