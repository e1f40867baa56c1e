// SPDX-License-Identifier: Apache-2.0
// Random graphs against a serial evaluation in topological order: the same values, or the same failure.
#include "../core/random_program.hpp"
#include "support.hpp"

#include <sennit/graph_replay.hpp>
#include <sennit/graph_trace.hpp>
#include <sennit/worker.hpp>

#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sennit_test {
namespace {

// TEST_SEED repeats one seed; TEST_SEEDS says how many to try.
std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Nodes in a random order, each with predecessors among those before it in that order. The sink is any of
// them.
class random_graph {
 public:
  explicit random_graph(std::uint64_t seed) : draws_(seed) {
    const std::size_t count = 1 + draw(draw(3) == 0 ? 2000 : 60);
    const std::uint64_t most = draw(8);
    // From long chains to graphs that are nearly flat.
    const std::size_t reach = 1 + draw(draw(2) == 0 ? 5 : count);
    before_.resize(count);
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t i = count; i > 1; --i) std::swap(order_[i - 1], order_[draw(i)]);
    for (std::size_t i = 1; i < count; ++i) {
      std::vector<int>& needs = before_[static_cast<std::size_t>(order_[i])];
      for (std::uint64_t n = draw(most + 1); n > 0; --n)
        needs.push_back(order_[i - 1 - draw(std::min(i, reach))]);
      if (draw(64) == 0 && !needs.empty()) needs.insert(needs.end(), 5, needs.front());
    }
    sink_ = order_[count - 1 - draw((count + 3) / 4)];
  }

  int count() const { return static_cast<int>(order_.size()); }
  int sink() const { return sink_; }
  const std::vector<int>& before(int k) const { return before_[static_cast<std::size_t>(k)]; }
  std::uint64_t draw(std::uint64_t below) { return (draws_ = mixed(draws_)) % below; }

  // By what is below the sink, in the order that it was made in; 0 for what is not needed.
  std::vector<std::uint64_t> values() const {
    const std::vector<std::uint32_t> wanted =
        needed(order_.size(), sink_, [this](int k) -> const std::vector<int>& { return before(k); });
    std::vector<std::uint64_t> result(order_.size());
    for (const int k : order_) {
      if (wanted[static_cast<std::size_t>(k)] == 0) continue;
      result[static_cast<std::size_t>(k)] =
          value_of(k, [&](int p) { return result[static_cast<std::size_t>(p)]; });
    }
    return result;
  }
  template <class Read>
  std::uint64_t value_of(int k, const Read& read) const {
    std::uint64_t value = mixed(static_cast<std::uint64_t>(k));
    for (const int p : before(k)) value = folded(value, read(p));
    return value;
  }

 private:
  std::uint64_t draws_;
  std::vector<int> order_;
  std::vector<std::vector<int>> before_;
  int sink_ = 0;
};

class random_graphs : public testing::TestWithParam<setting> {
 protected:
  // Calls test(graph) for `seeds` graphs, in a region.
  template <class Test>
  void each(int seeds, const Test& test) {
    current_setting() = name(GetParam());
    sennit::runtime rt(GetParam().options());
    const std::uint64_t first = number("TEST_SEED", 1);
    const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(seeds)));
    for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
      SCOPED_TRACE("repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1");
      random_graph g(seed);
      rt.run([&] { test(g); });
      EXPECT_EQ(tracked::live(), 0) << "a value leaked, or was freed twice";
    }
  }
};

// The graph as run() takes it, with nodes that keep their values themselves.
template <class Color, class Keys>
void expect_as_in_order(const random_graph& g, const Color& color, const Keys& keys) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(g.count()));
  graph::run(g.sink(),
             graph::nodes{.predecessors = [&](int k) -> const std::vector<int>& { return g.before(k); },
                          .compute =
                              [&](int k) {
                                // Added, to show a second time.
                                values[static_cast<std::size_t>(k)] +=
                                    g.value_of(k, [&](int p) { return values[static_cast<std::size_t>(p)]; });
                              },
                          .color = color,
                          .keys = keys,
                          .coloring = {.of = graph::places::workers, .patience = 0.5}});
  EXPECT_TRUE(values == g.values()) << "a node was computed twice, never, early, or though nobody needs it";
}
// With values, which run() keeps.
template <class Color, class Keys>
std::uint64_t value_of_sink(const random_graph& g, int fails, const Color& color, const Keys& keys) {
  return graph::run(
             g.sink(),
             graph::nodes{.predecessors = [&](int k) -> const std::vector<int>& { return g.before(k); },
                          .compute = [&](int k, auto& node) -> tracked {
                            if (k == fails) throw failure{static_cast<std::uint64_t>(k)};
                            return tracked(g.value_of(k, [&](int p) { return node.value(p).value(); }));
                          },
                          .color = color,
                          .keys = keys,
                          .coloring = {.of = graph::places::workers}})
      .value();
}
// The same with a bound for what is alive.
template <class Color, class Keys>
std::uint64_t value_of_sink_within(std::size_t most, const random_graph& g, const Color& color,
                                   const Keys& keys) {
  graph::alive_seen seen;
  const std::uint64_t value =
      graph::run(g.sink(),
                 graph::nodes{.predecessors = [&](int k) -> const std::vector<int>& { return g.before(k); },
                              .compute = [&](int k, auto& node) -> tracked {
                                return tracked(g.value_of(k, [&](int p) { return node.value(p).value(); }));
                              },
                              .color = color,
                              .keys = keys,
                              .coloring = {.of = graph::places::workers},
                              .most_alive = graph::alive{.values = most, .seen = &seen}})
          .value();
  EXPECT_EQ(seen.beyond, seen.values > most);
  return value;
}

// Colors of two workers, one that nobody has, and none.
auto colors(std::uint64_t salt) {
  return [salt](int k) { return static_cast<int>(mixed(salt + static_cast<std::uint64_t>(k) / 4) % 4) - 1; };
}

// A successor that is lost, or a node that begins early, in a shape that nobody thought of.
TEST_P(random_graphs, with_hashed_keys) {
  each(150, [](random_graph& g) { expect_as_in_order(g, graph::no_color(), graph::hashed<>()); });
}
TEST_P(random_graphs, with_dense_keys) {
  each(150, [](random_graph& g) { expect_as_in_order(g, graph::no_color(), graph::dense(g.count())); });
}
// An item that is lost as it is given to somebody of its color, or taken back.
TEST_P(random_graphs, with_colors) {
  each(150, [](random_graph& g) {
    expect_as_in_order(g, colors(g.draw(1000)), graph::dense(g.count()));
    expect_as_in_order(g, colors(g.draw(1000)), graph::hashed<>());
  });
}
// A value that is freed too early, or never.
TEST_P(random_graphs, with_values) {
  each(150, [](random_graph& g) {
    const std::uint64_t expected = g.values()[static_cast<std::size_t>(g.sink())];
    EXPECT_EQ(value_of_sink(g, -1, graph::no_color(), graph::dense(g.count())), expected);
    EXPECT_EQ(value_of_sink(g, -1, graph::no_color(), graph::hashed<>()), expected);
    EXPECT_EQ(value_of_sink(g, -1, colors(g.draw(1000)), graph::dense(g.count())), expected);
  });
}
// A node that waits for room and is lost, or values that are counted wrongly.
TEST_P(random_graphs, with_most_alive) {
  each(150, [](random_graph& g) {
    const std::uint64_t expected = g.values()[static_cast<std::size_t>(g.sink())];
    const std::size_t most = 1 + g.draw(g.draw(2) == 0 ? 4 : 100);
    EXPECT_EQ(value_of_sink_within(most, g, graph::no_color(), graph::dense(g.count())), expected);
    EXPECT_EQ(value_of_sink_within(most, g, colors(g.draw(1000)), graph::hashed<>()), expected);
  });
}
// A node that is lost in the heap of ready nodes, begins early, or leaves a value behind.
TEST_P(random_graphs, with_priorities) {
  each(150, [](random_graph& g) {
    const std::uint64_t salt = g.draw(1'000'000);
    const auto before = [&](int k) -> const std::vector<int>& { return g.before(k); };
    const auto urgency = [salt](int k) {
      return static_cast<int>(mixed(salt + static_cast<std::uint64_t>(k)) % 9) - 4;
    };
    const std::vector<std::uint64_t> expected = g.values();
    std::vector<std::uint64_t> values(expected.size());
    graph::run(g.sink(), graph::nodes{.predecessors = before,
                                      .compute =
                                          [&](int k) {
                                            values[static_cast<std::size_t>(k)] += g.value_of(k, [&](int p) {
                                              return values[static_cast<std::size_t>(p)];
                                            });
                                          },
                                      .keys = graph::dense(g.count()),
                                      .priority = urgency});
    EXPECT_TRUE(values == expected) << "a node was computed twice, never, early, or though nobody needs it";
    const auto compute = [&](int k, auto& node) -> tracked {
      return tracked(g.value_of(k, [&](int p) { return node.value(p).value(); }));
    };
    EXPECT_EQ(
        graph::run(g.sink(), graph::nodes{.predecessors = before, .compute = compute, .priority = urgency})
            .value(),
        expected[static_cast<std::size_t>(g.sink())]);
  });
}
// A failure that is lost, or leaves something behind, wherever it happens.
TEST_P(random_graphs, that_fail) {
  each(150, [](random_graph& g) {
    const std::vector<std::uint64_t> values = g.values();
    const int fails = static_cast<int>(g.draw(static_cast<std::uint64_t>(g.count())));
    const auto run = [&] { return value_of_sink(g, fails, graph::no_color(), graph::dense(g.count())); };
    if (values[static_cast<std::size_t>(fails)] == 0) {
      EXPECT_EQ(run(), values[static_cast<std::size_t>(g.sink())]);
    } else {
      EXPECT_THROW(run(), graph::node_error);
    }
  });
}

// A graph that grows: each node k of some creates the node count + k, which reads k, what k reads, and the node
// 2 * count + k, which reads what k reads. Some do so in branches, and some run a graph of their own.
class growing_graph {
 public:
  growing_graph(const random_graph& g, std::uint64_t salt, int fails)
      : g_(g), salt_(salt), fails_(fails), created_(static_cast<std::size_t>(g.count())) {}

  std::vector<int> before(int k) const {
    const int first = k % g_.count();
    std::vector<int> keys = g_.before(first);
    if (k / g_.count() == 1) {
      keys.push_back(first);
      keys.push_back(2 * g_.count() + first);
    }
    return keys;
  }
  template <class Node>
  std::uint64_t compute(int k, Node& node) {
    if (k == fails_) throw failure{static_cast<std::uint64_t>(k)};
    const auto read = [&](int p) { return node.value(p).value(); };
    std::uint64_t value = 0;
    switch (kind(k, 1)) {
      case 0:
        // All are read, and maybe one is created, by branches.
        sennit::join([&] { grow(k, node); }, [&] { value = value_of(k, read); });
        break;
      case 1:
        grow(k, node);
        value = value_of(k, read);
        break;
      default:
        value = value_of(k, read);
        grow(k, node);
        break;
    }
    if (k / g_.count() == 1) created_[static_cast<std::size_t>(k % g_.count())] = value;
    return value;
  }
  // Whether each node that was created has the right value, and no other was created.
  bool is_right(const std::vector<std::uint64_t>& values) const {
    for (int k = 0; k < g_.count(); ++k) {
      std::uint64_t expected = 0;
      if (values[at(k)] != 0 && creates(k)) {
        const auto below = [&](int p) { return values[at(p)]; };
        const std::uint64_t second = value_of(2 * g_.count() + k, below);
        expected = value_of(g_.count() + k, [&](int p) { return p < g_.count() ? below(p) : second; });
      }
      if (created_[at(k)] != expected) return false;
    }
    return true;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  std::uint64_t kind(int k, std::uint64_t what) const {
    return mixed(salt_ + what * 1'000'003 + static_cast<std::uint64_t>(k)) % 4;
  }
  bool creates(int k) const { return k < g_.count() && kind(k, 2) == 0; }
  template <class Node>
  void grow(int k, Node& node) {
    if (!creates(k)) return;
    if (kind(k, 3) == 0) {
      sennit::join([&] { node.create(g_.count() + k); }, [&] { node.create(2 * g_.count() + k); },
                   [&] { node.create(g_.count() + k); });
    } else {
      node.create(g_.count() + k);
    }
    if (kind(k, 4) == 0 && kind(k, 5) == 0) {
      const auto chain = [](int n, auto& inner) -> int { return n == 0 ? 0 : inner.value(n - 1) + 1; };
      const auto one_below = [](int n) { return std::vector<int>(n == 0 ? 0 : 1, n - 1); };
      EXPECT_EQ(
          graph::run(9, graph::nodes{.predecessors = one_below, .compute = chain, .keys = graph::dense(10)}),
          9);
    }
  }
  template <class Read>
  std::uint64_t value_of(int k, const Read& read) const {
    if (k < g_.count()) return g_.value_of(k, read);
    std::uint64_t value = mixed(static_cast<std::uint64_t>(k));
    for (const int p : before(k)) value = folded(value, read(p));
    return value;
  }

  const random_graph& g_;
  std::uint64_t salt_;
  int fails_;
  std::vector<std::uint64_t> created_;  // the values of created nodes
};

template <class Color, class Keys>
std::uint64_t value_of_sink(const random_graph& g, growing_graph& grows, const Color& color,
                            const Keys& keys) {
  return graph::run(g.sink(), graph::nodes{.predecessors = [&](int k) { return grows.before(k); },
                                           .compute = [&](int k, auto& node) -> tracked {
                                             return tracked(grows.compute(k, node));
                                           },
                                           .color = color,
                                           .keys = keys,
                                           .coloring = {.of = graph::places::workers, .patience = 0.5}})
      .value();
}
std::uint64_t value_of_sink_within(std::size_t most, const random_graph& g, growing_graph& grows) {
  return graph::run(g.sink(), graph::nodes{.predecessors = [&](int k) { return grows.before(k); },
                                           .compute = [&](int k, auto& node) -> tracked {
                                             return tracked(grows.compute(k, node));
                                           },
                                           .most_alive = most})
      .value();
}

// A value that is freed before a created node reads it; a created node that is lost.
TEST_P(random_graphs, that_grow) {
  each(150, [](random_graph& g) {
    const std::vector<std::uint64_t> values = g.values();
    const std::uint64_t salt = g.draw(1'000'000);
    const auto expect_right = [&](const auto& color, const auto& keys) {
      growing_graph grows(g, salt, -1);
      EXPECT_EQ(value_of_sink(g, grows, color, keys), values[static_cast<std::size_t>(g.sink())]);
      EXPECT_TRUE(grows.is_right(values)) << "a created node is wrong, or was never computed";
    };
    expect_right(graph::no_color(), graph::dense(3 * g.count()));
    expect_right(graph::no_color(), graph::hashed<>());
    expect_right(colors(salt), graph::dense(3 * g.count()));
    growing_graph grows(g, salt, -1);
    EXPECT_EQ(value_of_sink_within(1 + g.draw(20), g, grows), values[static_cast<std::size_t>(g.sink())]);
    EXPECT_TRUE(grows.is_right(values)) << "a created node is wrong with most_alive, or was never computed";
  });
}
// The same where one of the nodes fails.
TEST_P(random_graphs, that_fail_while_they_grow) {
  each(150, [](random_graph& g) {
    const auto fails = static_cast<int>(g.draw(3 * static_cast<std::uint64_t>(g.count())));
    growing_graph grows(g, g.draw(1'000'000), fails);
    const std::vector<std::uint64_t> values = g.values();
    try {
      EXPECT_EQ(value_of_sink(g, grows, colors(g.draw(1000)), graph::dense(3 * g.count())),
                values[static_cast<std::size_t>(g.sink())]);
    } catch (const graph::node_error& e) {
      EXPECT_THAT(std::string(e.what()), testing::HasSubstr("the node " + std::to_string(fails)));
    }
  });
}

// The value of the sink, by a run that follows the schedule; null: by one that follows none.
std::uint64_t traced_value(const random_graph& g, int fails, graph::trace& seen,
                           const graph::schedule* followed, sennit::fidelity how) {
  const graph::nodes nodes{.predecessors = [&](int k) -> const std::vector<int>& { return g.before(k); },
                           .compute = [&](int k, auto& node) -> tracked {
                             if (k == fails) throw failure{static_cast<std::uint64_t>(k)};
                             return tracked(g.value_of(k, [&](int p) { return node.value(p).value(); }));
                           },
                           .trace = &seen};
  return (followed != nullptr ? graph::replay(*followed, how, g.sink(), nodes) : graph::run(g.sink(), nodes))
      .value();
}

constexpr sennit::fidelity all_fidelities[] = {sennit::relaxed, sennit::strict_unordered,
                                               sennit::strict_ordered};

// The graph, which need not be the one that the schedule was made for, follows the schedule in all ways.
void expect_follows(const random_graph& g, const graph::schedule& followed) {
  const std::uint64_t expected = g.values()[static_cast<std::size_t>(g.sink())];
  for (const sennit::fidelity how : all_fidelities) {
    graph::trace again;
    EXPECT_EQ(traced_value(g, -1, again, &followed, how), expected);
    if (how == sennit::relaxed) continue;
    for (const graph::trace::node& n : again.nodes()) {
      const auto home = followed.find(n.key);
      if (home.has_value()) {
        EXPECT_EQ(n.worker, home->worker) << "the node " << n.key << " was not computed by its worker";
      }
    }
  }
}

// A node that is lost in the box of its home, or computed elsewhere by a strict replay; a replay that hangs where the
// graph is not the one that was recorded.
TEST_P(random_graphs, that_are_replayed) {
  each(30, [](random_graph& g) {
    graph::trace seen;
    EXPECT_EQ(traced_value(g, -1, seen, nullptr, sennit::relaxed),
              g.values()[static_cast<std::size_t>(g.sink())]);
    const graph::schedule as_seen(seen);
    expect_follows(g, as_seen);
    expect_follows(random_graph(g.draw(1'000'000)), as_seen);
  });
}
// The same with a schedule of more or fewer workers, in an order that the graph may not allow.
TEST_P(random_graphs, that_follow_any_schedule) {
  each(30, [](random_graph& g) {
    const std::uint64_t workers = 1 + g.draw(6);
    graph::schedule any;
    for (int k = 0; k < g.count(); ++k) {
      if (g.draw(8) != 0) any.assign(std::to_string(k), static_cast<std::uint32_t>(g.draw(workers)));
    }
    if (any.workers() <= sennit::worker_count()) return expect_follows(g, any);
    graph::trace seen;
    EXPECT_EQ(traced_value(g, -1, seen, &any, sennit::relaxed),
              g.values()[static_cast<std::size_t>(g.sink())]);
    EXPECT_THROW(traced_value(g, -1, seen, &any, sennit::strict_ordered), std::runtime_error);
  });
}
// A failure that leaves a node in a box, or somebody who waits for one.
TEST_P(random_graphs, that_fail_while_they_are_replayed) {
  each(30, [](random_graph& g) {
    graph::trace seen;
    const std::uint64_t expected = traced_value(g, -1, seen, nullptr, sennit::relaxed);
    const graph::schedule as_seen(seen);
    const int fails = static_cast<int>(g.draw(static_cast<std::uint64_t>(g.count())));
    for (const sennit::fidelity how : all_fidelities) {
      graph::trace again;
      if (as_seen.find(std::to_string(fails)).has_value()) {
        EXPECT_THROW(traced_value(g, fails, again, &as_seen, how), graph::node_error);
      } else {
        EXPECT_EQ(traced_value(g, fails, again, &as_seen, how), expected);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(on, random_graphs, testing::ValuesIn(settings({1, 2, 4})), parameter_name);

}  // namespace
}  // namespace sennit_test
