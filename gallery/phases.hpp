// SPDX-License-Identifier: Apache-2.0
// What the kernels of several phases are made of: loops over blocks, which every system can run in its own way.
//
// Such a kernel has initialize(loops), step(loops) and redistribute(loops). All three run the same loops over the same
// blocks, in which each block of data is written by the iteration that will write it in step(): so a schedule of one of them
// fits the others, and pages that one of them touches first lie where the others want them. `loops` has
//   each(n, grain, body)   body(i) for 0 <= i < n, in any order and at once; `grain` is for those that need one
//   on(level)              optional: the loops that write a grid of that level, where there are several
#pragma once

#include <sennit/replay.hpp>
#include <sennit/serial.hpp>

#include <algorithm>
#include <cstddef>

namespace gallery {

// The indices 0 <= i < n in blocks of `size`, of which the last may be smaller.
struct partition {
  std::size_t n = 0;
  std::size_t size = 1;

  std::size_t count() const { return (n + size - 1) / size; }
  std::size_t first(std::size_t block) const { return block * size; }
  std::size_t last(std::size_t block) const { return std::min(n, (block + 1) * size); }
};

template <class Loops>
decltype(auto) loops_on(Loops& loops, [[maybe_unused]] std::size_t level) {
  if constexpr (requires { loops.on(level); }) {
    return loops.on(level);
  } else {
    return (loops);
  }
}

// The loops of the policy P.
template <class P>
struct loops {
  template <class Body>
  void each(std::size_t n, std::size_t, const Body& body) const {
    P::parallel_for(std::size_t{0}, n, body);
  }
};

// Loops as a tree of joins, which cuts them into one part for each worker first, and then into halves. In sennit::design() a
// part goes to its worker.
template <class P>
class halves {
 public:
  // `coarse`: what nobody can take, in a strict replay, is not cut any further.
  explicit halves(unsigned workers = 1, bool coarse = false) : workers_(workers), coarse_(coarse) {}

  template <class Body>
  void each(std::size_t n, std::size_t grain, const Body& body) const {
    if (n > 0) part(0, n, {n, grain}, body);
  }

 private:
  template <class Body>
  void part(std::size_t first, std::size_t last, const partition& all, const Body& body) const {
    if (last - first <= all.size || (coarse_ && !sennit::may_be_stolen())) {
      for (std::size_t i = first; i < last; ++i) body(i);
      return;
    }
    const std::size_t from = owner(first, all.n);
    const std::size_t to = owner(last - 1, all.n);
    const std::size_t taker = (from + to + 1) / 2;
    const std::size_t middle =
        from == to ? first + (last - first) / 2 : (taker * all.n + workers_ - 1) / workers_;
    if (from != to) sennit::designate(static_cast<unsigned>(taker));
    P::join([&, first, middle] { part(first, middle, all, body); },
            [&, middle, last] { part(middle, last, all, body); });
  }
  std::size_t owner(std::size_t i, std::size_t n) const { return i * workers_ / n; }

  unsigned workers_;
  bool coarse_;
};

}  // namespace gallery
