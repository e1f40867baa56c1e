// SPDX-License-Identifier: Apache-2.0
// What the checked variant of the library finds in the arguments of algorithms. Compiled with SENNIT_CHECKED=1.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

static_assert(SENNIT_CHECKED == 1);

namespace sennit_test {
namespace {

std::vector<long> numbers(std::size_t n) {
  std::vector<long> all(n);
  std::iota(all.begin(), all.end(), 1L);
  return all;
}

// Catches folds over elements of the result's type, which no type tells from an operation.
TEST(checked, finds_operations_that_do_not_associate) {
  const std::vector<long> x = numbers(100);
  const std::vector<long> threes(3, 3);
  const std::vector<double> halves(50, 0.5);
  const std::vector<std::string> words{"a", "b", "c"};
  const char* const message =
      "checked_test.cpp:[0-9]+: parallel_reduce: the operation is not associative.*parallel_fold";
  EXPECT_DEATH(sennit::parallel_reduce(x, 0L, [](long s, long e) { return s + e * e; }), message);
  EXPECT_DEATH(sennit::parallel_reduce(threes, 0L, [](long s, long e) { return s + e * e; }), message);
  EXPECT_DEATH(sennit::parallel_reduce(x, 0L, [](long n, long e) { return n + (e > 1); }), message);
  EXPECT_DEATH(sennit::parallel_reduce(0L, 10L, 7L, [](long hash, long e) { return hash * 31 + e; }),
               message);
  EXPECT_DEATH(sennit::parallel_reduce(halves, 0.0, [](double s, double e) { return s + e * e; }), message);
  EXPECT_DEATH(
      sennit::parallel_reduce(words, std::string(),
                              [](const std::string& a, const std::string& b) { return "(" + a + b; }),
      message);
  std::vector<long> sums(x.size());
  EXPECT_DEATH(sennit::parallel_scan(x, sums, [](long s, long e) { return s + e * e; }),
               "checked_test.cpp:[0-9]+: parallel_scan: the operation is not associative");
}

// Catches an operation that does associate and is refused: because it rounds, overflows or throws, or may not be
// compared exactly.
TEST(checked, lets_operations_be) {
  const std::vector<long> x = numbers(100);
  EXPECT_EQ(sennit::parallel_reduce(x, 0L, [](long a, long b) { return a + b; }), 5050);
  EXPECT_EQ(sennit::parallel_reduce(x, 0L, [](long a, long b) { return std::max(a, b); }), 100);
  std::vector<double> mixed{1e16, 1.0, -1e16, 1e-3, 0.1, 3e15, -7.0};
  sennit::parallel_reduce(mixed, 0.0, [](double a, double b) { return a + b; });
  const std::vector<double> huge(10, 1e200);
  sennit::parallel_reduce(huge, 1.0, [](double a, double b) { return a * b; });
  const std::vector<std::complex<double>> rotations(100, {0.6, 0.8});
  sennit::parallel_reduce(rotations, std::complex<double>(1), [](auto a, auto b) { return a * b; });
  const std::vector<affine> functions = affine_functions(1000);
  EXPECT_EQ(sennit::parallel_reduce(functions, affine{}, composed),
            std::accumulate(functions.begin(), functions.end(), affine{}, composed));
  EXPECT_THROW(sennit::parallel_reduce(x, 0L,
                                       [](long a, long b) -> long {
                                         if (b == 3) throw failure{3};
                                         return a + b;
                                       }),
               failure);
  std::vector<std::string> words{"a", "b", "c", "d"};
  EXPECT_EQ(
      sennit::parallel_reduce(words, std::string(), [](std::string& a, const std::string& b) { a += b; }),
      "abcd");
}

// Catches a fold that the combination does not fit.
TEST(checked, finds_folds_that_disagree_with_their_combinations) {
  const std::vector<int> x(100, 3);
  EXPECT_DEATH(sennit::parallel_fold(
                   x, 7L, [](long hash, int e) { return hash * 31 + e; }, std::plus<>()),
               "checked_test.cpp:[0-9]+: parallel_fold: the fold and the combination do not agree");
  EXPECT_EQ(sennit::parallel_fold(x, 7L, [](long s, int e) { return s + e * e; }, std::plus<>()), 907);
}

// Catches elements that are written before they are read. The same range, and ranges that only touch, are fine.
TEST(checked, finds_destinations_that_overlap_the_input) {
  std::vector<int> x(100, 1);
  const std::span<int> all(x);
  const auto copy = [](int v) { return v; };
  const char* const message = "checked_test.cpp:[0-9]+: parallel_[a-z]+: the destination overlaps the input";
  EXPECT_DEATH(sennit::parallel_copy(all.first(99), all.subspan(1)), message);
  EXPECT_DEATH(sennit::parallel_copy(x.begin() + 1, x.end(), x.begin()), message);
  EXPECT_DEATH(sennit::parallel_copy(x | std::views::reverse, x), message);
  EXPECT_DEATH(sennit::parallel_copy(all.first(99) | std::views::transform(copy), all.subspan(1)), message);
  EXPECT_DEATH(sennit::parallel_transform(all.first(50), x.begin() + 25, copy), message);
  EXPECT_DEATH(sennit::parallel_transform(std::vector<int>(50), all.first(50), x.begin() + 25, std::plus<>()),
               message);
  EXPECT_DEATH(sennit::parallel_scan(all.first(50), x.begin() + 25), message);
  sennit::parallel_copy(x, x);
  sennit::parallel_copy(all.first(50), all.subspan(50));
  sennit::parallel_transform(x, x, copy);
  sennit::parallel_transform(x, x, x, std::plus<>());
  sennit::parallel_scan(x, x);
  EXPECT_EQ(x.back(), 200);
}

}  // namespace
}  // namespace sennit_test
