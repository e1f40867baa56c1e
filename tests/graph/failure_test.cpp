// SPDX-License-Identifier: Apache-2.0
// Graphs that cannot be computed: cycles, and functions that throw.
#include "support.hpp"

#include <algorithm>
#include <new>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }

// The keys that cycle_error lists, having looked whether they are a cycle.
template <class Predecessors, class Keys>
std::vector<int> cycle_in(int sink, const Predecessors& before, const Keys& keys) {
  try {
    graph::run(sink, graph::nodes{.predecessors = before, .compute = [](int) {}, .keys = keys});
  } catch (const graph::cycle_error<int>& e) {
    for (std::size_t i = 0; i < e.keys().size(); ++i) {
      const std::vector<int> needs = before(e.keys()[i]);
      EXPECT_THAT(needs, testing::Contains(e.keys()[(i + 1) % e.keys().size()]));
    }
    EXPECT_THAT(std::string(e.what()), HasSubstr(std::to_string(e.keys().front())));
    std::vector<int> found = e.keys();
    std::sort(found.begin(), found.end());
    return found;
  }
  ADD_FAILURE() << "no cycle was found";
  return {};
}
template <class Predecessors>
void expect_cycle(int sink, const Predecessors& before, const std::vector<int>& cycle) {
  with_workers([&] {
    EXPECT_EQ(cycle_in(sink, before, graph::hashed<>()), cycle);
    EXPECT_EQ(cycle_in(sink, before, graph::dense(100'000)), cycle);
  });
}

// Catches: a node that takes itself for computed, or waits for itself and for ever.
TEST(graph_cycle, of_one_node) {
  expect_cycle(0, [](int k) { return std::vector<int>{k}; }, {0});
  expect_cycle(9, [](int k) { return k == 4 ? std::vector<int>{3, 4} : below(k); }, {4});
}
// Catches: the same by way of others; keys that are listed though they only lead to the cycle, or come from
// it.
TEST(graph_cycle, of_several_nodes) {
  expect_cycle(0, [](int k) { return std::vector<int>{1 - k}; }, {0, 1});
  expect_cycle(9, [](int k) { return k == 3 ? std::vector<int>{2, 6} : below(k); }, {3, 4, 5, 6});
}
// Catches: a search for the cycle that recurses.
TEST(graph_cycle, of_many_nodes) {
  const int length = scaled(50'000);
  std::vector<int> all;
  for (int i = 0; i < length; ++i) all.push_back(i);
  expect_cycle(length / 2, [&](int k) { return std::vector<int>{(k + 1) % length}; }, all);
}
// Catches: a cycle that keeps the run from its end while others go on; nodes that are not computed although
// they could be.
TEST(graph_cycle, beside_others) {
  with_workers([] {
    std::atomic<int> computed{0};
    const auto before = [](int k) {
      if (k == 1000) return std::vector<int>{999, 1001};
      if (k == 1001) return std::vector<int>{1002};
      if (k == 1002) return std::vector<int>{1001, 500};
      return below(k);
    };
    EXPECT_THROW(graph::run(1000, graph::nodes{.predecessors = before, .compute = [&](int) { ++computed; }}),
                 graph::cycle_error<int>);
    EXPECT_EQ(computed, 1000);
  });
}
// Catches: a message that is as long as the cycle, or names no key.
TEST(graph_cycle, is_named) {
  EXPECT_EQ(text_of<graph::cycle_error<std::string>>([] {
              graph::run(std::string("egg"),
                         graph::nodes{.predecessors =
                                          [](const std::string& s) {
                                            return std::vector<std::string>{s == "egg" ? "hen" : "egg"};
                                          },
                                      .compute = [](const std::string&) {}});
            }),
            "sennit: nodes of a graph wait for one another: \"egg\" needs \"hen\" needs \"egg\"");
  const std::string text = text_of<graph::cycle_error<int>>([] {
    graph::run(0, graph::nodes{.predecessors = [](int k) { return std::vector<int>{(k + 1) % 1000}; },
                               .compute = [](int) {}});
  });
  EXPECT_THAT(text, HasSubstr("980 more"));
  EXPECT_LT(text.size(), 500U);
}

// Catches: an error that names another node; a function whose exception is lost; successors that run all the
// same.
TEST(graph_failure, of_compute_names_the_node) {
  with_workers([] {
    for (const int which : {0, 50, 99}) {
      int last = -1;
      const auto run = [&](auto keys) {
        graph::run(99, graph::nodes{.predecessors = below,
                                    .compute =
                                        [&](int k) {
                                          if (k == which) throw std::invalid_argument("no good");
                                          last = k;
                                        },
                                    .keys = keys});
      };
      const auto expect_named = [&](auto keys) {
        EXPECT_EQ(text_of<graph::node_error>([&] { run(keys); }),
                  "sennit: computing the node " + std::to_string(which) + ": no good");
        EXPECT_EQ(last, which - 1);
        const std::exception_ptr nested = nested_in_what_is_thrown([&] { run(keys); });
        ASSERT_NE(nested, nullptr);
        EXPECT_THROW(std::rethrow_exception(nested), std::invalid_argument);
      };
      expect_named(graph::hashed<>());
      expect_named(graph::dense(100));
      last = -1;
    }
  });
}
TEST(graph_failure, of_predecessors_names_the_node) {
  with_workers([] {
    const auto before = [](int k) {
      if (k == 42) throw std::invalid_argument("no idea");
      return below(k);
    };
    const auto run = [&] {
      graph::run(99,
                 graph::nodes{.predecessors = before, .compute = [](int) { FAIL() << "after a failure"; }});
    };
    EXPECT_EQ(text_of<graph::node_error>(run), "sennit: asking for the predecessors of 42: no idea");
    const std::exception_ptr nested = nested_in_what_is_thrown(run);
    ASSERT_NE(nested, nullptr);
    EXPECT_THROW(std::rethrow_exception(nested), std::invalid_argument);
  });
}
// Catches: a range that throws as it is gone through, and leaves its node half explored for others to
// compute.
TEST(graph_failure, of_a_range_of_predecessors) {
  with_workers([] {
    std::atomic<bool> ran{false};
    const auto before = [](int k) {
      return std::views::iota(0, k) | std::views::transform([k](int p) {
               if (k == 9 && p == 8) throw failure{9};
               return p;
             });
    };
    const graph::nodes all{.predecessors = before, .compute = [&](int k) { ran = ran || k == 9; }};
    EXPECT_THAT(text_of<graph::node_error>([&] { graph::run(9, all); }),
                AllOf(HasSubstr(" 9: "), HasSubstr("no std::exception")));
    EXPECT_FALSE(ran);
  });
}
// Catches: what is thrown without a type that has a text.
TEST(graph_failure, of_any_type) {
  with_workers([] {
    const auto run = [] {
      graph::run(3, graph::nodes{.predecessors = below, .compute = [](int k) {
                                   if (k == 2) throw failure{2};
                                 }});
    };
    EXPECT_THAT(text_of<graph::node_error>(run), HasSubstr("the node 2: "));
    const std::exception_ptr nested = nested_in_what_is_thrown(run);
    ASSERT_NE(nested, nullptr);
    EXPECT_THROW(std::rethrow_exception(nested), failure);
  });
}
TEST(graph_failure, of_color) {
  with_workers([] {
    EXPECT_THROW(graph::run(9, graph::nodes{.predecessors = below,
                                            .compute = [](int) {},
                                            .color = [](int k) -> int {
                                              if (k == 4) throw failure{4};
                                              return 0;
                                            }}),
                 graph::node_error);
  });
}
// Catches: want of memory that is wrapped, and so needs more of it.
TEST(graph_failure, for_want_of_memory) {
  EXPECT_THROW(graph::run(3, graph::nodes{.predecessors = below,
                                          .compute =
                                              [](int k) {
                                                if (k == 2) throw std::bad_alloc();
                                              }}),
               std::bad_alloc);
}
// Catches: a run that hangs, or loses the first failure, when several strands fail at once; and one that
// fails after it has returned.
TEST(graph_failure, of_many_nodes_at_once) {
  with_workers([] {
    for (int i = 0; i < scaled(300); ++i) {
      std::atomic<int> running{0};
      const auto before = [](int k) { return k == 0 ? std::views::iota(1, 200) : std::views::iota(0, 0); };
      const auto fail = [&](int k) {
        struct counted {
          std::atomic<int>& count;
          explicit counted(std::atomic<int>& c) : count(c) { ++count; }
          ~counted() { --count; }
        } const here(running);
        if (k % 7 == 0) throw failure{static_cast<std::uint64_t>(k)};
      };
      EXPECT_THROW(graph::run(0, graph::nodes{.predecessors = before, .compute = fail}), graph::node_error);
      EXPECT_EQ(running, 0);
    }
  });
}
// Catches: a cycle that is looked for where there is none, beyond the last node; a hang.
TEST(graph_failure, of_a_range_that_is_shorter_than_it_says) {
  struct shorter {
    std::vector<int> keys;
    auto begin() const { return keys.begin(); }
    auto end() const { return keys.end(); }
    std::size_t size() const { return keys.size() + 1; }
  };
  with_workers([] {
    const auto before = [](int k) { return shorter{below(k)}; };
    EXPECT_THAT(text_of<std::logic_error>(
                    [&] { graph::run(5, graph::nodes{.predecessors = before, .compute = [](int) {}}); }),
                AllOf(HasSubstr("another number of keys than its size()"),
                      testing::Not(HasSubstr("the same answer"))));
  });
}
// Catches: a node that is computed twice, as somebody counts on fewer predecessors than there are.
TEST(graph_failure, of_a_range_that_is_longer_than_it_says) {
  struct longer {
    std::vector<int> keys;
    auto begin() const { return keys.begin(); }
    auto end() const { return keys.end(); }
    std::size_t size() const { return keys.empty() ? 0 : keys.size() - 1; }
  };
  with_workers([] {
    const auto before = [](int k) {
      return k == 0 ? longer{} : k < 3 ? longer{{0, 0}} : longer{{k - 1, k - 2, k - 3}};
    };
    EXPECT_THAT(text_of<std::logic_error>(
                    [&] { graph::run(9, graph::nodes{.predecessors = before, .compute = [](int) {}}); }),
                AllOf(HasSubstr("another number of keys than its size()"),
                      testing::Not(HasSubstr("the same answer"))));
  });
}
// Catches: values that are given back by who never read them, and of nodes that are not there.
TEST(graph_failure, of_other_predecessors_when_asked_again) {
  with_workers([] {
    std::atomic<bool> again = false;
    const auto before = [&](int k) {
      if (k == 5 && again.load()) return std::vector<int>{1'000'000};
      return below(k);
    };
    const auto compute = [&](int k, auto&) -> int {
      if (k == 4) again = true;
      return k;
    };
    EXPECT_THAT(
        text_of<std::logic_error>(
            [&] { graph::run(5, graph::nodes{.predecessors = before, .compute = compute}); }),
        AllOf(HasSubstr("the node 5"), HasSubstr("the same answer"), testing::Not(HasSubstr("size()"))));
  });
}
// Catches: what is left in the runtime after a failure.
TEST(graph_failure, is_over_for_the_next_run) {
  with_workers([] {
    for (int i = 0; i < 20; ++i) {
      EXPECT_THROW(graph::run(9, graph::nodes{.predecessors = below,
                                              .compute = [](int) { throw failure{1}; },
                                              .color = [](int) { return 0; }}),
                   graph::node_error);
      expect_computed_by_all(100, 99, below);
    }
  });
}
// Catches: a failure that does not come out of the default runtime.
TEST(graph_failure, outside_any_runtime) {
  EXPECT_THROW(graph::run(9, graph::nodes{.predecessors = below, .compute = [](int) { throw failure{1}; }}),
               graph::node_error);
  EXPECT_THROW(
      graph::run(9, {.predecessors = [](int k) { return std::vector<int>{k}; }, .compute = [](int) {}}),
      graph::cycle_error<int>);
}

}  // namespace
}  // namespace sennit_test
