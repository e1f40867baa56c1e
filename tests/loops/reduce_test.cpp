// SPDX-License-Identifier: Apache-2.0
// parallel_reduce against the fold from left to right.
#include "support.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Catches iterations that are lost, doubled or combined out of order, at any bound of the splitting.
TEST(reduce, keeps_the_order_of_the_iterations) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<affine> functions = affine_functions(n);
      const affine expected = std::accumulate(functions.begin(), functions.end(), affine{}, composed);
      EXPECT_EQ(sennit::parallel_reduce(std::size_t{0}, n, affine{}, affine_at, composed, how), expected)
          << n;
      EXPECT_EQ(sennit::parallel_reduce(functions, affine{}, composed, how), expected) << n;
      EXPECT_EQ(sennit::parallel_reduce(functions.begin(), functions.end(), affine{}, composed, how),
                expected)
          << n;
    }
  });
}

// Catches a tree whose shape depends on workers or timing: the operation is not associative, so every
// bracketing has a value of its own. And a serial elision with another tree.
TEST(reduce, has_one_tree_where_it_is_deterministic) {
  const auto bracketed = [](std::uint64_t left, std::uint64_t right) {
    return (left ^ (left >> 29)) * 0x94d049bb133111eb + right;
  };
  for (const std::size_t n : sizes()) {
    const auto value = [&](const auto& reduce) {
      return reduce(
          std::size_t{0}, n, std::uint64_t{7}, [](std::size_t i) { return std::uint64_t{i} * i; }, bracketed,
          sennit::deterministic);
    };
    const std::uint64_t expected = value(sennit::serial::parallel_reduce);
    with_workers([&] {
      for (int i = 0; i < 3; ++i) EXPECT_EQ(value(sennit::parallel_reduce), expected) << n;
    });
  }
}

// Catches sums whose rounding depends on the schedule.
TEST(reduce, gives_the_same_bits_where_it_is_deterministic) {
  const auto term = [](int i) { return (i % 2 == 0 ? 1.0 : -1.0) / (1.0 + i) * (i % 7 == 0 ? 1e12 : 1.0); };
  const int n = scaled(100'000);
  const double expected =
      sennit::serial::parallel_reduce(0, n, 0.0, term, std::plus<>(), sennit::deterministic);
  with_workers([&] {
    for (int i = 0; i < 5; ++i) {
      const double sum = sennit::parallel_reduce(0, n, 0.0, term, std::plus<>(), sennit::deterministic);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sum), std::bit_cast<std::uint64_t>(expected));
    }
  });
}

// Catches bounds that are converted before they are compared.
TEST(reduce, takes_bounds_of_different_signs) {
  const auto expect = [](const auto& reduce) {
    const auto same = [](long i) { return i; };
    EXPECT_EQ(reduce(-2, 5U, 0L, same), 7);
    EXPECT_EQ(reduce(-2, std::size_t{5}, 0L, same), 7);
    EXPECT_EQ(reduce(-2, 5U, 0L), 7);
    EXPECT_EQ(reduce(5U, -3, 0L, same), 0);
    EXPECT_EQ(reduce(std::size_t{5}, -3, 0L, same), 0);
  };
  expect(sennit::parallel_reduce);
  expect(sennit::serial::parallel_reduce);
}

// Catches a first value that each strand counts.
TEST(reduce, counts_the_identity_once) {
  const std::vector<int> ones(1000, 1);
  with_options([&](const sennit::loop_options& how) {
    EXPECT_EQ(sennit::parallel_reduce(ones, 10L, std::plus<>(), how), 1010);
    EXPECT_EQ(sennit::parallel_reduce(std::span(ones).first(0), 10L, std::plus<>(), how), 10);
  });
  EXPECT_EQ(sennit::parallel_reduce(ones, 10L, std::plus<>(), sennit::deterministic), 1010);
  EXPECT_EQ(sennit::serial::parallel_reduce(ones, 10L), 1010);
}

// Catches overloads that take one kind of argument for another, and views whose iterators are no classic
// ones.
TEST(reduce, takes_integers_iterators_and_ranges) {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  const std::deque<int> pieces(v.begin(), v.end());
  const auto odd = [](int x) { return x % 2; };
  const auto larger = [](int a, int b) { return a < b ? b : a; };
  with_workers([&] {
    using sennit::parallel_reduce;
    EXPECT_EQ(parallel_reduce(v, 0), 499500);
    EXPECT_EQ(parallel_reduce(v, 0, odd), 500);
    EXPECT_EQ(parallel_reduce(v, 0, larger), 999);
    EXPECT_EQ(parallel_reduce(v, 0, odd, larger), 1);
    EXPECT_EQ(parallel_reduce(pieces, 0), 499500);
    EXPECT_EQ(parallel_reduce(v.begin(), v.end(), 0L, odd), 500);
    EXPECT_EQ(parallel_reduce(v.begin(), std::counted_iterator(v.begin(), 1000).base() + 1000, 0), 499500);
    EXPECT_EQ(parallel_reduce(std::counted_iterator(v.begin(), 10), std::default_sentinel, 0), 45);
    EXPECT_EQ(parallel_reduce(std::span(v).subspan(990), 0), 9945);
    EXPECT_EQ(parallel_reduce(v.begin(), 10, 0), 45);
    EXPECT_EQ(parallel_reduce(v.data(), std::size_t{10}, 0L, odd), 5);
    EXPECT_EQ(parallel_reduce(v.begin(), -1, 42), 42);
    EXPECT_EQ(parallel_reduce(std::views::iota(0L, 1000L), 0L), 499500);
    EXPECT_EQ(parallel_reduce(v | std::views::transform(odd), 0), 500);
    EXPECT_EQ(parallel_reduce(v | std::views::reverse, -1, [](int, int last) { return last; }), 0);
    EXPECT_EQ(parallel_reduce(v | std::views::take(3) | std::views::drop(1), 0), 3);
    EXPECT_EQ(parallel_reduce(0, 1000, 0), 499500);
    EXPECT_EQ(parallel_reduce(0, 1000U, 0L, odd), 500);
    EXPECT_EQ(parallel_reduce(-5, 6L, 0L), 0);
    EXPECT_EQ(parallel_reduce(6, -5, 42), 42);
    EXPECT_EQ(parallel_reduce(v.end(), v.begin(), 42), 42);
    EXPECT_EQ(parallel_reduce(static_cast<signed char>(-128), static_cast<signed char>(127), 0, std::plus<>(),
                              sennit::grain(1)),
              -255);
    EXPECT_EQ(parallel_reduce(v, 0, std::plus<>(), {.grain = 3}), 499500);
  });
}

// Catches maps and operations that are called, rather than invoked.
TEST(reduce, takes_members_for_maps) {
  struct body {
    double mass;
    double twice() const { return 2 * mass; }
  };
  const std::vector<body> bodies(100, {0.5});
  EXPECT_EQ(sennit::parallel_reduce(bodies, 0.0, &body::mass), 50.0);
  EXPECT_EQ(sennit::parallel_reduce(bodies, 0.0, &body::twice), 100.0);
}

tracked sum_of(tracked&& a, tracked&& b) { return tracked(a.value() + b.value()); }

// Catches copies of the result, and values that are lost or never ended.
TEST(reduce, takes_results_that_only_move) {
  with_options([](const sennit::loop_options& how) {
    const tracked sum = sennit::parallel_reduce(
        0, 1000, tracked(5), [](int i) { return tracked(static_cast<std::uint64_t>(i)); }, sum_of, how);
    EXPECT_EQ(sum.value(), 499505U);
    EXPECT_EQ(tracked::live(), 1);
  });
  const auto sum = sennit::parallel_reduce(
      0, 1000, std::make_unique<int>(0), [](int i) { return std::make_unique<int>(i); },
      [](std::unique_ptr<int> a, std::unique_ptr<int> b) { return std::make_unique<int>(*a + *b); },
      sennit::deterministic);
  EXPECT_EQ(*sum, 499500);
}

// Catches values that are appended out of order, those that fit registers and those that only move; and a first value
// that is not at the left.
TEST(reduce, appends_mapped_values_in_place) {
  const auto follow = [](affine& left, const affine& right) { left = composed(left, right); };
  const auto add = [](std::unique_ptr<int>& left, std::unique_ptr<int> right) { *left += *right; };
  const auto allocated = [](int i) { return std::make_unique<int>(i); };
  const std::vector<affine> functions = affine_functions(1000);
  const affine first{5, 7};
  const affine expected = std::accumulate(functions.begin(), functions.end(), first, composed);
  const auto expect = [&](const auto& reduce, const auto& how) {
    EXPECT_EQ(reduce(std::size_t{0}, std::size_t{1000}, first, affine_at, follow, how), expected);
    EXPECT_EQ(reduce(functions, first, follow, how), expected);
    EXPECT_EQ(*reduce(0, 1000, std::make_unique<int>(5), allocated, add, how), 499505);
    EXPECT_EQ(*reduce(0, 0, std::make_unique<int>(5), allocated, add, how), 5);
  };
  with_options([&](const sennit::loop_options& how) { expect(sennit::parallel_reduce, how); });
  with_workers([&] { expect(sennit::parallel_reduce, sennit::deterministic); });
  expect(sennit::serial::parallel_reduce, sennit::loop_options());
  expect(sennit::serial::parallel_reduce, sennit::deterministic);
}

// The position of the failure that f() ends with.
template <class F>
std::optional<std::uint64_t> failed_at(F&& f) {
  try {
    f();
  } catch (const failure& thrown) {
    return thrown.position;
  }
  return std::nullopt;
}

// Catches an exception that is lost, that hides an earlier iteration's, or that leaves values behind.
TEST(reduce, throws_what_the_lowest_iteration_threw) {
  constexpr std::uint64_t n = 65;
  const auto throwing_at = [](std::uint64_t lowest) {
    return [=](std::uint64_t i) {
      if (i == lowest || i == lowest + 3 || i == n - 1) throw failure{i};
      return tracked(i);
    };
  };
  with_options([&](const sennit::loop_options& how) {
    for (std::uint64_t lowest = 0; lowest < n; ++lowest) {
      EXPECT_EQ(failed_at([&] {
                  sennit::parallel_reduce(std::uint64_t{0}, n, tracked(0), throwing_at(lowest), sum_of, how);
                }),
                lowest);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
  with_workers([&] {
    for (std::uint64_t lowest = 0; lowest < n; ++lowest) {
      EXPECT_EQ(failed_at([&] {
                  sennit::parallel_reduce(std::uint64_t{0}, n, tracked(0), throwing_at(lowest), sum_of,
                                          sennit::deterministic);
                }),
                lowest);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches values that a combination leaves behind when it throws, among them those of other strands' parts.
TEST(reduce, ends_all_values_when_a_combination_throws) {
  constexpr int n = 65;
  const auto value = [](int i) { return tracked(std::uint64_t{1} << (i % 64)); };
  with_options([&](const sennit::loop_options& how) {
    for (int step = 0; step < n; ++step) {
      std::atomic<int> steps{0};
      const auto combine = [&](tracked&& a, tracked&& b) {
        if (steps.fetch_add(1) == step) throw failure{static_cast<std::uint64_t>(step)};
        return tracked(a.value() | b.value());
      };
      EXPECT_EQ(failed_at([&] { sennit::parallel_reduce(0, n, tracked(0), value, combine, how); }), step);
      EXPECT_EQ(tracked::live(), 0);
      steps = 0;
      EXPECT_EQ(failed_at([&] {
                  sennit::parallel_reduce(0, n, tracked(0), value, combine, sennit::deterministic);
                }),
                step);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// A value whose moves throw, one of them.
class fragile {
 public:
  explicit fragile(std::uint64_t value) noexcept : counted_(value) {}
  fragile(fragile&& other) : counted_((step(), std::move(other.counted_))) {}
  fragile& operator=(fragile&& other) {
    step();
    counted_ = std::move(other.counted_);
    return *this;
  }
  std::uint64_t value() const noexcept { return counted_.value(); }
  static void throw_at(int move) noexcept { moves_left_ = move; }

 private:
  static void step() {
    if (moves_left_.fetch_sub(1) == 0) throw failure{0};
  }
  tracked counted_;
  inline static std::atomic<int> moves_left_{0};
};

// Catches a move that is assumed not to throw.
TEST(reduce, survives_values_whose_moves_throw) {
  with_options([](const sennit::loop_options& how) {
    bool threw = true;
    for (int move = 0; threw; ++move) {
      fragile::throw_at(move);
      threw = failed_at([&] {
                sennit::parallel_reduce(
                    0, 20, fragile(0), [](int i) { return fragile(static_cast<std::uint64_t>(i)); },
                    [](fragile&& a, fragile&& b) { return fragile(a.value() + b.value()); }, how);
              }).has_value();
      EXPECT_EQ(tracked::live(), 0);
      ASSERT_LT(move, 10'000);
    }
  });
}

// Catches a cancelled region whose reduction returns, or leaves values behind.
TEST(reduce, ends_with_its_region) {
  with_options([](const sennit::loop_options& how) {
    for (const int at : {0, 1, 500, 998}) {
      sennit::region r;
      std::atomic<int> ran{0};
      const auto sum = r.run([&] {
        const tracked all = sennit::parallel_reduce(
            0, 1000, tracked(0),
            [&](int i) {
              if (i == at) r.cancel();
              ran.fetch_add(1, std::memory_order_relaxed);
              return tracked(1);
            },
            sum_of, how);
        sennit::join([] {}, [] {});
        return all.value();
      });
      EXPECT_FALSE(sum.has_value());
      EXPECT_EQ(tracked::live(), 0);
    }
  });
  with_workers([] {
    sennit::region r;
    EXPECT_FALSE(r.run([&] {
      const tracked all = sennit::parallel_reduce(
          0, 100'000, tracked(0),
          [&](int i) {
            if (i == 10) r.cancel();
            return tracked(1);
          },
          sum_of, sennit::deterministic);
      // Others may have run all else before this strand comes to iteration 10.
      sennit::join([] {}, [] {});
      return all.value();
    }));
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches a reduction that works only at the top.
TEST(reduce, nests) {
  with_options([](const sennit::loop_options& how) {
    EXPECT_EQ(
        sennit::parallel_reduce(
            0, 100, 0L,
            [&](long i) { return sennit::parallel_reduce(0, i, 0L, std::identity(), std::plus<>(), how); },
            std::plus<>(), how),
        161700);
  });
}

}  // namespace
}  // namespace sennit_test
