// SPDX-License-Identifier: Apache-2.0
// How long values live: as long as somebody may read them, and not much longer.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sennit_test {
namespace {

// The stage of an item, and its number; {0, 0} is the sink.
using piece = std::array<int, 2>;

// Large values: how many there are, and how many there were at most.
class large {
 public:
  large() {
    const std::int64_t now = ++live_;
    std::int64_t most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  large(const large&) : large() {}
  ~large() { --live_; }
  large& operator=(const large&) = delete;

  static std::int64_t live() { return live_; }
  static std::int64_t most() { return most_; }
  static void begin() { most_ = live_.load(); }

 private:
  inline static std::atomic<std::int64_t> live_{0};
  inline static std::atomic<std::int64_t> most_{0};
};
// What a node hands on: something large in all stages but the last, and a small sum.
struct product {
  std::shared_ptr<large> data;
  std::uint64_t sum = 0;
};

// `items` items go through `stages` stages; the sink reads what the last stage made of each.
std::vector<piece> before_in_stages(piece p, int stages, int items) {
  std::vector<piece> pieces;
  if (p[0] == 0) {
    for (int i = 0; i < items; ++i) pieces.push_back({stages, i});
  } else if (p[0] > 1) {
    pieces.push_back({p[0] - 1, p[1]});
  }
  return pieces;
}
// The most large values at once.
std::int64_t most_in_stages(int stages, int items) {
  const auto before = [=](piece p) { return before_in_stages(p, stages, items); };
  const auto compute = [=](piece p, auto& node) -> product {
    product made;
    if (p[0] != stages && p[0] != 0) made.data = std::make_shared<large>();
    made.sum = p[0] == 1 ? static_cast<std::uint64_t>(p[1]) : 0;
    for (const piece& q : before(p)) made.sum += node.value(q).sum;
    // As long as it takes to load something.
    if (p[0] == 1) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    return made;
  };
  large::begin();
  const auto n = static_cast<std::uint64_t>(items);
  EXPECT_EQ(graph::run(piece{0, 0}, graph::nodes{.predecessors = before, .compute = compute}).sum,
            n * (n - 1) / 2);
  EXPECT_EQ(large::live(), 0);
  return large::most();
}

// Catches: values that stay until all of the graph has been explored, although it was computed long before.
TEST(graph_lifetime, of_what_goes_through_stages) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    under(settings({workers}), [&](sennit::runtime& rt) {
      for (const int stages : {2, 3, 4}) {
        rt.run([&] { EXPECT_LE(most_in_stages(stages, scaled(1000)), 4 * workers) << stages << " stages"; });
      }
    });
  }
}

// The same where each strand that runs out of work has taken part in something else before.
// Catches: a bound that holds only for strands that never end.
TEST(graph_lifetime, of_many_short_runs) {
  under(settings({1, 2, 4}), [](sennit::runtime& rt) {
    rt.run([&] {
      for (int i = 0; i < scaled(30); ++i) EXPECT_LE(most_in_stages(2, 30), 16);
    });
  });
}

// Catches: a sum over a tree that holds more than the values along one path.
TEST(graph_lifetime, of_a_tree) {
  const int depth = 12;
  const auto before = [](int k) {
    std::vector<int> keys;
    if (k < 1 << depth) keys = {2 * k, 2 * k + 1};
    return keys;
  };
  const auto compute = [&](int k, auto& node) -> product {
    product made{std::make_shared<large>(), k >= 1 << depth ? 1U : 0U};
    for (const int p : before(k)) made.sum += node.value(p).sum;
    return made;
  };
  for (const unsigned workers : {1U, 2U}) {
    under(settings({workers}), [&](sennit::runtime& rt) {
      rt.run([&] {
        large::begin();
        EXPECT_EQ(graph::run(1, graph::nodes{.predecessors = before, .compute = compute}).sum, 1U << depth);
        if (workers == 1) {
          EXPECT_LE(large::most(), depth + 3);
        }
        EXPECT_EQ(large::live(), 0);
      });
    });
  }
}

// Catches: the value of a node that is no predecessor, which is read while somebody else may free it, or
// after that. The error names both nodes.
TEST(graph_lifetime, of_a_value_that_is_not_for_this_node) {
  // Each reads the value two below it. Sometimes it is there.
  const auto before = [](int k) { return std::views::iota(k == 0 ? 0 : k - 1, k); };
  const auto run = [&](int width, auto keys) {
    const auto compute = [&](int k, auto& node) -> tracked {
      const int first = k % width == 0 ? 0 : 1;
      return tracked(k < 2 ? 1 : node.value(k - 1).value() + node.value(k - 2 + first).value());
    };
    graph::run(2 * width, graph::nodes{.predecessors = before, .compute = compute, .keys = keys});
  };
  with_workers([&] {
    for (int i = 0; i < scaled(20); ++i) {
      const std::string hashed = text_of<graph::node_error>([&] { run(10, graph::hashed<>()); });
      EXPECT_THAT(hashed, testing::HasSubstr("the node 10"));
      EXPECT_THAT(hashed, testing::HasSubstr("8"));
      EXPECT_THAT(hashed, testing::HasSubstr("no predecessor"));
      EXPECT_THAT(text_of<graph::node_error>([&] { run(10, graph::dense(21)); }),
                  testing::HasSubstr("no predecessor"));
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

// Catches: the same for a value that is alive for certain, for a node's own, and for one nobody has made; a
// search that is wrong where there are many predecessors, or costs more for each the more there are.
TEST(graph_lifetime, of_many_predecessors) {
  const int count = scaled(100'000);
  const auto run = [&](int asked, auto keys) {
    // All odd nodes, from the last to the first, are predecessors of 0, and one of them twice.
    const auto before = [&](int k) {
      std::vector<int> keys_before;
      if (k == 0) {
        for (int i = count - 1; i > 0; i -= 2) keys_before.push_back(i);
        keys_before.push_back(1);
      } else if (k == 1) {
        keys_before.push_back(2);
      }
      return keys_before;
    };
    const auto compute = [&](int k, auto& node) -> std::uint64_t {
      if (k != 0) return static_cast<std::uint64_t>(k);
      std::uint64_t sum = 0;
      for (int i = 1; i < count; i += 2) sum += node.value(i);
      if (asked >= 0) sum += node.value(asked);
      return sum;
    };
    return graph::run(0, graph::nodes{.predecessors = before, .compute = compute, .keys = keys});
  };
  const auto half = static_cast<std::uint64_t>(count / 2);
  with_workers([&] {
    EXPECT_EQ(run(-1, graph::hashed<>()), half * half);
    EXPECT_EQ(run(-1, graph::dense(count)), half * half);
    for (const int asked : {0, 2, 4, count}) {
      EXPECT_THAT(text_of<graph::node_error>([&] { run(asked, graph::dense(count + 1)); }),
                  testing::HasSubstr("no predecessor"));
      EXPECT_THAT(text_of<graph::node_error>([&] { run(asked, graph::hashed<>()); }),
                  testing::HasSubstr("no predecessor"));
    }
  });
}

// Catches: predecessors() that names others when the node is computed, whose values then lose a reader.
TEST(graph_lifetime, of_another_answer) {
  with_workers([] {
    for (const bool dense : {false, true}) {
      std::atomic<int> asked{0};
      const auto before = [&](int k) -> std::vector<int> {
        if (k == 9) return {8, 7};
        if (k != 8) return k == 7 ? std::vector<int>{1, 2} : std::vector<int>{};
        return {++asked == 1 ? 2 : 1};
      };
      const auto sum = [&](int k, auto& node) -> tracked {
        std::uint64_t result = 1;
        if (k == 7 || k == 9) {
          for (const int p : before(k)) result += node.value(p).value();
        }
        return tracked(result);
      };
      const auto run = [&] {
        if (dense) {
          graph::run(9, graph::nodes{.predecessors = before, .compute = sum, .keys = graph::dense(10)});
        } else {
          graph::run(9, graph::nodes{.predecessors = before, .compute = sum});
        }
      };
      EXPECT_THAT(text_of<graph::node_error>(run), testing::HasSubstr("the same answer each time"));
      EXPECT_EQ(tracked::live(), 0);
    }
  });
}

}  // namespace
}  // namespace sennit_test
