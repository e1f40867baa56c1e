// SPDX-License-Identifier: Apache-2.0
// The algorithms of the execution policies: under each the same results and the same exceptions, and in the
// elision the order of the elements. (join and the loops: tests/core/serial_test.cpp.)
#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using cell = std::pair<std::ptrdiff_t, std::ptrdiff_t>;

template <class P>
class policies : public testing::Test {};
using all_policies = testing::Types<sennit::parallel, sennit::serial, sennit::counted_serial>;
TYPED_TEST_SUITE(policies, all_policies);

template <class P, class Space, class Order>
std::vector<cell> cells(const Space& space, const Order& order) {
  std::mutex mutex;
  std::vector<cell> seen;
  P::parallel_for_nest(
      space,
      [&](auto i, auto j) {
        const std::scoped_lock lock(mutex);
        seen.emplace_back(i, j);
      },
      order);
  return seen;
}

template <class Test>
void with_orders(Test&& test) {
  test(sennit::row);
  test(sennit::tiled(4));
  test(sennit::tiled(3, 8));
  test(sennit::morton);
  test(sennit::morton(2));
}

// Catches: cells that a policy leaves out, or runs twice.
TYPED_TEST(policies, run_each_cell_of_a_nest_once) {
  const sennit::extent box[] = {{-3, 20}, 17};
  with_orders([&](const auto& order) {
    std::vector<cell> seen = cells<TypeParam>(box, order);
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 23U * 17U);
    for (std::size_t p = 0; p < seen.size(); ++p) {
      const auto at = static_cast<std::ptrdiff_t>(p);
      EXPECT_EQ(seen[p], cell(at / 17 - 3, at % 17));
    }
    const std::vector<cell> upper = cells<TypeParam>(sennit::upper_triangle(30), order);
    EXPECT_EQ(upper.size(), 435U);
    for (const auto& [i, j] : upper) EXPECT_LT(i, j);
    EXPECT_EQ(cells<TypeParam>(sennit::lower_triangle(30), order).size(), 435U);
  });
  TypeParam::parallel_for_nest({{5, 3}, {0, 2}}, [](auto, auto) { ADD_FAILURE(); });
  TypeParam::parallel_for_nest(sennit::upper_triangle(1), [](auto, auto) { ADD_FAILURE(); });
}

TYPED_TEST(policies, give_bodies_their_tiles) {
  std::atomic<std::ptrdiff_t> covered{0};
  TypeParam::parallel_for_nest(
      {30, sennit::in_order(50), 3},
      [&](const sennit::tile<3>& t) {
        EXPECT_LE(t.size(0), 8);
        EXPECT_LE(t.size(1), 16);
        covered += t.size(0) * t.size(1) * t.size(2);
      },
      sennit::tiled(8, 16, 3));
  EXPECT_EQ(covered, 30 * 50 * 3);
}

TYPED_TEST(policies, refuse_the_same_nests) {
  const auto nothing = [](auto, auto) {};
  EXPECT_THROW(TypeParam::parallel_for_nest({1L << 40, 1L << 40}, nothing), std::length_error);
  EXPECT_THROW(TypeParam::parallel_for_nest(sennit::upper_triangle(1L << 40), nothing), std::length_error);
}

// Catches: values combined out of order, and options that a policy does not take.
TYPED_TEST(policies, scan) {
  for (const std::size_t n : sizes()) {
    const std::vector<affine> in = affine_functions(n);
    std::vector<affine> expected(n);
    std::vector<affine> out(n);
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), composed);
    TypeParam::parallel_scan(in, out, composed);
    EXPECT_EQ(out, expected) << n;
    out = in;
    TypeParam::parallel_scan(out.begin(), out.end(), out.begin(), composed, sennit::grain(10));
    EXPECT_EQ(out, expected) << n;

    std::exclusive_scan(in.begin(), in.end(), expected.begin(), affine{5, 7}, composed);
    const affine all = TypeParam::parallel_exclusive_scan(in, out, affine{5, 7}, composed);
    EXPECT_EQ(out, expected) << n;
    EXPECT_EQ(all, std::accumulate(in.begin(), in.end(), affine{5, 7}, composed)) << n;
  }
}

TYPED_TEST(policies, scan_up_to_what_throws) {
  std::vector<int> x(100);
  std::iota(x.begin(), x.end(), 0);
  try {
    TypeParam::parallel_scan(
        x, x, [](int, int b) { return b < 30 ? b : throw std::out_of_range(std::to_string(b)); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "30");
  }
}

// Catches: equal elements that a policy leaves in an order of its own.
TYPED_TEST(policies, sort_alike) {
  for (const std::size_t n : sizes()) {
    std::vector<std::pair<std::uint64_t, std::size_t>> input(n);
    for (std::size_t i = 0; i < n; ++i) input[i] = {affine_at(i).shift % 100, i};
    const auto key = &std::pair<std::uint64_t, std::size_t>::first;

    auto stable = input;
    TypeParam::parallel_stable_sort(stable, std::greater<>(), key);
    auto expected = input;
    std::ranges::sort(expected, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    EXPECT_EQ(stable, expected) << n;

    auto sorted = input;
    TypeParam::parallel_sort(sorted.begin(), sorted.end(), std::less<>(), key);
    EXPECT_TRUE(std::ranges::is_sorted(sorted, std::less<>(), key)) << n;
    auto other = input;
    sennit::parallel_sort(other, std::less<>(), key);
    EXPECT_EQ(sorted, other) << n;
  }
}

// Catches: elements that are lost because the comparator throws.
TYPED_TEST(policies, sort_without_losing_elements) {
  for (const int at : {0, 10, 1000, 5000}) {
    std::vector<std::string> x(2000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::to_string(i * 7919 % 2000) + " is a long string";
    const auto input = x;
    std::atomic<int> calls{0};
    EXPECT_THROW(TypeParam::parallel_sort(x,
                                          [&](const std::string& a, const std::string& b) {
                                            if (calls++ == at) throw failure{0};
                                            return a < b;
                                          }),
                 failure);
    EXPECT_TRUE(std::ranges::is_permutation(x, input)) << at;
  }
}

TYPED_TEST(policies, transform_copy_and_fill) {
  std::vector<int> in(1000);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> out(1000);
  TypeParam::parallel_transform(in, out, [](int x) { return 2 * x; });
  EXPECT_EQ(out[999], 1998);
  TypeParam::parallel_transform(in, out, out, std::plus<>());
  EXPECT_EQ(out[999], 2997);
  TypeParam::parallel_transform(in.begin(), in.end(), out.begin(), out.begin(), std::minus<>(),
                                sennit::grain(7));
  EXPECT_EQ(out[999], -1998);
  TypeParam::parallel_transform(in.begin(), in.end(), out.begin(), std::negate<>());
  EXPECT_EQ(out[999], -999);
  TypeParam::parallel_copy(in, out);
  EXPECT_EQ(out, in);
  TypeParam::parallel_copy(in.begin() + 1, in.end(), out.begin());
  EXPECT_EQ(out[0], 1);
  TypeParam::parallel_fill(out, 5);
  EXPECT_EQ(out, std::vector<int>(1000, 5));
  TypeParam::parallel_fill(out.begin(), out.begin() + 1, 6);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[1], 5);

  std::vector<int> small(3, 7);
  EXPECT_THROW(TypeParam::parallel_copy(in, small), std::invalid_argument);
  EXPECT_THROW(TypeParam::parallel_transform(in, small, std::negate<>()), std::invalid_argument);
  EXPECT_THROW(TypeParam::parallel_scan(in, small), std::invalid_argument);
  EXPECT_EQ(small, std::vector<int>(3, 7));
}

// Catches: an elision whose order is not that of one worker.
TEST(serial_nest, goes_in_its_order_on_this_thread) {
  const sennit::extent box[] = {11, 23};
  const auto expect = [](const auto& space, const auto& order) {
    sennit::runtime one({.workers = 1});
    EXPECT_EQ(cells<sennit::serial>(space, order),
              one.run([&] { return cells<sennit::parallel>(space, order); }));
  };
  with_orders([&](const auto& order) {
    expect(box, order);
    expect(sennit::upper_triangle(19), order);
  });
  const auto here = std::this_thread::get_id();
  sennit::serial::parallel_for_nest({9, 9}, [=](auto, auto) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

// Catches: cells that are run after the one that throws, and one that is reported in place of it.
TEST(serial_nest, ends_where_it_throws) {
  with_orders([](const auto& order) {
    const sennit::extent box[] = {16, 16};
    const std::vector<cell> all = cells<sennit::serial>(box, order);
    std::size_t run = 0;
    EXPECT_THROW(sennit::serial::parallel_for_nest(
                     box,
                     [&](auto i, auto j) {
                       EXPECT_EQ(all[run], cell(i, j));
                       if (++run == 100) throw failure{0};
                     },
                     order),
                 failure);
    EXPECT_EQ(run, 100U);
  });
}

// Catches: a second pass, and blocks that are combined with one another.
TEST(serial_scan, calls_the_operation_once_for_each_element) {
  std::vector<int> x(1000, 1);
  int calls = 0;
  sennit::serial::parallel_scan(x, x, [&](int a, int b) {
    EXPECT_EQ(b, 1);
    EXPECT_EQ(a, ++calls);
    return a + b;
  });
  EXPECT_EQ(calls, 999);
}

// Catches: the sort of the elision differing from that of the runtime in what it compares.
TEST(serial_sort, compares_as_often_as_the_parallel_one) {
  std::vector<std::uint64_t> x(10000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = affine_at(i).shift * 0x9e3779b97f4a7c15U;
  auto y = x;
  std::atomic<int> calls{0};
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return a < b;
  };
  sennit::serial::parallel_sort(x, less);
  const int serial = calls.exchange(0);
  sennit::parallel_sort(y, less);
  EXPECT_EQ(calls, serial);
  EXPECT_EQ(x, y);
}

template <class F>
std::uint64_t forks_of(F&& f) {
  sennit::counted_serial::reset();
  f();
  return sennit::counted_serial::forks();
}

// Catches: an algorithm whose forks are not counted, or twice.
TEST(counted_serial, counts_what_algorithms_fork) {
  using P = sennit::counted_serial;
  std::vector<int> x(100, 1);
  const auto nothing = [](auto, auto) {};
  EXPECT_EQ(forks_of([&] { P::parallel_scan(x, x); }), 1U);
  EXPECT_EQ(forks_of([&] { P::parallel_exclusive_scan(x, x, 0); }), 1U);
  EXPECT_EQ(forks_of([&] { P::parallel_transform(x, x, std::negate<>()); }), 1U);
  EXPECT_EQ(forks_of([&] { P::parallel_copy(x, std::vector<int>(100)); }), 1U);
  EXPECT_EQ(forks_of([&] { P::parallel_fill(x, 0); }), 1U);
  EXPECT_EQ(forks_of([&] { P::parallel_for_nest({64, 64}, nothing); }), 1U);
  // 16 tiles: a loop over them and one in each; or 15 joins, and a loop in each.
  EXPECT_EQ(forks_of([&] { P::parallel_for_nest({64, 64}, nothing, sennit::tiled(16)); }), 17U);
  EXPECT_EQ(forks_of([&] { P::parallel_for_nest({64, 64}, nothing, sennit::morton(16)); }), 31U);
  // A loop looks whether elements are in order; each of 16 blocks of these 512 is sorted at once.
  std::vector<int> larger(512);
  larger[0] = 1;
  EXPECT_EQ(forks_of([&] { P::parallel_sort(larger, [](int a, int b) { return a < b; }); }), 16U);
  EXPECT_EQ(forks_of([&] { P::parallel_sort(larger); }), 0U);
}

}  // namespace
}  // namespace sennit_test
