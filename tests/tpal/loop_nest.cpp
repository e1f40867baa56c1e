// SPDX-License-Identifier: Apache-2.0
#include "tests/tpal/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

namespace tpal {
namespace {

// Blocks and registers of loop k have a k behind their names; `m` and `c` are a task's part of the answer, the function that
// takes x to m * x + c.
class writer {
 public:
  writer(const loop_nest& nest, loop_nest::promotes which)
      : nest_(nest), which_(which), depth_(nest.loops.size()) {}

  std::string run() {
    text_ = ".output c\nmain:\n  m := 1; c := 0; i0 := 3\n";
    open_loop(1);
    text_ += "  jump head1\n";
    for (std::size_t k = 1; k <= depth_; ++k) {
      loop(k);
      promotion(k);
    }
    return text_;
  }

 private:
  void open_loop(std::size_t k) {
    const loop_nest::trip& t = nest_.loops[k - 1];
    text_ +=
        fmt::format("  e{0} := i{1} * {2}; e{0} := e{0} + {3}; e{0} := e{0} % {4}; i{0} := 0; s{0} := 1\n", k,
                    k - 1, t.a, t.b, t.c);
  }

  void loop(std::size_t k) {
    text_ += fmt::format(
        "head{0}: [prppt beat{0}]\n  left := e{0} - i{0}; if-jump left, end{0}\n  i{0} := i{0} + 1\n", k);
    if (k < depth_) {
      open_loop(k + 1);
      text_ += fmt::format("  jump head{}\n", k + 1);
    } else {
      text_ += "  x := 7\n";
      for (std::size_t l = 1; l <= depth_; ++l) text_ += fmt::format("  x := x * 5; x := x + i{}\n", l);
      text_ += fmt::format("  m := m * 31; c := c * 31; c := c + x\n  jump head{}\n", k);
    }
    text_ += fmt::format("end{0}:\n  if-jump s{0}, meet{0}; jump exit{0}\n", k);
    text_ += fmt::format("exit{0}: [jtppt assoc; {{m -> m2, c -> c2}}; add{0}]\n", k);
    text_ += k == 1 ? std::string("  halt\n") : fmt::format("  s{} := 1; jump head{}\n", k, k - 1);
    text_ += fmt::format("meet{0}:\n  join j{0}\nadd{0}:\n", k);
    text_ += fmt::format("  c := c * m2; c := c + c2; m := m * m2; join j{}\n", k);
  }

  void promotion(std::size_t k) {
    const std::size_t first = which_ == loop_nest::promotes::outermost ? 1 : k;
    text_ += fmt::format("beat{0}:\n  back := head{0}; jump beat{0}-{1}\n", k, first);
    for (std::size_t l = first; l <= k; ++l) {
      // An iteration of the loop itself that is left alone is the task's own next one.
      text_ += fmt::format(
          "beat{0}-{1}:\n  left := e{1} - i{1}; t := left < {2}; if-jump t, {3}\n  jump promote{1}\n", k, l,
          l < k ? 1 : 2, l < k ? fmt::format("beat{}-{}", k, l + 1) : fmt::format("head{}", k));
    }
    text_ += fmt::format(
        "promote{0}:\n  if-jump s{0}, fork{0}; j{0} := jralloc exit{0}; s{0} := 0; jump fork{0}\n", k);
    text_ += fmt::format(
        "fork{0}:\n  half := left / 2; middle := i{0} + half; own := i{0}; own-m := m; own-c := c\n"
        "  i{0} := middle; m := 1; c := 0; fork j{0}, head{0}\n"
        "  i{0} := own; e{0} := middle; m := own-m; c := own-c; jump back\n",
        k);
  }

  const loop_nest& nest_;
  const loop_nest::promotes which_;
  const std::size_t depth_;
  std::string text_;
};

void fold(const loop_nest& nest, std::vector<std::int64_t>& index, std::uint64_t& c) {
  const std::size_t k = index.size();  // with index[0] before the first loop
  const loop_nest::trip& t = nest.loops[k - 1];
  const std::int64_t end = (index.back() * t.a + t.b) % t.c;
  for (std::int64_t i = 1; i <= end; ++i) {
    index.push_back(i);
    if (k < nest.loops.size()) {
      fold(nest, index, c);
    } else {
      std::uint64_t x = 7;
      for (std::size_t l = 1; l < index.size(); ++l) x = x * 5 + static_cast<std::uint64_t>(index[l]);
      c = c * 31 + x;
    }
    index.pop_back();
  }
}

// Instructions of the longest path through an instance of loop k, whose index around is `outer`.
std::uint64_t span_of(const loop_nest& nest, std::size_t k, std::int64_t outer) {
  constexpr std::uint64_t around = 8;  // what enters and leaves a loop
  constexpr std::uint64_t step = 4;
  const std::size_t depth = nest.loops.size();
  const loop_nest::trip& t = nest.loops[k];
  const auto n = static_cast<std::uint64_t>((outer * t.a + t.b) % t.c);
  std::uint64_t longest = 5 + 2 * depth;  // the body
  for (std::uint64_t i = 1; k + 1 < depth && i <= n; ++i)
    longest = std::max(longest, span_of(nest, k + 1, static_cast<std::int64_t>(i)));
  return around + static_cast<std::uint64_t>(std::bit_width(n)) * nest.promotion_cost() +
         (n == 0 ? 0 : step + longest);
}

}  // namespace

loop_nest loop_nest::large(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&random](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + random() % (most - least + 1));
  };
  loop_nest nest;
  nest.loops.resize(1 + seed % 4);
  const std::pair<std::uint64_t, std::uint64_t> sizes[] = {{1000, 4000}, {30, 90}, {10, 24}, {6, 10}};
  const auto [least, most] = sizes[nest.loops.size() - 1];
  // The same for each index around, or more for some than for others.
  for (trip& t : nest.loops) {
    const std::int64_t n = between(least, most);
    t = random() % 2 == 0 ? trip{0, n, n + 1} : trip{between(1, 4), n, 2 * n};
  }
  return nest;
}

std::uint64_t loop_nest::promotion_cost() const {
  constexpr std::uint64_t of_fork = 2 + 4 + 14;
  constexpr std::uint64_t of_join = 4 + 4 + 2;
  return of_fork + 4 * loops.size() + of_join;
}

std::uint64_t loop_nest::parallel_span() const { return span_of(*this, 0, 3); }

loop_nest loop_nest::random(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  loop_nest nest;
  nest.loops.resize(1 + static_cast<std::size_t>(below(4)));
  const std::uint64_t most[] = {60, 14, 7, 5};
  for (trip& t : nest.loops) t = {below(5), below(40), 1 + below(most[nest.loops.size() - 1])};
  return nest;
}

std::string loop_nest::source(promotes which) const { return writer(*this, which).run(); }

std::int64_t loop_nest::expected() const {
  std::vector<std::int64_t> index{3};
  std::uint64_t c = 0;
  fold(*this, index, c);
  return static_cast<std::int64_t>(c);
}

}  // namespace tpal
