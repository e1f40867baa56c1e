// SPDX-License-Identifier: Apache-2.0
// Keys: their numbers, what is outside of a box, and what is hashed.
#include "support.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Catches: a division that is off by one where its inverse is rounded most.
TEST(graph_keys, are_divided_as_integers_are) {
  std::vector<std::uint32_t> numbers{0};
  for (std::uint64_t bit = 1; bit <= std::uint64_t{1} << 32; bit *= 2) {
    for (const std::uint64_t n : {bit - 1, bit, bit + 1, bit / 3, bit / 7 * 5, bit - bit / 1000}) {
      if (n < std::uint64_t{1} << 32) numbers.push_back(static_cast<std::uint32_t>(n));
    }
  }
  for (const std::uint32_t d : numbers) {
    if (d == 0) continue;
    const sennit::detail::divisor by(d);
    for (const std::uint32_t n : numbers) {
      for (const std::uint32_t near : {n, n / d * d, n / d * d - 1}) {
        const auto [quotient, remainder] = by.divide(near);
        ASSERT_TRUE(quotient == near / d && remainder == near % d) << near << " / " << d;
      }
    }
  }
}

// Catches: a product of extents that wraps around; numbers and keys that do not fit each other near 2^32.
TEST(graph_keys, of_as_large_a_box_as_there_can_be) {
  if (SENNIT_ASAN || SENNIT_TSAN) GTEST_SKIP() << "sanitizers keep shadows of the 64 GiB of address space";
  const auto run = [] {
    using point = std::array<std::uint32_t, 2>;
    const std::uint32_t last = 4'294'967'293;
    std::vector<std::uint32_t> seen;
    graph::run(last, graph::nodes{.predecessors =
                                      [](std::uint32_t k) {
                                        return k < 7 ? std::vector<std::uint32_t>()
                                                     : std::vector<std::uint32_t>{k / 7};
                                      },
                                  .compute = [&](std::uint32_t k) { seen.push_back(k); },
                                  .keys = graph::dense(std::uint64_t{last} + 1)});
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back(), last);
    std::vector<point> points;
    graph::run(point{65533, 65536}, graph::nodes{.predecessors =
                                                     [](point p) {
                                                       return p[0] < 5
                                                                  ? std::vector<point>()
                                                                  : std::vector<point>{{p[0] / 5, p[1] / 3}};
                                                     },
                                                 .compute = [&](point p) { points.push_back(p); },
                                                 .keys = graph::dense(65534, 65537)});
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.back(), (point{65533, 65536}));
  };
  try {
    run();
  } catch (const std::bad_alloc&) {
    GTEST_SKIP() << "the system refuses 64 GiB, untouched";
  }
}
TEST(graph_keys, of_too_large_a_box_are_refused) {
  const auto run = [](auto keys) {
    graph::run(std::array{0, 0},
               graph::nodes{.predecessors = [](auto) { return std::vector<std::array<int, 2>>(); },
                            .compute = [](auto) {},
                            .keys = keys});
  };
  EXPECT_THROW(run(graph::dense(65536, 65536)), std::length_error);
  EXPECT_THROW(run(graph::dense(1L << 40, 1L << 40)), std::length_error);
  EXPECT_THROW(run(graph::dense(-1, 1)), std::length_error);
}

// Catches: a key outside that is taken for one inside, or is not named.
TEST(graph_keys, outside_the_box_are_named) {
  using point = std::array<int, 2>;
  using testing::HasSubstr;
  const auto run = [](point sink) {
    graph::run(sink,
               graph::nodes{.predecessors = [](point p) { return std::vector<point>{{p[0] - 1, p[1]}}; },
                            .compute = [](point) {},
                            .keys = graph::dense(3, 4)});
  };
  with_workers([&] {
    for (const point outside : {point{3, 0}, {0, 4}, {-1, 2}, {0, -1}}) {
      const std::string text = text_of<std::out_of_range>([&] { run(outside); });
      EXPECT_THAT(text,
                  HasSubstr("(" + std::to_string(outside[0]) + ", " + std::to_string(outside[1]) + ")"));
      EXPECT_THAT(text, HasSubstr("3 x 4"));
    }
    EXPECT_THAT(text_of<graph::node_error>([&] { run({2, 3}); }),
                testing::AllOf(HasSubstr("(0, 3)"), HasSubstr("(-1, 3)")));
    const std::exception_ptr nested = nested_in_what_is_thrown([&] { run({2, 3}); });
    EXPECT_THROW(nested != nullptr ? std::rethrow_exception(nested) : void(), std::out_of_range);
  });
  const graph::nodes none{
      .predecessors = [](int) { return std::vector<int>(); }, .compute = [](int) {}, .keys = graph::dense(0)};
  EXPECT_THROW(graph::run(0, none), std::out_of_range);
}

// Catches: strings that leak, or change while others read them.
TEST(graph_keys, that_are_strings) {
  with_workers([] {
    std::string text(40, ' ');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('0' + i);
    const auto shorter = [](const std::string& s) {
      std::vector<std::string> parts;
      if (s.size() > 1) parts = {s.substr(1), s.substr(0, s.size() - 1)};
      return parts;
    };
    // How many characters there are in all strings below.
    const auto count = [](const std::string&, auto& node) -> double {
      double sum = 1;
      for (const std::string& p : node.predecessors()) sum += node.value(p);
      return sum;
    };
    EXPECT_EQ(graph::run(text, graph::nodes{.predecessors = shorter, .compute = count}),
              std::ldexp(1, 40) - 1);
  });
}
TEST(graph_keys, that_are_tuples_with_strings) {
  using key = std::tuple<int, std::string>;
  with_workers([] {
    const auto before = [](const key& k) {
      std::vector<key> keys;
      const auto& [i, s] = k;
      if (i > 0) keys = {{i - 1, s + "a"}, {i - 1, s + "b"}};
      return keys;
    };
    std::atomic<int> computed{0};
    graph::run(key(8, "a long beginning, on the heap"),
               graph::nodes{.predecessors = before, .compute = [&](const key&) { ++computed; }});
    EXPECT_EQ(computed, 511);
  });
}

// A key that cannot be made from nothing, and whose hash is the user's.
struct position {
  explicit position(int p) : at(p) {}
  int at;
  friend bool operator==(const position&, const position&) = default;
};
struct position_hash {
  std::size_t operator()(const position& p) const noexcept {
    return static_cast<std::size_t>(p.at) * 0x9e3779b97f4a7c15;
  }
};

// Catches: a hash that is not used, or has to be std::hash.
TEST(graph_keys, with_the_users_hash) {
  with_workers([] {
    std::atomic<int> computed{0};
    graph::run(position(999), graph::nodes{.predecessors =
                                               [](const position& p) {
                                                 return p.at == 0 ? std::vector<position>()
                                                                  : std::vector{position(p.at - 1),
                                                                                position(p.at / 2)};
                                               },
                                           .compute = [&](const position&) { ++computed; },
                                           .keys = graph::hashed<position_hash>()});
    EXPECT_EQ(computed, 1000);
  });
}

// Catches: integers that share their low bits and share a place in the map, too.
TEST(graph_keys, far_apart) {
  with_workers([] {
    ledger done(1000);
    const auto before = [](std::uint64_t k) {
      return k == 0 ? std::vector<std::uint64_t>() : std::vector<std::uint64_t>{k - (std::uint64_t{1} << 50)};
    };
    graph::run(std::uint64_t{999} << 50,
               graph::nodes{.predecessors = before, .compute = [&](std::uint64_t k) {
                              done.compute(k >> 50, std::array<int, 0>());
                            }});
    EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(1000, 1));
  });
}

// Catches: a literal that is a key by its address, or its own array type, which no function of strings takes.
TEST(graph_keys, that_are_literals_are_strings) {
  const auto before = [](const std::string& k) {
    return k == "program" ? std::vector<std::string>{"main", "library"} : std::vector<std::string>();
  };
  const auto count = [](const std::string&, auto& node) -> int {
    int all = 1;
    for (const std::string& p : node.predecessors()) all += node.value(p);
    return all;
  };
  EXPECT_EQ(graph::run("program", graph::nodes{.predecessors = before, .compute = count}), 3);
  std::atomic<int> computed{0};
  graph::run("program", {.predecessors = before, .compute = [&](const std::string&) { ++computed; }});
  EXPECT_EQ(computed, 3);
}

}  // namespace
}  // namespace sennit_test
