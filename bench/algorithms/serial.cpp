// SPDX-License-Identifier: Apache-2.0
#include "algorithms/standard.hpp"

#include <random>
#include <unordered_map>

namespace algorithms {

struct serial : standard<> {
  struct place {
    explicit place(const bench::program&) {}
    template <class F>
    void enter(F&& f) {
      f();
    }
  };

  static std::vector<std::size_t> histogram(const words& x, std::size_t keys) {
    std::vector<std::size_t> counts(keys);
    for (const std::uint32_t v : x) ++counts[v];
    return counts;
  }
  static auto group_by(const pairs& x) {
    std::unordered_map<std::uint32_t, pairs> groups;
    for (const keyed& e : x) groups[e.key].push_back(e);
    return groups;
  }
  static auto reduce_by_key(const pairs& x) {
    std::unordered_map<std::uint32_t, std::uint64_t> sums;
    for (const keyed& e : x) sums[e.key] += e.value;
    return sums;
  }
  static void shuffle(ints& x) { std::shuffle(x.begin(), x.end(), std::mt19937_64(1)); }
  // The loop that one would write.
  static std::uint64_t squares_of_odd(const words& x) {
    std::uint64_t sum = 0;
    for (const std::uint32_t v : x)
      if (odd()(v)) sum += square()(v);
    return sum;
  }
};

}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run<algorithms::serial>(argc, argv); }
