// Random graphs against a serial evaluation in topological order: the same values, or the same failure.
#include "../core/random_program.hpp"
#include "support.hpp"

#include <cstdlib>
#include <numeric>
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

INSTANTIATE_TEST_SUITE_P(on, random_graphs, testing::ValuesIn(settings({1, 2, 4})), parameter_name);

}  // namespace
}  // namespace sennit_test
