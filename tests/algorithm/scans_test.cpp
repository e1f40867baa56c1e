// SPDX-License-Identifier: Apache-2.0
// Inner products, and scans with a transformation, a fold or segments, against their serial namesakes.
#include "../loops/support.hpp"

#include <sennit/algorithm/scans.hpp>
#include <sennit/algorithm/transform_reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

std::vector<std::uint64_t> numbers(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<std::uint64_t> result(n);
  for (std::uint64_t& e : result) e = random();
  return result;
}

// Catches pairs that are left out or put together wrongly, and values that are combined out of order.
TEST(scans, inner_products) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<std::uint64_t> x = numbers(n);
      const std::vector<std::uint64_t> y = numbers(n + 3);
      const std::uint64_t expected = std::inner_product(x.begin(), x.end(), y.begin(), std::uint64_t{5});
      EXPECT_EQ(
          sennit::parallel_transform_reduce(x, y, std::uint64_t{5}, std::plus<>(), std::multiplies<>(), how),
          expected);
      EXPECT_EQ(sennit::parallel_transform_reduce(y, x, std::uint64_t{5}), expected);
      EXPECT_EQ(sennit::parallel_transform_reduce(x.begin(), n, y.begin(), std::uint64_t{5}), expected);
      const auto function_of = [](std::uint64_t a, std::uint64_t b) { return affine{a, b}; };
      affine all;
      for (std::size_t i = 0; i < n; ++i) all = composed(all, function_of(x[i], y[i]));
      EXPECT_EQ(sennit::parallel_transform_reduce(x, y, affine(), composed, function_of, how), all);
      EXPECT_EQ(
          sennit::parallel_transform_reduce(x, y, affine(), composed, function_of, sennit::deterministic),
          all);
    }
  });
}

// Catches numbers at the end of a group that are left out, and a result that depends on workers though it may not.
TEST(scans, sums_of_products_in_groups) {
  std::vector<double> sums;
  with_options([&](const sennit::loop_options& how) {
    for (std::size_t n = 0; n < 300; n += 1 + n / 7) {
      std::vector<double> x(n);
      std::iota(x.begin(), x.end(), 1.0);
      const double expected = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
      ASSERT_EQ(sennit::parallel_transform_reduce(x, x, 0.0, std::plus<>(), std::multiplies<>(), how),
                expected);
    }
    std::vector<double> x(10'000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
    sums.push_back(sennit::parallel_transform_reduce(x, x, 0.0, std::plus<>(), std::multiplies<>(),
                                                     sennit::deterministic));
    ASSERT_EQ(sums.back(), sums.front());
    ASSERT_EQ(sums.back(), sennit::serial::parallel_transform_reduce(
                               x, x, 0.0, std::plus<>(), std::multiplies<>(), sennit::deterministic));
  });
}

// Catches prefixes that lack an element, count the first value twice, or are those of a neighbor.
TEST(scans, are_the_serial_ones) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      const std::vector<std::uint64_t> in = numbers(n);
      const auto function_of = [](std::uint64_t a) { return affine{a, a / 3}; };
      std::vector<affine> expected(n);
      std::vector<affine> out(n);

      std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), composed, function_of);
      sennit::parallel_transform_scan(in, out, composed, function_of, how);
      EXPECT_EQ(out, expected) << n;
      std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), composed, function_of,
                                    affine{3, 4});
      sennit::parallel_transform_scan(in, out, composed, function_of, affine{3, 4}, how);
      EXPECT_EQ(out, expected) << n;
      std::transform_exclusive_scan(in.begin(), in.end(), expected.begin(), affine{3, 4}, composed,
                                    function_of);
      const affine total =
          sennit::parallel_transform_exclusive_scan(in, out, affine{3, 4}, composed, function_of, how);
      EXPECT_EQ(out, expected) << n;
      EXPECT_EQ(total, n == 0 ? (affine{3, 4}) : composed(expected.back(), function_of(in.back())));

      affine sum;
      const auto fold = [&](affine left, std::uint64_t a) { return composed(left, function_of(a)); };
      for (std::size_t i = 0; i < n; ++i) expected[i] = sum = fold(sum, in[i]);
      sennit::parallel_fold_scan(in, out, affine(), fold, composed, how);
      EXPECT_EQ(out, expected) << n;
    }
  });
}

// Catches a segment that goes on behind its end, or begins anew at the bound of a block.
TEST(scans, begin_anew_with_each_segment) {
  with_options([](const sennit::loop_options& how) {
    for (const std::size_t n : sizes()) {
      for (const std::size_t length : {1, 7, 3000}) {
        const std::vector<affine> in = affine_functions(n);
        std::vector<bool> begins(n + 1);
        for (std::size_t i = length / 2; i < n; i += 1 + (i * 31 + length) % (2 * length)) begins[i] = true;
        std::vector<affine> expected = in;
        for (std::size_t i = 1; i < n; ++i) {
          if (!begins[i]) expected[i] = composed(expected[i - 1], in[i]);
        }
        std::vector<affine> out = in;
        sennit::parallel_segmented_scan(out, begins, out, composed, how);
        ASSERT_EQ(out, expected) << n << ' ' << length;
      }
    }
  });
}

// Catches an exception that is lost, or hides that of an earlier element; and too few flags that are read all the same.
TEST(scans, throw_what_a_serial_scan_throws) {
  with_options([](const sennit::loop_options& how) {
    std::vector<std::uint64_t> x(2000);
    std::iota(x.begin(), x.end(), 0U);
    for (const std::uint64_t lowest : {0, 44, 1999}) {
      const auto fail = [&](std::uint64_t i) { return i >= lowest ? throw failure{i} : i; };
      std::vector<std::uint64_t> out(2000);
      try {
        sennit::parallel_transform_scan(x, out, std::plus<>(), fail, how);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const failure& thrown) {
        EXPECT_EQ(thrown.position, lowest);
      }
    }
    EXPECT_THROW(sennit::parallel_segmented_scan(x, std::vector<char>(10), x), std::invalid_argument);
  });
}

// Catches a form that a policy has not, or counts otherwise than a loop.
TEST(scans, are_members_of_policies) {
  const std::vector<int> x{1, 2, 3};
  const std::vector<char> begins{0, 0, 1};
  std::vector<int> out(3);
  const auto with = [&]<class P>(P) {
    EXPECT_EQ(P::parallel_transform_reduce(x, x, 0), 14);
    P::parallel_segmented_scan(x, begins, out);
    EXPECT_EQ(out, (std::vector<int>{1, 3, 3}));
    EXPECT_EQ(P::parallel_transform_exclusive_scan(x, out, 0, std::plus<>(), std::negate<>()), -6);
  };
  with(sennit::parallel());
  with(sennit::serial());
  sennit::counted_serial::reset();
  with(sennit::counted_serial());
  EXPECT_EQ(sennit::counted_serial::forks(), 3U);
}

}  // namespace
}  // namespace sennit_test
