// SPDX-License-Identifier: Apache-2.0
// Values of nodes: read by their successors, freed after the last of them.
#include "support.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

using field = std::array<int, 2>;
std::vector<field> neighbors(field f) {
  std::vector<field> fields;
  if (f[0] > 0) fields.push_back({f[0] - 1, f[1]});
  if (f[1] > 0) fields.push_back({f[0], f[1] - 1});
  return fields;
}
std::vector<int> below(int k) { return k == 0 ? std::vector<int>{} : std::vector<int>{k - 1}; }

// Catches: a value that is freed before its last reader, or never; another's value.
TEST(graph_values, of_a_grid) {
  const auto ways = [](field f, auto& node) -> tracked {
    std::uint64_t sum = f == field{0, 0} ? 1 : 0;
    for (const field& p : node.predecessors()) sum += node.value(p).value();
    return tracked(sum);
  };
  with_workers([&] {
    for (int i = 0; i < scaled(50); ++i) {
      EXPECT_EQ(graph::run(field{16, 16}, graph::nodes{.predecessors = neighbors, .compute = ways}).value(),
                601080390U);
      EXPECT_EQ(tracked::live(), 0);
      EXPECT_EQ(
          graph::run(field{16, 16},
                     graph::nodes{.predecessors = neighbors, .compute = ways, .keys = graph::dense(17, 17)})
              .value(),
          601080390U);
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: values that stay although all who read them have: they are freed as the run goes on, and those of
// predecessors that are listed twice, or that have been computed when their readers are found, as well.
TEST(graph_values, are_freed_by_their_last_readers) {
  const auto before = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1, 0, k - 1}; };
  with_workers([&] {
    const int length = 10'000;
    std::atomic<std::int64_t> most{0};
    const auto sum = [&](int k, auto& node) -> tracked {
      std::uint64_t result = k == 0 ? 1 : 0;
      for (const int p : node.predecessors()) result += node.value(p).value();
      // When the first half is done, all has been explored for long.
      if (k > length / 2 && tracked::live() > most) most = tracked::live();
      return tracked(result);
    };
    graph::run(length,
               graph::nodes{.predecessors = before, .compute = sum, .keys = graph::dense(length + 1)});
    EXPECT_EQ(tracked::live(), 0);
    EXPECT_LE(most, 4);
  });
}

// Catches: a value that stays with a strand that came to its end before all was known: the rest of the graph
// is found, and computed, by another.
TEST(graph_values, of_strands_that_end_early_are_freed) {
  under(settings({2, 4}), [](sennit::runtime& rt) {
    for (int i = 0; i < scaled(100); ++i) {
      rt.run([&] {
        // Many short branches beside a long one, along which nothing can be shared.
        const auto before = [](field f) {
          std::vector<field> fields;
          if (f[0] == 0 && f[1] == 0) {
            for (int j = 1; j <= 40; ++j) fields.push_back({j, j == 1 ? 300 : 1});
          } else if (f[1] > 0) {
            fields.push_back({f[0], f[1] - 1});
          }
          return fields;
        };
        const auto sum = [&](field f, auto& node) -> tracked {
          std::uint64_t result = f[1] == 0 ? 1 : 0;
          for (const field& p : before(f)) result += node.value(p).value();
          return tracked(result);
        };
        EXPECT_EQ(graph::run(field{0, 0}, graph::nodes{.predecessors = before, .compute = sum}).value(), 41U);
      });
      ASSERT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: values that have to be copied, or made from nothing.
TEST(graph_values, that_move_only) {
  with_workers([] {
    const auto next = [](int k, auto& node) -> std::unique_ptr<std::string> {
      return std::make_unique<std::string>(k == 0 ? "0" : *node.value(k - 1) + std::to_string(k));
    };
    const std::unique_ptr<std::string> last =
        graph::run(9, graph::nodes{.predecessors = below, .compute = next});
    EXPECT_EQ(*last, "0123456789");
  });
  const std::unique_ptr<int> outside = graph::run(
      0, graph::nodes{.predecessors = below, .compute = [](int) { return std::make_unique<int>(7); }});
  EXPECT_EQ(*outside, 7);
}

// Catches: a value whose alignment is lost, and one that is returned by reference and refers to what has
// gone.
TEST(graph_values, of_other_kinds) {
  struct alignas(64) wide {
    int value;
  };
  with_workers([] {
    std::atomic<int> crooked{0};
    const auto next = [&](int k, auto& node) -> wide {
      if (k == 0) return {1};
      const wide& last = node.value(k - 1);
      if (reinterpret_cast<std::uintptr_t>(&last) % 64 != 0) ++crooked;
      return {last.value + 1};
    };
    EXPECT_EQ(graph::run(9, graph::nodes{.predecessors = below, .compute = next}).value, 10);
    EXPECT_EQ(crooked, 0);
    const std::vector<std::string> names{"zero", "one"};
    const auto name = [&](int k) -> const std::string& { return names[static_cast<std::size_t>(k)]; };
    EXPECT_EQ(graph::run(1, graph::nodes{.predecessors = below, .compute = name}), "one");
  });
}

// Catches: the value of a node that nobody computes, or of none at all, that is read all the same.
TEST(graph_values, that_are_not_there) {
  const auto run = [](int asked, auto keys) {
    graph::run(9, graph::nodes{.predecessors = below,
                               .compute = [=](int k, auto& node) -> tracked {
                                 return k == 5 ? tracked(node.value(asked).value()) : tracked(1);
                               },
                               .keys = keys});
  };
  with_workers([&] {
    for (const int asked : {8, 500'000}) {
      EXPECT_THAT(text_of<graph::node_error>([&] { run(asked, graph::hashed<>()); }),
                  testing::HasSubstr("the node 5"));
      EXPECT_THAT(text_of<graph::node_error>([&] { run(asked, graph::dense(1'000'000)); }),
                  testing::HasSubstr("the node 5"));
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: values that leak when a node throws, when there is a cycle, or when the value itself cannot be
// made.
TEST(graph_values, are_freed_after_failures) {
  with_workers([] {
    const auto sum_but = [](int which) {
      return [=](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        for (const int p : node.predecessors()) result += node.value(p).value();
        if (k == which) throw failure{1};
        return tracked(result);
      };
    };
    const auto all_below = [](int k) { return std::views::iota(k / 2, k); };
    for (int i = 0; i < scaled(100); ++i) {
      for (const int which : {0, 17, 98, 99}) {
        EXPECT_THROW(graph::run(99, graph::nodes{.predecessors = all_below, .compute = sum_but(which)}),
                     graph::node_error);
        EXPECT_EQ(tracked::live(), 0);
      }
    }
    const auto in_a_circle = [](int k) {
      if (k == 60) return std::vector<int>{59, 80};
      return below(k);
    };
    EXPECT_THROW(graph::run(99, graph::nodes{.predecessors = in_a_circle, .compute = sum_but(-1)}),
                 graph::cycle_error<int>);
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Its copies throw, those from nothing too after the first.
struct fragile {
  tracked inside;
  explicit fragile(bool breaks) {
    if (breaks) throw std::runtime_error("broken");
  }
  fragile(fragile&& other) : inside(std::move(other.inside)) {
    throw std::runtime_error("broken on the way");
  }
  fragile& operator=(fragile&&) = delete;
};

// Catches: half of a value that stays, where making or returning it throws.
TEST(graph_values, that_throw) {
  with_workers([] {
    const auto make = [](int breaks) { return [=](int k) { return fragile(k == breaks); }; };
    EXPECT_THAT(text_of<graph::node_error>(
                    [&] { graph::run(9, graph::nodes{.predecessors = below, .compute = make(5)}); }),
                testing::HasSubstr("the node 5: broken"));
    EXPECT_EQ(tracked::live(), 0);
    EXPECT_EQ(text_of<std::runtime_error>(
                  [&] { graph::run(9, graph::nodes{.predecessors = below, .compute = make(-1)}); }),
              "broken on the way");
    EXPECT_EQ(tracked::live(), 0);
  });
}

// Catches: a look at a value that writes where other branches of the same node look.
TEST(graph_values, can_be_read_by_branches) {
  with_workers([] {
    const auto text = [](int k) { return std::string(30, 'k') + std::to_string(k); };
    const auto number = [](const std::string& k) { return std::stoi(k.substr(30)); };
    constexpr int width = 300;
    const auto before = [&](const std::string& k) {
      std::vector<std::string> keys;
      if (number(k) == width) {
        for (int i = 0; i < width; ++i) keys.push_back(text(i));
      }
      return keys;
    };
    const auto sum = [&](const std::string& k, auto& node) -> long {
      if (number(k) < width) return number(k);
      return sennit::parallel_reduce(0, width, 0L, [&](int i) { return node.value(text(i)); });
    };
    EXPECT_EQ(graph::run(text(width), graph::nodes{.predecessors = before, .compute = sum}),
              width * (width - 1) / 2);
  });
}

// Catches: a node that is posted to its color and explored there before the node that made it is known to be unexplored: its
// value is freed although a predecessor that is named later would read it.
TEST(graph_values, of_a_predecessor_that_is_named_late) {
  enum node : int { target, k, slow, a, b, x };
  const std::vector<std::vector<int>> predecessors{{k, slow}, {}, {a, b}, {x}, {x}, {}};
  const auto before = [&](int n) {
    return std::views::transform(predecessors[static_cast<std::size_t>(n)], [n](int p) {
      if (n == slow && p == b) std::this_thread::sleep_for(std::chrono::milliseconds(40));
      return p;
    });
  };
  const auto sum = [&](int, auto& node) -> int {
    int result = 1;
    for (const int p : predecessors[static_cast<std::size_t>(node.key())]) result += node.value(p);
    return result;
  };
  sennit::runtime rt({.workers = 2});
  for (int i = 0; i < 5; ++i) {
    rt.run([&] {
      const unsigned here = graph::color_here(graph::places::workers);
      const auto color = [=](int n) { return n == k || n == a || n == x ? 1 - here : here; };
      EXPECT_EQ(graph::run(int{target}, graph::nodes{.predecessors = before,
                                                     .compute = sum,
                                                     .color = color,
                                                     .keys = graph::dense(6),
                                                     .coloring = {.of = graph::places::workers}}),
                7);
    });
  }
}

}  // namespace
}  // namespace sennit_test
