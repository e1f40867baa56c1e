// SPDX-License-Identifier: Apache-2.0
// parallel_transform, parallel_copy and parallel_fill against their serial namesakes.
#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
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

// Catches elements that are left out, written twice or taken from another place.
TEST(transform, is_the_serial_one) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<int> in = counting(n);
      std::vector<long> out(n);
      std::vector<long> expected(n);
      const auto square = [](long x) { return x * x; };

      std::ranges::transform(in, expected.begin(), square);
      sennit::parallel_transform(in, out, square, how);
      EXPECT_EQ(out, expected) << n;

      sennit::parallel_transform(in, expected, out, std::minus<>(), how);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], in[i] - expected[i]);

      sennit::parallel_copy(in, out, how);
      EXPECT_TRUE(std::ranges::equal(in, out)) << n;

      sennit::parallel_fill(out, 7, how);
      EXPECT_EQ(std::ranges::count(out, 7), static_cast<std::ptrdiff_t>(n));
    }
  });
}

// Catches an input that is read after it has been overwritten.
TEST(transform, works_in_place) {
  with_options([](const sennit::loop_options& how) {
    std::vector<int> x = counting(1000);
    sennit::parallel_transform(x, x, std::negate<>(), how);
    sennit::parallel_transform(x, x, x.begin(), std::plus<>(), how);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(x[static_cast<std::size_t>(i)], -2 * (i + 1));
  });
}

// Catches overloads that take one kind of argument for another, and iterators that are taken for pointers.
TEST(transform, takes_iterators_ranges_and_views) {
  struct point {
    int x = 0;
    int y = 0;
  };
  with_workers([] {
    const std::vector<int> in = counting(1000);
    std::vector<int> out(1000);
    std::deque<int> pieces(1000);
    std::vector<point> points(1000);

    sennit::parallel_transform(in.begin(), in.end(), out.begin(), std::negate<>());
    EXPECT_EQ(out[9], -10);
    sennit::parallel_transform(in.begin(), in.end(), in.begin(), out, std::plus<>());
    EXPECT_EQ(out[9], 20);
    sennit::parallel_transform(std::views::iota(0, 1000), pieces, [](int i) { return i * i; });
    EXPECT_EQ(pieces[9], 81);
    sennit::parallel_transform(in | std::views::reverse, std::span(out), std::identity());
    EXPECT_EQ(out[9], 991);
    sennit::parallel_transform(in, points | std::views::transform(&point::y), std::identity());
    EXPECT_EQ(points[9].y, 10);
    sennit::parallel_transform(points, out, &point::y);
    EXPECT_EQ(out[9], 10);
    sennit::parallel_copy(std::counted_iterator(in.begin(), 10), std::default_sentinel, pieces.begin());
    EXPECT_EQ(pieces[9], 10);
    sennit::parallel_copy(pieces | std::views::take(10) | std::views::reverse, out);
    EXPECT_EQ(out[0], 10);
    sennit::parallel_fill(pieces.begin() + 3, pieces.end(), -1);
    EXPECT_EQ(pieces[2], 3);
    EXPECT_EQ(pieces[3], -1);
    int row[3] = {};
    sennit::parallel_fill(row, 5, sennit::grain(1));
    EXPECT_EQ(row[2], 5);

    std::vector<std::unique_ptr<int>> pointers(100);
    sennit::parallel_transform(std::views::iota(0, 100), pointers,
                               [](int i) { return std::make_unique<int>(i); });
    EXPECT_EQ(*pointers[99], 99);
  });
}

// Catches a range that is read behind its end because the other one is longer.
TEST(transform, stops_with_the_shorter_of_two_ranges) {
  const std::vector<int> three = counting(3);
  const std::vector<int> five = counting(5);
  std::vector<int> out(4);
  sennit::parallel_transform(three, five, out, std::plus<>());
  EXPECT_EQ(out, (std::vector<int>{2, 4, 6, 0}));
  sennit::parallel_transform(five, three, out, std::multiplies<>());
  EXPECT_EQ(out, (std::vector<int>{1, 4, 9, 0}));
}

// Catches writes behind the end of a destination that is too small.
TEST(transform, refuses_a_destination_that_is_too_small) {
  const std::vector<int> in = counting(5);
  std::vector<int> out(3, 7);
  try {
    sennit::parallel_transform(in, out, std::negate<>());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::invalid_argument& refused) {
    EXPECT_STREQ(refused.what(), "sennit::parallel_transform: 5 elements do not fit into a destination of 3; "
                                 "resize it before the call");
  }
  EXPECT_THROW(sennit::parallel_transform(in, in, out, std::plus<>()), std::invalid_argument);
  EXPECT_THROW(sennit::parallel_copy(in, out), std::invalid_argument);
  EXPECT_EQ(out, std::vector<int>(3, 7));
}

// Catches an exception that is lost, or hides that of an earlier element.
TEST(transform, throws_what_the_lowest_call_threw) {
  constexpr int n = 65;
  const std::vector<int> in = counting(n);
  with_options([&](const sennit::loop_options& how) {
    for (int lowest = 1; lowest <= n; ++lowest) {
      std::vector<int> out(n);
      try {
        sennit::parallel_transform(
            in, out,
            [&](int x) {
              if (x == lowest || x == lowest + 2 || x == n) throw failure{static_cast<std::uint64_t>(x)};
              return x;
            },
            how);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& thrown) {
        EXPECT_EQ(thrown.position, static_cast<std::uint64_t>(lowest));
      }
      for (int i = 1; i < lowest; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i - 1)], i);
    }
  });
}

// Catches elements that are written all the same after the region was cancelled.
TEST(transform, ends_with_its_region) {
  with_workers([] {
    std::vector<int> out(1000);
    sennit::region r;
    EXPECT_FALSE(r.run([&] {
      r.cancel();
      sennit::parallel_transform(std::views::iota(0, 1000), out, [](int i) { return i; }, sennit::grain(1));
      sennit::join([] {}, [] {});
    }));
  });
}

// Catches a number of elements that is taken for an end.
TEST(transform, takes_an_iterator_and_a_number) {
  std::vector<int> in(1000, 3);
  std::vector<int> out(1000, 0);
  with_options([&](const sennit::loop_options& how) {
    sennit::parallel_fill(out.begin(), 1000, 1, how);
    EXPECT_EQ(out, std::vector<int>(1000, 1));
    sennit::parallel_copy(in.begin(), 500, out.begin(), how);
    EXPECT_EQ(out[499], 3);
    EXPECT_EQ(out[500], 1);
    sennit::parallel_transform(in.data(), std::size_t{1000}, out.data(), std::negate<>(), how);
    EXPECT_EQ(out, std::vector<int>(1000, -3));
    sennit::parallel_transform(in.begin(), 1000, out.begin(), out.begin(), std::plus<>(), how);
    EXPECT_EQ(out, std::vector<int>(1000, 0));
    sennit::parallel_fill(out.begin(), -5, 7, how);
    EXPECT_EQ(out[0], 0);
  });
}

}  // namespace
}  // namespace sennit_test
