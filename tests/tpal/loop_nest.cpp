#include "tests/tpal/loop_nest.hpp"

#include <fmt/format.h>

#include <random>

namespace tpal {
namespace {

// Blocks and registers of loop k have a k behind their names; `m` and `c` are a task's part of the answer, the function that
// takes x to m * x + c.
class writer {
 public:
  explicit writer(const loop_nest& nest) : nest_(nest), depth_(nest.loops.size()) {}

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
    text_ += fmt::format("beat{0}:\n  back := head{0}; jump beat{0}-1\n", k);
    for (std::size_t l = 1; l <= k; ++l) {
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

}  // namespace

loop_nest loop_nest::random(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  loop_nest nest;
  nest.loops.resize(1 + static_cast<std::size_t>(below(4)));
  const std::uint64_t most[] = {60, 14, 7, 5};
  for (trip& t : nest.loops) t = {below(5), below(40), 1 + below(most[nest.loops.size() - 1])};
  return nest;
}

std::string loop_nest::source() const { return writer(*this).run(); }

std::int64_t loop_nest::expected() const {
  std::vector<std::int64_t> index{3};
  std::uint64_t c = 0;
  fold(*this, index, c);
  return static_cast<std::int64_t>(c);
}

}  // namespace tpal
