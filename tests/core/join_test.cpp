// SPDX-License-Identifier: Apache-2.0
// join: what it returns, and how long branches and results live.
#include "support.hpp"

#include <array>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace sennit_test {
namespace {

// Each test runs with branches that stay, on one worker, and with branches that may be
// stolen; `forced` makes sure.
template <class Test>
void staying_and_stolen(Test&& test) {
  under(all_settings(), [&](sennit::runtime& rt) {
    rt.run([&] { test([](auto&& f, auto&& g) { return sennit::join(f, g); }); });
    if (rt.workers() > 1) rt.run([&] { test([](auto&& f, auto&& g) { return join_stolen(f, g); }); });
  });
  // The calling thread begins outside any runtime: the construct starts a region of the default one.
  test([](auto&& f, auto&& g) { return sennit::join(f, g); });
}

// Catches a reference that became a copy, or refers to the frame.
TEST(join, returns_references_to_what_the_branches_refer_to) {
  staying_and_stolen([](auto join) {
    int left = 1;
    const int right = 2;
    auto result = join([&]() -> int& { return left; }, [&]() -> const int& { return right; });
    static_assert(std::is_same_v<decltype(result), std::tuple<int&, const int&>>);
    EXPECT_EQ(&std::get<0>(result), &left);
    EXPECT_EQ(&std::get<1>(result), &right);
  });
}

// Catches a result that is copied, leaked or destroyed twice on its way through a frame.
TEST(join, hands_over_move_only_results) {
  staying_and_stolen([](auto join) {
    {
      auto [left, right] = join([] { return tracked(1); }, [] { return std::make_unique<tracked>(2); });
      EXPECT_EQ(left.value(), 1U);
      EXPECT_EQ(right->value(), 2U);
      EXPECT_EQ(tracked::live(), 2);
    }
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches results that change places where some branches return nothing.
TEST(join, gives_void_branches_a_monostate) {
  staying_and_stolen([](auto join) {
    auto first = join([] {}, [] { return 2; });
    static_assert(std::is_same_v<decltype(first), std::tuple<std::monostate, int>>);
    EXPECT_EQ(std::get<1>(first), 2);
    auto second = join([] { return 1; }, [] {});
    static_assert(std::is_same_v<decltype(second), std::tuple<int, std::monostate>>);
    EXPECT_EQ(std::get<0>(second), 1);
    static_assert(std::is_void_v<decltype(join([] {}, [] {}))>);
  });
}

// Catches a tuple that is flattened, reversed, or shortened: n branches,
// results in their order, of their types.
TEST(join, returns_the_results_of_many_branches_in_order) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      for (int i = 0; i < scaled(200); ++i) {
        int referred = 4;
        auto result =
            sennit::join([] { return 0; }, [] { return std::tuple<int>(1); }, [] {},
                         [] { return std::make_unique<int>(3); }, [&]() -> int& { return referred; },
                         [] { return std::tuple<>(); }, [] { return 'g'; });
        static_assert(
            std::is_same_v<decltype(result), std::tuple<int, std::tuple<int>, std::monostate,
                                                        std::unique_ptr<int>, int&, std::tuple<>, char>>);
        EXPECT_EQ(std::get<0>(result), 0);
        EXPECT_EQ(std::get<0>(std::get<1>(result)), 1);
        EXPECT_EQ(*std::get<3>(result), 3);
        EXPECT_EQ(&std::get<4>(result), &referred);
        EXPECT_EQ(std::get<6>(result), 'g');
      }
      std::array<int, 3> ran{};
      static_assert(std::is_void_v<decltype(sennit::join([] {}, [] {}, [] {}))>);
      sennit::join([&] { ++ran[0]; }, [&] { ++ran[1]; }, [&] { ++ran[2]; });
      EXPECT_THAT(ran, testing::Each(1));
    });
  });
}

// Counts its calls, and can be neither copied nor moved.
struct pinned {
  int calls = 0;
  pinned() = default;
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;
  int operator()() & { return ++calls; }
};

// Catches a closure that is copied although the caller keeps it: what it changes would be lost.
TEST(join, calls_the_callers_own_object) {
  staying_and_stolen([](auto join) {
    pinned left;
    pinned right;
    join(left, right);
    EXPECT_EQ(left.calls, 1);
    EXPECT_EQ(right.calls, 1);
  });
}

// Catches a closure that was passed as an rvalue and is called as an lvalue,
// moved from before its call, or not ended.
TEST(join, moves_closures_and_ends_them) {
  struct once {
    tracked held;
    std::unique_ptr<int> value;
    int operator()() && { return *std::exchange(value, nullptr); }
  };
  const auto four = [] {
    return std::get<0>(sennit::join(once{tracked(), std::make_unique<int>(4)},
                                    once{tracked(), std::make_unique<int>(5)},
                                    once{tracked(), std::make_unique<int>(6)}));
  };
  EXPECT_EQ(four(), 4);
  EXPECT_EQ(tracked::live(), 0);
  under(all_settings(), [&](sennit::runtime& rt) {
    for (int i = 0; i < scaled(200); ++i) EXPECT_EQ(rt.run(four), 4);
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches a closure that lives on after the join, or a result that ends before it:
// they are the caller's temporaries.
TEST(join, ends_a_thrown_branchs_neighbors) {
  staying_and_stolen([](auto join) {
    for (const int throwing : {0, 1, 2}) {
      EXPECT_THROW(join(
                       [&, held = tracked()] {
                         if (throwing != 1) throw failure{0};
                         return tracked(held.value());
                       },
                       [&, held = tracked()] {
                         if (throwing != 0) throw failure{1};
                         return tracked(held.value());
                       }),
                   failure);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

int one() { return 1; }

// Catches callables that are no objects.
TEST(join, takes_functions_and_pointers_to_them) {
  EXPECT_EQ(sennit::join(one, &one), std::tuple(1, 1));
  EXPECT_EQ(sennit::join(one, &one, one), std::tuple(1, 1, 1));
}

// Catches a deque that ends, and takes the program with it, where a spine of joins is deeper than it is long.
TEST(join, nests_deeper_than_the_deque_is_long) {
  struct spine {
    static std::uint64_t of(int depth) {
      if (depth == 0) return 0;
      auto [below, here] = sennit::join([=] { return of(depth - 1); }, [] { return std::uint64_t{1}; });
      return below + here;
    }
  };
  under(settings({1, 3}), [](sennit::runtime& rt) {
    constexpr int depth = 4000;
    EXPECT_EQ(rt.run([] { return spine::of(depth); }), static_cast<std::uint64_t>(depth));
  });
}

// Catches a join of one branch that is something else than a join: it takes no exception, no cancellation, or
// no result through.
TEST(join, takes_one_branch) {
  under(all_settings(), [](sennit::runtime& rt) {
    rt.run([] {
      auto [one] = sennit::join([] { return std::make_unique<int>(1); });
      EXPECT_EQ(*one, 1);
      int x = 2;
      static_assert(std::is_same_v<decltype(sennit::join([&]() -> int& { return x; })), std::tuple<int&>>);
      static_assert(std::is_void_v<decltype(sennit::join([] {}))>);
      EXPECT_THROW(sennit::join([] { throw 3; }), int);
      sennit::region cancelled;
      EXPECT_FALSE(cancelled.run([&] {
        cancelled.cancel();
        sennit::join([] {});
      }));
    });
  });
}

// Catches branches of a range that are left out, run twice or in another order, and an exception that is not
// the leftmost.
TEST(join, takes_a_range_of_branches) {
  const auto test = [](auto join) {
    for (const int n : {0, 1, 2, 7, 100}) {
      std::vector<std::function<int()>> squares;
      std::vector<std::function<bool()>> bits;
      std::vector<std::function<void()>> throwing;
      for (int i = 0; i < n; ++i) {
        squares.emplace_back([i] { return i * i; });
        bits.emplace_back([i] { return i % 3 == 0; });
        throwing.emplace_back([i] {
          if (i >= 5) throw i;
        });
      }
      const std::vector<int> results = join(squares);
      const std::vector<bool> flags = join(bits);
      ASSERT_EQ(results.size(), squares.size());
      ASSERT_EQ(flags.size(), bits.size());
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(results[static_cast<std::size_t>(i)], i * i);
        EXPECT_EQ(flags[static_cast<std::size_t>(i)], i % 3 == 0);
      }
      int thrown = 0;
      try {
        join(throwing);
      } catch (int i) {
        thrown = i;
      }
      EXPECT_EQ(thrown, n > 5 ? 5 : 0);
    }
    int first = 1;
    const std::array references{std::function<int&()>([&first]() -> int& { return first; })};
    EXPECT_EQ(&join(references).front().get(), &first);
  };
  under(all_settings(), [&](sennit::runtime& rt) {
    rt.run([&] { test([](auto& branches) { return sennit::join(branches); }); });
  });
  test([](auto& branches) { return sennit::serial::join(branches); });
}

}  // namespace
// The same for what may be moved from: a move inside the library would leave the owner with nothing.
TEST(join, moves_nothing_behind_an_rvalue_reference) {
  staying_and_stolen([](auto join) {
    auto left = std::make_unique<int>(1);
    auto right = std::make_unique<int>(2);
    auto result = join([&]() -> std::unique_ptr<int>&& { return std::move(left); },
                       [&]() -> std::unique_ptr<int>&& { return std::move(right); });
    static_assert(
        std::is_same_v<decltype(result), std::tuple<std::unique_ptr<int>&&, std::unique_ptr<int>&&>>);
    EXPECT_NE(left, nullptr);
    EXPECT_NE(right, nullptr);
  });
}

struct only_once {
  int* calls;
  void operator()() && { ++*calls; }
};

// Catches a branch passed as an rvalue that is called as another, where its frame is gone before it is called.
TEST(join, the_last_branch_is_called_as_it_was_passed) {
  int left = 0;
  int right = 0;
  sennit::join(only_once{&left}, only_once{&right});
  EXPECT_EQ(left, 1);
  EXPECT_EQ(right, 1);
}

}  // namespace sennit_test
