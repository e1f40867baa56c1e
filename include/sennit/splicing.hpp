// SPDX-License-Identifier: Apache-2.0
// splicing: the options of a splice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit {

// The options of a splice: the first argument of splice(), the second one of a memoized_splice.
//
// Example:
//   #include <sennit/data_regions.hpp>
//   #include <sennit/splice.hpp>
//
//   #include <cstdio>
//
//   // Twice over x, in which few blocks fit the cache at a time.
//   void twice(double* x, sennit::range all) {
//     const sennit::splice_report took = sennit::splice(sennit::splicing{.together = 2}, 2, [=](int) {
//       return sennit::divided{
//           all, 4096, [=](sennit::range r) { return sennit::effects(sennit::writes(sennit::memory_range(x, r))); },
//           [=](sennit::range r) {
//             for (auto i = r.first; i < r.last; ++i) x[i] += 1;
//           }};
//     });
//     std::printf("%llu steps\n", static_cast<unsigned long long>(took.steps));
//   }
struct splicing {
  // The number of calls that are interleaved with one another; further calls run later. 0: 32, or fewer
  // for trees whose data is large, as the caches allow; splice() tries other numbers for such trees. With more
  // calls, a step is compared with more effects, and more data must be in the cache.
  std::uint32_t together = 0;
  // If this number of steps wait, the splicer looks for no further steps in later calls until some waiting
  // steps have been released.
  std::int64_t most_delayed = 4096;
  // If calls of spliced functions take this number of bytes, with their stacks and with what is kept about their
  // order, further calls run unspliced: what is left of a sequence is one step, with all effects of the call that
  // makes the sequence. The same holds for calls in more than a thousand others.
  std::size_t most_bytes = std::size_t{64} << 20;
};

}  // namespace sennit
