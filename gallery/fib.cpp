// SPDX-License-Identifier: Apache-2.0
// fib: Fibonacci numbers by double recursion. A fork has next to no work to hide behind,
// so this is what forks cost.
#include "gallery/kernel.hpp"
#include "gallery/kernels.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gallery {
namespace {

// Not inlined: the compiler would unroll the elision's recursion and merge equal calls, which leaves a
// program with fewer of them.
template <class P>
[[gnu::noinline]] std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  auto [a, b] = P::join([=] { return fib<P>(n - 1); }, [=] { return fib<P>(n - 2); });
  return a + b;
}

struct program {
  static constexpr description about{.name = "fib", .summary = "Fibonacci numbers by double recursion"};

  std::int64_t n = 38;

  std::vector<parameter> parameters() { return {{"n", "which Fibonacci number", &n, 0, 50}}; }
  void choose_demo() { n = 40; }
  void prepare() {}

  template <class P>
  std::int64_t run() const {
    return fib<P>(n);
  }

  std::string complaint(std::int64_t result) const {
    std::int64_t current = 0;
    std::int64_t next = 1;
    for (std::int64_t i = 0; i < n; ++i) current = std::exchange(next, current + next);
    return result == current ? "" : fmt::format("fib({}) is {}, not {}", n, current, result);
  }

  std::string describe(std::int64_t result) const { return fmt::format("fib({}) = {}", n, result); }
};

}  // namespace

std::unique_ptr<kernel> make_fib() { return std::make_unique<adapter<program>>(); }

}  // namespace gallery
