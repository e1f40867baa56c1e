// SPDX-License-Identifier: Apache-2.0
// What the tests of the algorithms share: the sizes, the options and the numbers of workers that they run
// with.
#pragma once

#include "../core/support.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sennit_test {

// The bounds of words and blocks, and enough to be worth stealing.
inline std::vector<std::size_t> sizes() {
  return {0, 1, 2, 63, 64, 65, 1000, static_cast<std::size_t>(scaled(100'000))};
}

struct named_options {
  const char* name;
  sennit::loop_options how;
};
inline const std::vector<named_options>& all_options() {
  static const std::vector<named_options> all{{"default", {}},
                                              {"grain(1)", sennit::grain(1)},
                                              {"grain(7)", sennit::grain(7)},
                                              {"static_partition", sennit::static_partition}};
  return all;
}

template <class Make, class Run, class Merge>
struct folding_body {
  using value = std::invoke_result_t<Make&>;
  using position = sennit::detail::position;
  static constexpr bool whole_chunks = true;
  Make make_;
  Run run_;
  Merge merge_;
  value make() const { return make_(); }
  template <class Gate>
  position run(value& sum, position from, position to, Gate) const {
    run_(sum, from, to);
    return to;
  }
  void run_one(value& sum, position at) const { run_(sum, at, at + 1); }
  void merge(value& left, value&& right) const { merge_(left, std::move(right)); }
  static std::uintptr_t code() noexcept { return 0; }
};

// A loop as the library makes them, with a value: each strand at work on it has its own, made by make(), and run(value, from,
// to) adds to it; merge(left, right) appends the value of the iterations that follow.
template <class Make, class Run, class Merge>
auto fold_positions(sennit::detail::position n, Make make, Run run, Merge merge,
                    const sennit::loop_options& how) {
  return n == 0 ? make() : sennit::detail::run_loop(n, folding_body<Make, Run, Merge>{make, run, merge}, how);
}

// Calls test() within regions of one, two and four workers.
template <class Test>
void with_workers(Test&& test) {
  under(settings({1, 2, 4}), [&](sennit::runtime& rt) { rt.run([&] { test(); }); });
}
// Calls test(how) for each option in each of them. The trace stays outside the region, as it is the thread's.
template <class Test>
void with_options(Test&& test) {
  under(settings({1, 2, 4}), [&](sennit::runtime& rt) {
    for (const named_options& options : all_options()) {
      SCOPED_TRACE(options.name);
      rt.run([&] { test(options.how); });
    }
  });
}

// The function x -> factor * x + shift, modulo 2^64. Composition is associative, and not commutative.
struct affine {
  std::uint64_t factor = 1;
  std::uint64_t shift = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
inline affine composed(const affine& first, const affine& second) {
  return {first.factor * second.factor, second.factor * first.shift + second.shift};
}
inline affine affine_at(std::size_t i) { return {2 * i + 3, i * i + 1}; }

inline std::vector<affine> affine_functions(std::size_t n) {
  std::vector<affine> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = affine_at(i);
  return result;
}

}  // namespace sennit_test
