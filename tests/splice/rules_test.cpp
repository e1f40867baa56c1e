// SPDX-License-Identifier: Apache-2.0
// What becomes of programs at the edges of the rules: sizes that say nothing, declarations that end too soon, regions that are
// cancelled where nobody forks.
#include "support.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sennit_test {
namespace {

using sennit::call_effects;
using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::writes;

auto ones(std::vector<int>& to, std::int64_t block) {
  return divided{range{0, static_cast<std::int64_t>(to.size())}, block,
                 [&to](range r) { return effects(writes(memory_range(to.data(), r))); },
                 [&to](range r) {
                   for (auto i = r.first; i < r.last; ++i) ++to[static_cast<std::size_t>(i)];
                 }};
}

// Catches a tree that is halved for ever as nobody has given it a block.
TEST(rules, trees_in_sequences_get_a_block) {
  std::vector<int> a(1000), b(1000), c(1000);
  ones(a, 0)();
  sennit::splice(2, [&](int) {
    const call_effects fx{writes(memory_range(b.data(), 1000)), writes(memory_range(c.data(), 1000))};
    sennit::sequence(ones(b, 0), ones(c, -1));
  });
  EXPECT_EQ(a, std::vector<int>(1000, 1));
  EXPECT_EQ(b, std::vector<int>(1000, 2));
  EXPECT_EQ(c, std::vector<int>(1000, 2));
}

// Catches a step without effects of its own that has fewer than its call: another call would come too early.
TEST(rules, steps_without_effects_have_those_of_their_call) {
  std::vector<int> a(64), order;
  sennit::runtime one({.workers = 1});
  one.run([&] {
    sennit::splice(3, [&](int t) {
      const call_effects fx{writes(memory_range(a.data(), 64))};
      sennit::step([&] { order.push_back(t); });
    });
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  sennit::step([&] { order.clear(); });  // outside a splice it is a plain call
  EXPECT_TRUE(order.empty());
}

// Catches a step without effects in a call that has declared none, taken for one that touches nothing.
TEST(rules, steps_without_effects_need_a_declaration) {
  EXPECT_THROW(sennit::splice(2, [](int) { sennit::step([] {}); }), std::logic_error);
}

// Catches steps with their own list of the call's effects, which made the splicer compare each of them with more calls
// than steps that name the call_effects.
TEST(rules, equal_effects_are_as_good_as_those_of_the_call) {
  std::vector<int> a(1 << 12), b(1 << 12);
  struct halving {
    std::vector<int>& to;
    int form;
    void operator()(range r) const {
      const call_effects fx{writes(memory_range(to.data(), r))};
      if (r.size() > 64) {
        sennit::sequence(sennit::call(*this, r.left()), sennit::call(*this, r.right()));
      } else if (form == 0) {
        sennit::step(fx, [&] { ++to[static_cast<std::size_t>(r.first)]; });
      } else if (form == 1) {
        sennit::step([&] { ++to[static_cast<std::size_t>(r.first)]; });
      } else {
        sennit::step(effects(writes(memory_range(to.data(), r))),
                     [&] { ++to[static_cast<std::size_t>(r.first)]; });
      }
    }
  };
  sennit::runtime one({.workers = 1});
  const auto checks = [&](int form) {
    return one.run([&] { return sennit::splice(16, [&](int) { halving{a, form}({0, 1 << 12}); }).checks; });
  };
  const std::uint64_t expected = checks(0);
  EXPECT_EQ(checks(1), expected);
  EXPECT_EQ(checks(2), expected);
}

void add(std::vector<int>& to, int first, int last, int& calls) {
  const call_effects fx{writes(memory_range(to.data(), range{first, last}))};
  ++calls;
  sennit::step([&] {
    for (int i = first; i < last; ++i) to[static_cast<std::size_t>(i)] += 1;
  });
}

// Catches calls of a loop that refer to its counter, and a variable that is to be changed but was copied.
TEST(rules, calls_copy_small_values_that_functions_take_as_constants) {
  std::vector<int> a(100);
  int calls = 0;
  sennit::splice(2, [&](int) {
    const call_effects fx{writes(memory_range(a.data(), 100))};
    sennit::sequence_of(10, [&](std::size_t n) {
      int first = static_cast<int>(n) * 10;  // gone before the call runs
      int last = first + 10;
      return sennit::call(
          [&calls](std::vector<int>& to, int from, int until) { add(to, from, until, calls); }, a, first,
          last);
    });
  });
  EXPECT_EQ(a, std::vector<int>(100, 2));
  EXPECT_EQ(calls, 20);
  // Small, but not to be copied: a reference to it is meant, also if f does not change it.
  const std::atomic<int> once{1};
  const auto add_some = [&calls](std::vector<int>& to, const std::atomic<int>& some) {
    add(to, 0, some.load(), calls);
  };
  sennit::splice(1, [&](int) {
    const call_effects fx{writes(memory_range(a.data(), 100))};
    sennit::sequence(sennit::call(add_some, a, once));
  });
  EXPECT_EQ(a[0], 3);
  int counted = 0;
  sennit::splice(2, [&](int) {
    const call_effects fx{writes(memory_range(a.data(), 100))};
    sennit::sequence(sennit::call(add, a, 0, 100, counted));
  });
  EXPECT_EQ(counted, 2);
}

// Catches a splice in the middle of a call that the splicer has under way, whose stack it would not give back.
TEST(rules, splices_in_calls_are_refused_whatever_their_kind) {
  std::vector<int> a(8);
  const auto in_a_call = [&](auto&& inner) {
    sennit::splice(1, [&](int) {
      const call_effects fx{writes(memory_range(a.data(), 8))};
      inner();
      sennit::step(fx, [] {});
    });
  };
  EXPECT_THROW(in_a_call([&] { sennit::splice(2, [&](int) { return ones(a, 4); }); }), std::logic_error);
  EXPECT_THROW(in_a_call([&] {
                 sennit::memoized_splice memoized([&](int) { return ones(a, 4); });
                 memoized.run(2);
               }),
               std::logic_error);
  EXPECT_EQ(a, std::vector<int>(8));
}

// Catches effects of a second call that are taken for part of the first, as long as both are small.
TEST(rules, a_body_declares_once) {
  std::array<int, 2> a{};
  const auto leaf = [&](std::size_t i) {
    const call_effects fx{writes(memory_range(&a[i], 1))};
    sennit::step(fx, [&] { ++a[i]; });
  };
  EXPECT_THROW(sennit::splice(3,
                              [&](int) {
                                leaf(0);
                                leaf(1);
                              }),
               std::logic_error);
}

// Catches an order that cannot be saved as the next run is going to look for a better one.
TEST(rules, orders_of_chosen_blocks_can_be_saved) {
  std::vector<int> a(10'000);
  sennit::memoized_splice both([&](int) { return ones(a, 0); });
  for (int i = 0; i < 3; ++i) {
    both.run(2);
    EXPECT_NO_THROW((void)both.schedule());
  }
  EXPECT_EQ(a, std::vector<int>(10'000, 6));
}

// Catches steps of the first run's parts in a later one.
TEST(rules, an_order_is_of_the_parts_it_was_found_for) {
  std::vector<int> a(100);
  std::int64_t first = 0;
  sennit::memoized_splice one([&](int) {
    return divided{range{first, first + 50}, 10, [](range) { return effects::everything(); },
                   [&a](range r) {
                     for (auto i = r.first; i < r.last; ++i) ++a[static_cast<std::size_t>(i)];
                   }};
  });
  one.run(1);
  first = 50;
  one.run(1);
  EXPECT_EQ(a, std::vector<int>(100, 1));
}

// Catches a splice that goes on for want of a fork.
TEST(rules, a_cancelled_region_ends_without_forks) {
  std::vector<int> a(1000);
  sennit::runtime one({.workers = 1});
  std::uint64_t steps = 0;
  one.run([&] {
    sennit::region r;
    const bool completed = r.run([&] {
      sennit::splice(4, [&](int) {
        return divided{range{0, 1000}, 1, [&](range p) { return effects(writes(memory_range(a.data(), p))); },
                       [&](range) {
                         ++steps;
                         r.cancel();
                       }};
      });
    });
    EXPECT_FALSE(completed);
  });
  EXPECT_LT(steps, 100U);
}

// Catches a count that nobody counts.
TEST(rules, functions_switch_stacks) {
  std::vector<int> a(10);
  const auto report = sennit::splice(2, [&](int) {
    const call_effects fx{writes(memory_range(a.data(), 10))};
    sennit::step(fx, [&] { ++a[0]; });
  });
  EXPECT_EQ(report.switches, 8U);
}

// Catches slices of nothing, which never end.
TEST(rules, slices_are_not_empty) {
  const auto [first, rest] = slice(sennit::sliced_range{{0, 10}, 0});
  EXPECT_EQ(first.size(), 1);
  EXPECT_EQ(rest.size(), 9);
}

// Catches nodes so deep that their paths overlap others'.
TEST(rules, deep_subtrees_interfere_when_in_doubt) {
  const int tree = 0;
  sennit::subtree left = sennit::subtree(&tree).left();
  sennit::subtree right = sennit::subtree(&tree).right();
  for (int i = 0; i < 70; ++i) {
    left = left.right();
    right = right.right();
  }
  EXPECT_FALSE(interferes(left, right));
  EXPECT_TRUE(interferes(left.left(), left.right()));
}

}  // namespace
}  // namespace sennit_test
