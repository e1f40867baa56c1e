// SPDX-License-Identifier: Apache-2.0
// Latent constructs under each execution policy: the same calls, the same results, and beats that change nothing.
#include "tests/rollforward/beats.hpp"

#include <sennit/join.hpp>
#include <sennit/serial.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#define NOINLINE [[gnu::noinline]]

namespace {

using test::beat;
using testing::ElementsAre;

template <class P>
class latent_policies : public test::beating {
 protected:
  template <class F>
  static void on_strand(F&& f) {
    sennit::join(
        [&] {
          test::let_beats_through();
          f();
        },
        [] {});
  }
};
using policies = testing::Types<sennit::parallel, sennit::serial, sennit::counted_serial>;
TYPED_TEST_SUITE(latent_policies, policies);

template <class P>
NOINLINE long fib(long n) {
  if (n % 5 == 0) beat();
  if (n < 2) return n;
  const auto [a, b] = P::latent_join([=] { return fib<P>(n - 1); }, [=] { return fib<P>(n - 2); });
  return a + b;
}

template <class P>
NOINLINE void count(long n, std::atomic<long>* calls) {
  ++*calls;
  if (n % 3 == 0) beat();
  if (n == 0) return;
  P::latent_join([=] { count<P>(n - 1, calls); }, [=] { count<P>(n - 1, calls); });
}

// Catches a call that a policy makes twice or not at all, and a result of another form.
TYPED_TEST(latent_policies, join) {
  this->on_strand([] {
    EXPECT_EQ(fib<TypeParam>(16), 987);
    std::atomic<long> calls{0};
    count<TypeParam>(9, &calls);
    EXPECT_EQ(calls, 1023);
    const std::tuple<std::monostate, int> both = TypeParam::latent_join([] {}, [] { return 3; });
    EXPECT_EQ(std::get<1>(both), 3);
    static_assert(std::is_void_v<decltype(TypeParam::latent_join([] {}, [] {}))>);
  });
}

// Catches a policy that has not all forms of a loop, or that calls a body for other elements.
TYPED_TEST(latent_policies, loops) {
  this->on_strand([] {
    std::vector<std::atomic<int>> runs(100);
    TypeParam::latent_for(100, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
    TypeParam::latent_for(10L, 60L, [&](long i) {
      if (i % 7 == 0) beat();
      ++runs[static_cast<std::size_t>(i)];
    });
    TypeParam::latent_for(runs, [](std::atomic<int>& each) { ++each; });
    TypeParam::latent_for(runs.begin(), runs.end(), [](std::atomic<int>& each) { ++each; });
    for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i], i >= 10 && i < 60 ? 4 : 3) << i;
    TypeParam::latent_for(0, [](int) { ADD_FAILURE(); });
    EXPECT_EQ(TypeParam::latent_reduce(5, 5, 42, [](int i) { return i; }), 42);
  });
}

// Catches values that are combined out of order, or without the first one.
TYPED_TEST(latent_policies, reductions_are_in_order) {
  this->on_strand([] {
    std::string expected = ">";
    for (int i = 0; i < 500; ++i) expected += static_cast<char>('a' + i % 26);
    const auto letter = [](int i) {
      if (i % 60 == 0) beat();
      return std::string(1, static_cast<char>('a' + i % 26));
    };
    EXPECT_EQ(TypeParam::latent_reduce(0, 500, std::string(">"), letter), expected);
    EXPECT_EQ(
        TypeParam::latent_reduce(0, 500, std::string(">"), [=](int i, sennit::latent&) { return letter(i); }),
        expected);
  });
}

// Catches a loop inside of a loop that does not compile under each policy, and a rest that says something else.
TYPED_TEST(latent_policies, nests) {
  this->on_strand([] {
    std::atomic<long> sum{0};
    TypeParam::latent_for(20, [&](int i, sennit::latent& rest) {
      EXPECT_LE(rest.last(), 20U);
      EXPECT_TRUE(i < 19 || rest.empty());
      TypeParam::latent_for(
          i,
          [&](int j) {
            if (j % 4 == 0) beat();
            sum += j;
          },
          rest);
      sum += TypeParam::latent_reduce(0, i, 0L, [](int) { return 1L; }, std::plus<>(), rest);
    });
    EXPECT_EQ(sum, 20 * 19 * 18 / 6 + 190);
  });
}

TYPED_TEST(latent_policies, the_lowest_exception_is_thrown) {
  this->on_strand([] {
    try {
      TypeParam::latent_for(100, [](int i) {
        if (i % 8 == 0) beat();
        if (i >= 30) throw i;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const int thrown) {
      EXPECT_EQ(thrown, 30);
    }
    EXPECT_THROW(TypeParam::latent_join([] {}, [] { throw std::runtime_error("second"); }),
                 std::runtime_error);
  });
}

// Catches an elision that is not the plain program: in another order, or with a part that somebody else may have.
TEST(latent_serial, goes_from_first_to_last_whatever_comes) {
  std::vector<int> seen;
  sennit::serial::latent_join([&] { seen.push_back(1); }, [&] { seen.push_back(2); });
  sennit::serial::latent_for(3, 5, [&](int i) { seen.push_back(i); });
  sennit::serial::latent_for(5, 8, [&](int i, sennit::latent& rest) {
    EXPECT_FALSE(rest.promote());
    EXPECT_EQ(rest.last(), 3U);
    EXPECT_EQ(rest.empty(), i == 7);
    seen.push_back(i);
  });
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

TEST(latent_counted_serial, counts_a_construct_as_one_fork) {
  using sennit::counted_serial;
  counted_serial::reset();
  counted_serial::latent_join([] {}, [] {});
  counted_serial::latent_for(10, [](int) { counted_serial::latent_join([] {}, [] {}); });
  counted_serial::latent_reduce(0, 10, 0, [](int i) { return i; });
  EXPECT_EQ(counted_serial::forks(), 13U);
}

}  // namespace
