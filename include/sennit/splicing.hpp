// How splices are made, and what they took.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sennit {

// How a splice is made: the first argument of splice(), the second one of a memoized_splice.
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
  // Calls that are interleaved with one another; those after them come later. 0: 32. The more there are, the
  // more a step is compared with, and the more must be in the cache.
  std::uint32_t together = 0;
  // Where so many steps wait, no more are looked for among the later calls until some have been released.
  std::int64_t most_delayed = 4096;
};

// What a splice took (Lifflander and Krishnamoorthy, 2017, Table 4). memoized_splice::run() returns none:
// where it follows an order there are no checks, switches or delays to count.
struct splice_report {
  std::uint64_t steps = 0;
  std::uint64_t checks = 0;       // of effects for interference
  std::uint64_t switches = 0;     // between stacks
  std::uint64_t delayed = 0;      // steps that had to wait
  std::uint64_t dependences = 0;  // that they waited for
  // For calls and delayed steps; not the stacks of functions, of 64 KiB each at most.
  std::size_t extra_bytes = 0;

  splice_report& operator+=(const splice_report& other) noexcept {
    steps += other.steps;
    checks += other.checks;
    switches += other.switches;
    delayed += other.delayed;
    dependences += other.dependences;
    extra_bytes += other.extra_bytes;
    return *this;
  }
};

}  // namespace sennit
