// SPDX-License-Identifier: Apache-2.0
// Algorithms that write each element once or twice, against their serial namesakes.
#include "../loops/support.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> result(n);
  std::iota(result.begin(), result.end(), 1);
  return result;
}

// Catches elements that are left out, moved twice or written elsewhere.
template <class P>
void expect_the_serial_results(std::size_t n, const sennit::loop_options& how) {
  const std::vector<int> in = counting(n);
  std::vector<int> expected = in;
  std::vector<int> x = in;

  std::ranges::reverse(expected);
  P::parallel_reverse(x, how);
  EXPECT_EQ(x, expected) << n;
  EXPECT_EQ(P::parallel_reverse_copy(expected, x, how), x.end());
  EXPECT_EQ(x, in);

  P::parallel_replace_if(x, [](int v) { return v % 3 == 0; }, -1, how);
  P::parallel_replace(x, -1, 0, how);
  std::ranges::replace_copy_if(in, expected.begin(), [](int v) { return v % 3 == 0; }, 0);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(P::parallel_replace_copy_if(in, x.begin(), [](int v) { return v % 3 == 0; }, 0, how), x.end());
  EXPECT_EQ(x, expected);
  P::parallel_replace_copy(expected, x, 0, 3, how);
  std::ranges::replace(expected, 0, 3);
  EXPECT_EQ(x, expected);

  std::vector<int> differences(n);
  std::adjacent_difference(x.begin(), x.end(), expected.begin());
  P::parallel_adjacent_difference(x, differences, {}, how);
  EXPECT_EQ(differences, expected);
  std::adjacent_difference(x.begin(), x.end(), expected.begin(), std::multiplies<>());
  P::parallel_adjacent_difference(x.begin(), x.end(), differences.begin(), std::multiplies<>(), how);
  EXPECT_EQ(differences, expected);

  std::vector<int> a = in;
  P::parallel_swap_ranges(a, differences, how);
  EXPECT_EQ(a, expected);
  EXPECT_EQ(differences, in);

  std::atomic<std::size_t> calls{0};
  P::parallel_generate(a, [&] { return calls.fetch_add(1), 7; }, how);
  EXPECT_EQ(calls, n);
  EXPECT_EQ(std::ranges::count(a, 7), static_cast<std::ptrdiff_t>(n));
  P::parallel_tabulate(a, [](std::size_t i) { return static_cast<int>(i) + 1; }, how);
  EXPECT_EQ(a, in);
}
TEST(rearrange, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : {0U, 1U, 2U, 65U, 1000U, 20'000U})
      expect_the_serial_results<sennit::parallel>(n, how);
  });
  expect_the_serial_results<sennit::serial>(1000, {});
}

// Catches elements that are overwritten before they have moved, at all kinds of distances, and ends that are wrong.
TEST(rearrange, shifts) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : {0U, 1U, 64U, 30'011U}) {
      const std::vector<int> in = counting(n);
      for (const std::size_t by :
           {0U, 1U, 2U, 100U, 117U, 118U, 3000U, 15'005U, 15'006U, 30'010U, 30'011U, 40'000U}) {
        const std::size_t remain = n - std::min(n, by);
        const auto end = static_cast<std::ptrdiff_t>(remain);
        std::vector<int> x = in;
        ASSERT_EQ(sennit::parallel_shift_left(x, by, how) - x.begin(), end) << n << ' ' << by;
        ASSERT_TRUE(std::equal(x.begin(), x.begin() + end, in.end() - end)) << n << ' ' << by;
        x = in;
        ASSERT_EQ(x.end() - sennit::parallel_shift_right(x.begin(), x.end(), by, how), end) << n << ' ' << by;
        ASSERT_TRUE(std::equal(x.end() - end, x.end(), in.begin())) << n << ' ' << by;
      }
    }
  });
  std::deque<std::unique_ptr<int>> x(1000);
  x[999] = std::make_unique<int>(5);
  EXPECT_EQ(**(sennit::serial::parallel_shift_left(x, 500) - 1), 5);
  EXPECT_EQ(**(sennit::parallel_shift_right(x, 1) + 499), 5);
  EXPECT_EQ(sennit::parallel_shift_right(x, -1), x.begin());
}

// Catches sections that are swapped with the wrong ones, at all kinds of middles, and elements that are lost.
TEST(rearrange, rotates) {
  with_options([](const sennit::loop_options& how) {
    const std::size_t n = 30'011;
    for (const std::ptrdiff_t middle :
         {0, 1, 7, 4999, 5000, 10'000, 15'005, 20'000, 25'011, 30'010, 30'011}) {
      std::vector<int> x = counting(n);
      std::vector<int> expected(n);
      std::ranges::rotate_copy(x, x.begin() + middle, expected.begin());
      std::vector<int> copied(n);
      EXPECT_EQ(sennit::parallel_rotate_copy(x, x.begin() + middle, copied, how), copied.end());
      EXPECT_EQ(copied, expected);
      sennit::parallel_rotate(x, x.begin() + middle, how);
      EXPECT_EQ(x, expected) << middle;
    }
    std::vector<std::unique_ptr<int>> pointers;
    for (int i = 0; i < 100; ++i) pointers.push_back(std::make_unique<int>(i));
    sennit::parallel_rotate(pointers.begin(), pointers.begin() + 30, pointers.end(), how);
    EXPECT_EQ(*pointers[0], 30);
    EXPECT_EQ(*pointers[99], 29);
    sennit::parallel_reverse(pointers, how);
    std::deque<std::unique_ptr<int>> moved(100);
    EXPECT_EQ(sennit::parallel_move(pointers, moved, how), moved.end());
    EXPECT_EQ(*moved[0], 29);
  });
  std::vector<int> x = counting(10);
  sennit::serial::parallel_rotate(x, x.begin() + 3);
  EXPECT_EQ(x.front(), 4);
}

// Catches elements at the seams of blocks, and of the last one, that come into a wrong block, where few pass the others.
TEST(rearrange, rotates_by_a_few_elements) {
  const std::size_t n = 300'007;
  for (const std::ptrdiff_t few : {1, 3, 1000}) {
    for (const std::ptrdiff_t middle : {few, static_cast<std::ptrdiff_t>(n) - few}) {
      std::vector<int> x = counting(n);
      std::vector<int> expected(n);
      std::ranges::rotate_copy(x, x.begin() + middle, expected.begin());
      sennit::parallel_rotate(x, x.begin() + middle);
      EXPECT_EQ(x, expected) << middle;
    }
  }
}

// Catches an exception that is not the lowest element's, and writes behind the end of a destination.
TEST(rearrange, throws_what_the_lowest_element_threw) {
  with_options([](const sennit::loop_options& how) {
    std::vector<int> x = counting(1000);
    try {
      sennit::parallel_replace_if(
          x,
          [](int v) {
            if (v > 300) throw failure{static_cast<std::uint64_t>(v)};
            return false;
          },
          0, how);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& thrown) {
      EXPECT_EQ(thrown.position, 301U);
    }
    std::vector<int> out(1000, -1);
    EXPECT_THROW(sennit::parallel_reverse_copy(x, std::span(out).first(999), how), std::invalid_argument);
    EXPECT_EQ(std::ranges::count(out, -1), 1000);
  });
}

// Copies until a number of copies have been made.
struct throwing_copy : tracked {
  explicit throwing_copy(std::uint64_t value = 0) : tracked(value) {}
  throwing_copy(const throwing_copy& other) : tracked(other.value()) {
    if (other.value() >= first_failing) throw failure{other.value()};
  }
  throwing_copy(throwing_copy&&) = default;
  static inline std::uint64_t first_failing = 0;
};

// Catches objects that have begun and are never ended, as another one threw, or the region ended.
TEST(uninitialized, ends_what_has_begun) {
  with_options([](const sennit::loop_options& how) {
    constexpr std::uint64_t n = 500;
    std::vector<throwing_copy> in;
    in.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) in.emplace_back(i);
    std::allocator<throwing_copy> memory;
    throwing_copy* const out = memory.allocate(n);
    for (std::uint64_t lowest = 0; lowest <= n; lowest += 50) {
      throwing_copy::first_failing = lowest;
      try {
        EXPECT_EQ(sennit::parallel_uninitialized_copy(in, out, how), out + n);
        EXPECT_EQ(lowest, n);
        EXPECT_EQ(tracked::live(), static_cast<std::int64_t>(2 * n));
        EXPECT_EQ(out[n - 1].value(), n - 1);
        sennit::parallel_destroy(out, out + n, how);
      } catch (const failure& thrown) {
        EXPECT_EQ(thrown.position, lowest);
      }
      ASSERT_EQ(tracked::live(), static_cast<std::int64_t>(n));
    }
    EXPECT_THROW(sennit::parallel_uninitialized_fill(out, n, throwing_copy(n), how), failure);
    EXPECT_EQ(tracked::live(), static_cast<std::int64_t>(n));
    sennit::parallel_uninitialized_value_construct(std::span(out, n), how);
    sennit::parallel_destroy(std::span(out, n), how);
    sennit::parallel_uninitialized_default_construct(out, n, how);
    sennit::parallel_destroy(out, n, how);
    sennit::parallel_uninitialized_move(in, out, how);
    EXPECT_EQ(out[7].value(), 7U);
    sennit::region r;
    r.run([&] {
      sennit::parallel_destroy(out, n, how);
      r.cancel();
      sennit::parallel_uninitialized_value_construct(out, n, how);
      std::destroy_n(out, n);
    });
    EXPECT_EQ(tracked::live(), static_cast<std::int64_t>(n));
    memory.deallocate(out, n);
  });
}

}  // namespace
}  // namespace sennit_test
