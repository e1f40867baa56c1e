// SPDX-License-Identifier: Apache-2.0
// parallel_scan and parallel_exclusive_scan against std::inclusive_scan and std::exclusive_scan.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// Catches blocks that are lost, scanned with the wrong prefix or combined out of order.
TEST(scan, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<affine> in = affine_functions(n);
      std::vector<affine> expected(n);
      std::vector<affine> out(n);

      std::inclusive_scan(in.begin(), in.end(), expected.begin(), composed);
      sennit::parallel_scan(in, out, composed, how);
      EXPECT_EQ(out, expected) << n;

      const affine first{5, 7};
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), first, composed);
      const affine all = sennit::parallel_exclusive_scan(in, out, first, composed, how);
      EXPECT_EQ(out, expected) << n;
      EXPECT_EQ(all, std::accumulate(in.begin(), in.end(), first, composed)) << n;
    }
  });
}

// Catches an element that is written before it is read, or read again after.
TEST(scan, works_in_place) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<affine> in = affine_functions(n);
      std::vector<affine> expected(n);
      std::vector<affine> both = in;

      std::inclusive_scan(in.begin(), in.end(), expected.begin(), composed);
      sennit::parallel_scan(both.begin(), both.end(), both.begin(), composed, how);
      EXPECT_EQ(both, expected) << n;

      both = in;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), affine{}, composed);
      sennit::parallel_exclusive_scan(both.begin(), both.end(), both.begin(), affine{}, composed, how);
      EXPECT_EQ(both, expected) << n;
    }
  });
}

// Catches a second pass where nobody has taken work away.
TEST(scan, takes_one_pass_on_one_worker) {
  sennit::runtime one({.workers = 1});
  std::vector<int> x(1000, 1);
  std::atomic<int> calls{0};
  one.run([&] {
    sennit::parallel_scan(x, x, [&](int a, int b) {
      calls.fetch_add(1, std::memory_order_relaxed);
      return a + b;
    });
  });
  EXPECT_EQ(calls, 999);
  EXPECT_EQ(x.back(), 1000);
}

// Catches an iterator or a value type that is taken for a classic one.
TEST(scan, takes_views_and_other_types) {
  with_workers([] {
    const int n = 1000;
    std::vector<long> out(n);
    sennit::parallel_scan(std::views::iota(1, n + 1), out);
    for (int i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], (i + 1L) * (i + 2) / 2);

    // From the end: suffixes.
    sennit::parallel_scan(out | std::views::reverse, out | std::views::reverse,
                          [](long a, long b) { return a + b; });
    EXPECT_EQ(out[n - 2], 500500 + 499500);

    const std::vector<int> large(n, 2'000'000'000);
    EXPECT_EQ(sennit::parallel_exclusive_scan(large, out, 0L), 2'000'000'000'000);
    EXPECT_EQ(out.back(), 1'998'000'000'000);

    const std::vector<bool> flags(n, true);
    EXPECT_EQ(sennit::parallel_exclusive_scan(flags, out.begin(), 0L), n);
    EXPECT_EQ(out[500], 500);

    const std::array<std::string, 4> words{"a", "b", "c", "d"};
    std::array<std::string, 4> prefixes;
    sennit::parallel_scan(std::span(words), std::span(prefixes), std::plus<>(), sennit::grain(1));
    EXPECT_EQ(prefixes.back(), "abcd");
  });
}

// The last element of what is combined, until that is one from `lowest` on.
auto throwing_from(std::uint64_t lowest) {
  return [lowest](std::uint64_t, std::uint64_t b) {
    if (b >= lowest) throw failure{b};
    return b;
  };
}

// What the scan throws, as the position that the failure has; `none` if it throws nothing.
template <class Scan>
std::uint64_t failed_at(Scan&& scan, std::uint64_t none) {
  try {
    scan();
  } catch (const failure& thrown) {
    return thrown.position;
  }
  return none;
}

// Catches an exception that is lost, and one that is not the lowest element's: of the first in a block, which
// the first pass combines with nothing.
TEST(scan, throws_what_the_lowest_element_threw) {
  constexpr std::uint64_t n = 65;
  std::vector<std::uint64_t> in(n);
  std::iota(in.begin(), in.end(), std::uint64_t{0});
  with_options([&](const sennit::loop_options& how) {
    for (std::uint64_t lowest = 1; lowest <= n; ++lowest) {
      std::vector<std::uint64_t> out(n);
      EXPECT_EQ(failed_at([&] { sennit::parallel_scan(in, out, throwing_from(lowest), how); }, n), lowest);
      const auto exclusive = [&] {
        sennit::parallel_exclusive_scan(in, out, std::uint64_t{0}, throwing_from(lowest), how);
      };
      EXPECT_EQ(failed_at(exclusive, n), lowest);
      EXPECT_EQ(failed_at([&] { sennit::parallel_scan(out = in, out, throwing_from(lowest), how); }, n),
                lowest);
    }
  });
}

// The same where other workers are ahead for certain. Catches: the lowest block that failed taken for that of
// the lowest element, which has not failed if the element is its first.
TEST(scan, throws_what_the_lowest_element_threw_behind_others) {
  constexpr std::uint64_t block = 8;
  constexpr std::uint64_t n = 20 * block;
  std::vector<std::uint64_t> in(n);
  std::iota(in.begin(), in.end(), std::uint64_t{0});
  under(parallel_settings(), [&](sennit::runtime& rt) {
    rt.run([&] {
      for (const std::uint64_t lowest : {10 * block - 1, 10 * block, 10 * block + 1}) {
        std::vector<std::uint64_t> out(n);
        beacon ahead;
        const auto combine = [&](std::uint64_t a, std::uint64_t b) {
          if (a == 0 && b == 1) ahead.await();
          if (b > 2 * block) ahead.light();
          return throwing_from(lowest)(a, b);
        };
        EXPECT_EQ(failed_at([&] { sennit::parallel_scan(in, out, combine, sennit::grain(block)); }, n),
                  lowest);
      }
    });
  });
}

// Catches an exception that is lost because only sums of several elements make the operation throw.
TEST(scan, throws_what_combining_blocks_threw) {
  constexpr std::uint64_t block = 8;
  std::vector<std::uint64_t> in(20 * block, 1);
  under(parallel_settings(), [&](sennit::runtime& rt) {
    rt.run([&] {
      std::vector<std::uint64_t> out(in.size());
      beacon ahead;
      const auto combine = [&](std::uint64_t a, std::uint64_t b) {
        if (a == 1 && b == 1 && !ahead.lit()) ahead.light();
        if (b > 1) throw failure{b};
        return a + b;
      };
      const auto waiting = [&](std::uint64_t a, std::uint64_t b) {
        if (a == 1000) ahead.await();
        return combine(a == 1000 ? 0 : a, b);
      };
      const auto scan = [&] {
        sennit::parallel_exclusive_scan(in, out, std::uint64_t{1000}, waiting, sennit::grain(block));
      };
      EXPECT_EQ(failed_at(scan, 0), block);
    });
  });
}

// A copyable value that knows how many of its kind live.
class counted {
 public:
  explicit counted(std::uint64_t value = 0) noexcept : value_(value) {}
  counted(const counted& other) noexcept : value_(other.value_.value()) {}
  counted& operator=(const counted& other) noexcept {
    value_ = tracked(other.value_.value());
    return *this;
  }
  std::uint64_t value() const noexcept { return value_.value(); }

 private:
  tracked value_;
};

// Catches prefixes that are left behind when an operation throws, at each step of both passes.
TEST(scan, ends_all_values_when_the_operation_throws) {
  with_options([](const sennit::loop_options& how) {
    bool threw = true;
    for (int step = 0; threw; ++step) {
      std::vector<counted> x(65, counted(1));
      std::atomic<int> steps{0};
      threw = false;
      try {
        sennit::parallel_scan(
            x, x,
            [&](const counted& a, const counted& b) {
              if (steps.fetch_add(1) == step) throw failure{0};
              return counted(a.value() + b.value());
            },
            how);
        EXPECT_EQ(x.back().value(), 65U);
      } catch (const failure&) {
        threw = true;
      }
      EXPECT_EQ(tracked::live(), 65);
      ASSERT_LT(step, 1000);
    }
  });
  EXPECT_EQ(tracked::live(), 0);
}

// Catches a scan that returns although its region was cancelled, and values that it leaves behind.
TEST(scan, ends_with_its_region) {
  with_options([](const sennit::loop_options& how) {
    for (const int at : {0, 10, 500}) {
      std::vector<counted> x(1000, counted(1));
      std::atomic<int> steps{0};
      sennit::region r;
      EXPECT_FALSE(r.run([&] {
        sennit::parallel_scan(
            x, x,
            [&](const counted& a, const counted& b) {
              if (steps.fetch_add(1) == at) r.cancel();
              return counted(a.value() + b.value());
            },
            how);
        sennit::join([] {}, [] {});
      }));
      EXPECT_EQ(tracked::live(), 1000);
    }
  });
}

// Catches writes behind the end of a destination that is too small.
TEST(scan, refuses_a_destination_that_is_too_small) {
  const std::vector<int> in(5, 1);
  std::vector<int> out(3, 7);
  try {
    sennit::parallel_scan(in, out);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::invalid_argument& refused) {
    EXPECT_STREQ(
        refused.what(),
        "sennit::parallel_scan: 5 elements do not fit into a destination of 3; resize it before the call");
  }
  EXPECT_EQ(out, std::vector<int>(3, 7));
  EXPECT_THROW(sennit::parallel_exclusive_scan(in, out, 0), std::invalid_argument);
}

// Catches a first value that is lost, or counted for each block, and prefixes of the elements' type.
TEST(scan, takes_a_first_value) {
  const std::vector<int> ones(1000, 1);
  std::vector<long> expected(1000);
  std::iota(expected.begin(), expected.end(), 101L);
  const auto expect = [&](const auto& scan, const auto& how) {
    std::vector<long> sums(1000);
    scan(ones, sums, std::plus<>(), 100L, how);
    EXPECT_EQ(sums, expected);
    std::vector<long> counted(1000);
    scan(ones.begin(), 1000, counted.begin(), std::plus<>(), 100L, how);
    EXPECT_EQ(counted, expected);
    scan(std::span(ones).first(0), sums, std::plus<>(), 1L, how);
    EXPECT_EQ(sums, expected);
  };
  with_options([&](const sennit::loop_options& how) { expect(sennit::parallel_scan, how); });
  expect(sennit::serial::parallel_scan, sennit::loop_options());
}

// Catches blocks whose ends overflow, so that nothing is done.
TEST(scan, takes_any_grain) {
  const std::vector<int> ones(1000, 1);
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 1);
  for (const sennit::loop_options& how :
       {sennit::grain(-1), sennit::grain(0), sennit::grain(~std::uint64_t{0}),
        sennit::grain(std::int64_t{1} << 62), sennit::loop_options{.grain = ~std::uint64_t{0}}}) {
    with_workers([&] {
      std::vector<int> sums(1000);
      sennit::parallel_scan(ones, sums, std::plus<>(), how);
      EXPECT_EQ(sums, expected) << how.grain;
      EXPECT_EQ(sennit::parallel_exclusive_scan(ones, sums, 1, std::plus<>(), how), 1001);
      EXPECT_EQ(sums, expected) << how.grain;
    });
  }
}

}  // namespace
}  // namespace sennit_test
