// A merge sort of --size numbers, uniform or exponential (--input), with a parallel merge. A way has
//   both(f, g)   f() and g(), at once if it likes
#pragma once

#include "common/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mergesort {

constexpr std::size_t small = 32;

using numbers = std::span<std::uint64_t>;

// The longer run is cut in the middle, the other one where the middle number belongs.
template <class Way>
SENNIT_BENCH_NOINLINE void merge(numbers left, numbers right, numbers out) {
  if (out.size() <= small) {
    std::merge(left.begin(), left.end(), right.begin(), right.end(), out.begin());
    return;
  }
  std::size_t i = left.size() / 2;
  std::size_t j = right.size() / 2;
  if (left.size() >= right.size()) {
    j = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), left[i]) - right.begin());
  } else {
    i = static_cast<std::size_t>(std::upper_bound(left.begin(), left.end(), right[j]) - left.begin());
  }
  Way::both([=] { merge<Way>(left.first(i), right.first(j), out.first(i + j)); },
            [=] { merge<Way>(left.subspan(i), right.subspan(j), out.subspan(i + j)); });
}

// Sorts `all`, in place or into `other`; what is left in the one not asked for is of no use.
template <class Way>
SENNIT_BENCH_NOINLINE void sort(numbers all, numbers other, bool in_place) {
  if (all.size() <= small) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      const std::uint64_t moved = all[i];
      std::size_t to = i;
      for (; to > 0 && all[to - 1] > moved; --to) all[to] = all[to - 1];
      all[to] = moved;
    }
    if (!in_place) std::copy(all.begin(), all.end(), other.begin());
    return;
  }
  const std::size_t middle = all.size() / 2;
  Way::both([=] { sort<Way>(all.first(middle), other.first(middle), !in_place); },
            [=] { sort<Way>(all.subspan(middle), other.subspan(middle), !in_place); });
  const numbers from = in_place ? other : all;
  merge<Way>(from.first(middle), from.subspan(middle), in_place ? all : other);
}

// Way::enter(program, f) runs f where the way's workers are.
template <class Way>
class kernel {
 public:
  kernel(const bench::program& program, Way& way)
      : way_(way), exponential_(program.input() == "exponential") {
    if (!exponential_ && program.input() != "uniform")
      bench::program::fail("--input", "must be uniform or exponential");
  }

  void prepare(std::uint64_t n) {
    all_.resize(n);
    other_.resize(n);
    bench::random_numbers random(1);
    for (std::uint64_t& number : all_) {
      const std::uint64_t bits = random.next() >> 12;
      number = exponential_
                   ? static_cast<std::uint64_t>(-1e6 * std::log((static_cast<double>(bits) + 1) * 0x1p-52))
                   : bits;
    }
  }
  void run() {
    way_.enter([this] { sort<Way>(all_, other_, true); });
  }
  std::uint64_t check() const {
    bench::checksum sum;
    for (const std::uint64_t number : all_) sum.add(number);
    return sum.value();
  }

 private:
  Way& way_;
  bool exponential_;
  std::vector<std::uint64_t> all_, other_;
};

}  // namespace mergesort
