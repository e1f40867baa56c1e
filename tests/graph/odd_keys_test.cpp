// SPDX-License-Identifier: Apache-2.0
// Keys as programs have them: classes with texts of their own, and operations that throw.
#if __has_include(<fmt/format.h>)
#define FMT_HEADER_ONLY
#include <fmt/format.h>
#endif

#include "support.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {

// What the keys of these tests can be told to do.
enum class fault { none, hash, equality, copy };

// Owns memory, so that AddressSanitizer finds keys that are left behind.
struct fragile {
  explicit fragile(int n, fault f = fault::none) : number(std::make_unique<int>(n)), at(f) {}
  fragile(const fragile& other) : number(std::make_unique<int>(*other.number)), at(other.at) {
    if (at == fault::copy && *number == 3 && armed) throw std::runtime_error("no copy");
  }
  fragile(fragile&&) = default;
  fragile& operator=(const fragile&) = delete;
  ~fragile() = default;
  bool operator==(const fragile& other) const {
    if (at == fault::equality && *number == 3 && armed) throw std::runtime_error("no answer");
    return *number == *other.number;
  }
  friend std::ostream& operator<<(std::ostream& to, const fragile& k) { return to << 'f' << *k.number; }

  std::unique_ptr<int> number;
  fault at;
  static inline std::atomic<bool> armed = false;
};

struct version {
  int major;
  int minor;
  friend bool operator==(const version&, const version&) = default;
  friend std::ostream& operator<<(std::ostream& to, const version& v) {
    if (v.major == 99) throw std::runtime_error("no text");
    return to << v.major << '.' << v.minor;
  }
};

enum class stage { load = 3, filter = 5 };
std::ostream& operator<<(std::ostream& to, stage s) { return to << (s == stage::load ? "load" : "filter"); }

struct formatted {
  int id;
  friend bool operator==(const formatted&, const formatted&) = default;
};
struct mute {
  int id;
  friend bool operator==(const mute&, const mute&) = default;
};

}  // namespace sennit_test

template <>
struct std::hash<sennit_test::fragile> {
  std::size_t operator()(const sennit_test::fragile& k) const {
    if (k.at == sennit_test::fault::hash && *k.number == 3 && sennit_test::fragile::armed)
      throw std::runtime_error("no hash");
    return 7;  // so that keys are compared
  }
};
template <>
struct std::hash<sennit_test::version> {
  std::size_t operator()(const sennit_test::version& v) const {
    return std::hash<int>()(v.major) ^ std::hash<int>()(v.minor);
  }
};
template <>
struct std::hash<sennit_test::formatted> {
  std::size_t operator()(const sennit_test::formatted& k) const { return std::hash<int>()(k.id); }
};
template <>
struct std::hash<sennit_test::mute> {
  std::size_t operator()(const sennit_test::mute& k) const { return std::hash<int>()(k.id); }
};
#ifdef FMT_VERSION
template <>
struct fmt::formatter<sennit_test::formatted> : fmt::formatter<int> {
  template <class Context>
  auto format(const sennit_test::formatted& k, Context& context) const {
    return fmt::format_to(context.out(), "#{}", k.id);
  }
};
#endif

namespace sennit_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The error of a graph of one node, whose function throws.
template <class Key>
std::string error_at(const Key& k) {
  return text_of<graph::node_error>([&] {
    graph::run(k, graph::nodes{.predecessors = [](const Key&) { return std::vector<Key>(); },
                               .compute = [](const Key&) { throw std::runtime_error("no good"); }});
  });
}

// Catches: a key with a text of its own that an error does not name, or names by a number.
TEST(graph_odd_keys, have_their_texts) {
  EXPECT_EQ(error_at(version{2, 1}), "sennit: computing the node 2.1: no good");
  EXPECT_EQ(error_at(stage::filter), "sennit: computing the node filter: no good");
#ifdef FMT_VERSION
  EXPECT_EQ(error_at(formatted{4}), "sennit: computing the node #4: no good");
#endif
  EXPECT_EQ(error_at(std::tuple(1, version{2, 1}, std::string("a"))),
            "sennit: computing the node (1, 2.1, \"a\"): no good");
  EXPECT_EQ(error_at(std::pair(stage::load, true)), "sennit: computing the node (load, 1): no good");
  EXPECT_EQ(error_at(std::string_view("view")), "sennit: computing the node \"view\": no good");
  EXPECT_EQ(error_at(mute{4}),
            "sennit: computing the node (a key without text: its type has no operator<<): no good");
  static const mute here{1};
  EXPECT_THAT(error_at(&here), HasSubstr("computing the node 0x"));
}
// Catches: the error of a key's text in place of the error of the node.
TEST(graph_odd_keys, whose_text_throws) {
  EXPECT_EQ(error_at(version{99, 1}),
            "sennit: computing the node (a key whose text throws an exception): no good");
}

// The error of a chain of nodes below 5, in which the third key fails.
std::string error_of_chain(fault f) {
  return text_of<graph::node_error>([&] {
    const auto before = [](const fragile& k) {
      std::vector<fragile> keys;
      if (*k.number > 0) keys.emplace_back(*k.number - 1, k.at);
      return keys;
    };
    graph::run(fragile(5, f), graph::nodes{.predecessors = before, .compute = [](const fragile&) {}});
  });
}
// Catches: an error that blames predecessors() for what a key's operation did, or names no key; memory of
// keys that is not freed; a run that hangs.
TEST(graph_odd_keys, whose_operations_throw) {
  with_workers([] {
    for (int i = 0; i < 20; ++i) {
      fragile::armed = true;
      EXPECT_EQ(error_of_chain(fault::hash), "sennit: hashing f3, a predecessor of f4: no hash");
      EXPECT_THAT(error_of_chain(fault::equality),
                  AllOf(HasSubstr("sennit: comparing f"), HasSubstr(", a predecessor of f"),
                        HasSubstr(": no answer")));
      EXPECT_EQ(error_of_chain(fault::copy), "sennit: copying f3, a predecessor of f4: no copy");
      fragile::armed = false;
      EXPECT_EQ(error_of_chain(fault::none), "no exception");
    }
  });
}
// Catches: the sink's operations, whose exceptions come from elsewhere; exceptions without a key.
TEST(graph_odd_keys, whose_operations_throw_for_the_sink) {
  const auto run = [](fault f) {
    return text_of<graph::node_error>([&] {
      graph::run(fragile(3, f),
                 graph::nodes{.predecessors = [](const fragile&) { return std::vector<fragile>(); },
                              .compute = [](const fragile&) {}});
    });
  };
  fragile::armed = true;
  EXPECT_EQ(run(fault::hash), "sennit: hashing f3: no hash");
  EXPECT_EQ(run(fault::copy), "sennit: copying f3: no copy");
  fragile::armed = false;
}
// Catches: an exception that a node's function cannot tell, or that is named as another function's.
TEST(graph_odd_keys, whose_operations_throw_in_a_node) {
  fragile::armed = true;
  std::string seen;
  graph::run(fragile(9, fault::hash),
             graph::nodes{.predecessors = [](const fragile&) { return std::vector<fragile>(); },
                          .compute =
                              [&](const fragile&, auto& node) {
                                try {
                                  node.create(fragile(3, fault::hash));
                                } catch (const std::runtime_error& e) {
                                  seen = e.what();
                                }
                              }});
  EXPECT_EQ(seen, "no hash");
  fragile::armed = false;
}

// Catches: an error of .color that names .predecessors, or names no node.
TEST(graph_odd_keys, whose_color_throws) {
  const auto below = [](int k) { return k == 0 ? std::vector<int>() : std::vector<int>{k - 1}; };
  EXPECT_EQ(text_of<graph::node_error>([&] {
              graph::run(9, graph::nodes{.predecessors = below,
                                         .compute = [](int) {},
                                         .color = [](int k) -> int {
                                           if (k == 4) throw std::runtime_error("no color");
                                           return 0;
                                         }});
            }),
            "sennit: asking for the color of 4: no color");
}

// Catches: keys of these kinds that do not compile, or that are not told apart.
template <class Key, class Below>
int computed_below(const Key& sink, const Below& below) {
  std::atomic<int> computed{0};
  graph::run(sink, graph::nodes{.predecessors = below, .compute = [&](const Key&) { ++computed; }});
  return computed;
}
TEST(graph_odd_keys, of_many_kinds) {
  with_workers([] {
    EXPECT_EQ(computed_below(
                  stage::filter,
                  [](stage s) { return s == stage::load ? std::vector<stage>() : std::vector{stage::load}; }),
              2);
    EXPECT_EQ(computed_below(std::pair(9, std::string("a")),
                             [](const std::pair<int, std::string>& k) {
                               std::vector<std::pair<int, std::string>> keys;
                               if (k.first > 0) keys.emplace_back(k.first - 1, k.second + "b");
                               return keys;
                             }),
              10);
    EXPECT_EQ(computed_below(~std::uint64_t{0},
                             [](std::uint64_t k) {
                               return k == 0 ? std::vector<std::uint64_t>() : std::vector{k >> 1, k >> 2};
                             }),
              65);
    std::vector<int> cells(100);
    const auto next = [&](const int* p) {
      return p == cells.data() ? std::vector<const int*>() : std::vector<const int*>{p - 1};
    };
    EXPECT_EQ(computed_below(static_cast<const int*>(&cells[99]), next), 100);
    EXPECT_EQ(computed_below(std::string_view("abcd"),
                             [](std::string_view k) {
                               return k.empty() ? std::vector<std::string_view>()
                                                : std::vector<std::string_view>{k.substr(1)};
                             }),
              5);
    EXPECT_EQ(
        computed_below('e', [](char c) { return c == 'a' ? std::vector<char>() : std::vector<char>{'a'}; }),
        2);
    EXPECT_EQ(
        computed_below(2.5, [](double d) { return d < 1 ? std::vector<double>() : std::vector{d - 1}; }), 3);
  });
}
// A key that can be copied, and never assigned.
struct fixed {
  const int at;
  friend bool operator==(const fixed&, const fixed&) = default;
};
struct hash_of_fixed {
  std::size_t operator()(const fixed& k) const { return static_cast<std::size_t>(k.at); }
};
// Catches: a table that assigns keys.
TEST(graph_odd_keys, that_are_never_assigned) {
  std::atomic<int> computed{0};
  graph::run(fixed{99}, graph::nodes{.predecessors =
                                         [](const fixed& k) {
                                           std::vector<fixed> keys;
                                           if (k.at > 0) keys.push_back({k.at - 1});
                                           return keys;
                                         },
                                     .compute = [&](const fixed&) { ++computed; },
                                     .keys = graph::hashed<hash_of_fixed>()});
  EXPECT_EQ(computed, 100);
}

}  // namespace
}  // namespace sennit_test
