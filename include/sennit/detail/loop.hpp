// What all loops are made of: positions 0..n, run in chunks, in parallel where somebody is idle.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/join.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sennit {

// How a loop is cut into chunks.
struct loop_options {
  // Iterations a chunk; 0: by measured time.
  std::uint64_t grain = 0;
  // Dealt out in equal contiguous parts when the loop begins, and not split afterwards.
  bool fixed_parts = false;
};

namespace detail {

// Iterations are counted in positions from zero; a loop has fewer than 2^62.
using position = std::uint64_t;

// Calls run(from, to) for chunks that cover [0, n) without overlap, in parallel. Throws what the lowest chunk that
// throws threw.
template <class Run>
void for_positions(position n, Run&& run, const loop_options& how) {
  struct half {
    static void go(position from, position to, position grain, Run& run) {
      if (to - from <= grain) {
        run(from, to);
        return;
      }
      const position middle = from + (to - from) / 2;
      join([&] { go(from, middle, grain, run); }, [&] { go(middle, to, grain, run); });
    }
  };
  if (n > 0) half::go(0, n, how.grain != 0 ? how.grain : std::max<position>(1, n / 64), run);
}

// The same with a value: each strand that works on the loop has its own, made by make(), and run(value, from, to) adds
// to it; merge(left, right) appends the value of the iterations that follow. The order is that of the iterations.
template <class Make, class Run, class Merge>
auto fold_positions(position n, Make&& make, Run&& run, Merge&& merge, const loop_options& how) {
  using value = decltype(make());
  struct half {
    static value go(position from, position to, position grain, Make& make, Run& run, Merge& merge) {
      if (to - from <= grain) {
        value v = make();
        run(v, from, to);
        return v;
      }
      const position middle = from + (to - from) / 2;
      auto [left, right] = join([&] { return go(from, middle, grain, make, run, merge); },
                                [&] { return go(middle, to, grain, make, run, merge); });
      merge(left, std::move(right));
      return std::move(left);
    }
  };
  if (n == 0) return make();
  return half::go(0, n, how.grain != 0 ? how.grain : std::max<position>(1, n / 64), make, run, merge);
}

}  // namespace detail
}  // namespace sennit
