// SPDX-License-Identifier: Apache-2.0
// Random fork trees: the same program under any policy, unfolded from a seed as it runs.
#pragma once

#include "support.hpp"

#include <sennit/baseline.hpp>

#include <array>
#include <cfenv>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {

// Sebastiano Vigna's splitmix64.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
// Depends on the order of its arguments.
constexpr std::uint64_t folded(std::uint64_t left, std::uint64_t right) {
  return mixed(left * 3 + mixed(right));
}

// Which constructs a program has, as bits.
enum ingredient : unsigned {
  joins = 0,
  groups = 1,
  regions = 2,
  throws = 4,
  handlers = 8,   // forks in catch blocks, and in destructors that run as the stack is unwound
  runtimes = 16,  // regions of other runtimes
  cancels = 32,
  loops = 64,
  tangles =
      128,  // two groups at once, which are waited for in another order than their children were spawned in
  feeds = 256,  // groups that are fed by whatever runs below
  everything = 511,
};

// What all strands of one run share.
struct world {
  unsigned ingredients = joins;
  int rounding = FE_TONEAREST;
  std::vector<std::shared_ptr<sennit::runtime>> runtimes;  // other threads may be in them, too

  std::atomic<std::uint64_t> leaves{0};
  // The leaves' draws and what groups' strands add, in serial order.
  sennit::reducer<std::vector<std::uint64_t>, appending> visited;
  // Properties that hold in each strand; counted, as assertions are not for hot paths.
  std::atomic<std::uint64_t> wrong_rounding{0};
  std::atomic<std::uint64_t> wrong_exception_state{0};
};

struct on_runtime : sennit::parallel {
  template <class F>
  static auto in_region(F&& f) {
    sennit::region r;
    return r.run(std::forward<F>(f));
  }
  // A region that is cancelled before it forks.
  template <class F>
  static std::optional<tracked> in_cancelled_region(F&& f) {
    sennit::region r;
    return r.run([&] {
      r.cancel();
      sennit::join(f, f);
      return tracked(0);
    });
  }
  template <class F>
  static auto elsewhere(world& w, std::uint64_t choice, F&& f) {
    if (w.runtimes.empty()) return f();
    return w.runtimes[choice % w.runtimes.size()]->run(std::forward<F>(f));
  }
};

struct as_elision : sennit::serial {
  template <class F>
  static auto in_region(F&& f) {
    return std::optional(f());
  }
  template <class F>
  static std::optional<tracked> in_cancelled_region(F&&) {
    return std::nullopt;
  }
  template <class F>
  static auto elsewhere(world&, std::uint64_t, F&& f) {
    return f();
  }
};

template <class P>
class program {
 public:
  explicit program(world& w) : world_(w) {}

  // Throws failure, where the program does.
  tracked run(std::uint64_t seed, int depth) { return run(seed, depth, nullptr); }

 private:
  // A group, and what its children come to, whatever their order.
  struct fed_group {
    std::atomic<std::uint64_t> sum{0};
    typename P::task_group group;
  };

  // `fed`: the group that the strand may feed.
  tracked run(std::uint64_t seed, int depth, fed_group* fed) {
    const std::uint64_t draw = mixed(seed);
    const auto below_feeding = [&](std::uint64_t i, fed_group* into) {
      return [this, child = mixed(draw + i), depth, into] { return run(child, depth - 1, into); };
    };
    const auto below = [&](std::uint64_t i) { return below_feeding(i, fed); };
    // What a region spawns it has to wait for.
    const auto below_alone = [&](std::uint64_t i) { return below_feeding(i, nullptr); };
    if (depth <= 0 || draw % 16 == 0) return leaf(draw);

    switch ((draw >> 8) % 12) {
      case 0: return three(below);
      case 1: return caught(draw, below);
      case 2:
        if (has(groups)) return grouped(draw, below);
        break;
      case 3:
        if (has(tangles)) return interleaved(below);
        break;
      case 4:
        if (has(regions)) return in_region(draw, below_alone);
        break;
      case 5:
        if (has(handlers)) return in_handler(below);
        break;
      case 6:
        if (has(handlers)) return in_destructor(below);
        break;
      case 7:
        if (has(runtimes)) return P::elsewhere(world_, draw >> 16, below(1));
        break;
      case 8:
        if (has(cancels)) return P::in_cancelled_region(below_alone(1)).value_or(tracked(5));
        break;
      case 9:
        if (has(loops)) return looped(draw, below);
        break;
      case 10:
        if (has(loops)) return reduced(draw, below);
        break;
      default:
        if (has(feeds))
          return fed == nullptr || draw % 3 == 0 ? feeding(below_feeding) : spawned(*fed, below);
        break;
    }
    auto [left, right] = P::join(below(1), below(2));
    return tracked(folded(left.value(), right.value()));
  }

  bool has(unsigned ingredient) const { return (world_.ingredients & ingredient) != 0; }

  tracked leaf(std::uint64_t draw) {
    world_.leaves.fetch_add(1, std::memory_order_relaxed);
    world_.visited->push_back(draw);
    if (std::fegetround() != world_.rounding) world_.wrong_rounding.fetch_add(1, std::memory_order_relaxed);
    if (has(throws) && (draw >> 32) % 24 == 0) throw failure{draw};
    // Of different lengths, so that either branch may end first.
    for (std::uint64_t i = (draw >> 40) % 64; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
    if ((draw >> 48) % 64 == 0) std::this_thread::yield();
    return tracked(draw);
  }

  template <class Below>
  tracked three(const Below& below) {
    auto [a, b, c] = P::join(below(1), below(2), below(3));
    return tracked(folded(folded(a.value(), b.value()), c.value()));
  }

  template <class Below>
  tracked caught(std::uint64_t draw, const Below& below) {
    try {
      auto [left, right] = P::join(below(1), below(2));
      return tracked(folded(right.value(), left.value()));
    } catch (const failure& f) {
      return tracked(folded(draw, f.position));
    }
  }

  template <class Below>
  tracked grouped(std::uint64_t draw, const Below& below) {
    std::array<std::optional<tracked>, 6> results;
    const std::size_t children = 1 + (draw >> 20) % results.size();
    {
      typename P::task_group group;
      for (std::size_t i = 0; i < children; ++i) {
        group.spawn([&results, i, child = below(i)] { results[i].emplace(child()); });
        // Frames come and go on top of the children.
        if ((draw >> (24 + i)) % 4 == 0) P::join([] {}, [] {});
        if ((draw >> (42 + i)) % 2 == 0) world_.visited->push_back(draw + i);
        // Waiting in the middle, and waiting in the destructor only.
        if ((draw >> (30 + i)) % 4 == 0) group.wait();
      }
      if ((draw >> 36) % 2 == 0) group.wait();
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < children; ++i) sum = folded(sum, results[i].value().value());
    return tracked(sum);
  }

  // Two groups whose children lie mixed in the deque, and one within a branch. The children throw nothing:
  // which of two groups is waited for first is the program's choice, and the elision knows nothing of it.
  template <class Below>
  tracked interleaved(const Below& below) {
    std::array<std::optional<tracked>, 5> results;
    const auto into = [&](std::size_t i) {
      return [&results, i, child = below(i)] {
        try {
          results[i].emplace(child());
        } catch (const failure& f) {
          results[i].emplace(f.position);
        }
      };
    };
    {
      typename P::task_group first;
      typename P::task_group second;
      first.spawn(into(0));
      second.spawn(into(1));
      first.spawn(into(2));
      P::join(
          [&] {
            typename P::task_group inner;
            inner.spawn(into(3));
          },
          into(4));
      first.wait();
    }
    std::uint64_t sum = 0;
    for (const auto& r : results) sum = folded(sum, r.value().value());
    return tracked(sum);
  }

  template <class Below>
  tracked feeding(const Below& below) {
    fed_group all;
    const tracked own = below(1, &all)();
    all.group.wait();
    return sum_of(own, all);
  }

  // What a program feeds that throws depends on what runs beside the strand that does.
  tracked sum_of(const tracked& own, const fed_group& all) const {
    return tracked(has(throws) ? own.value() : folded(own.value(), all.sum.load()));
  }

  template <class Below>
  static tracked spawned(fed_group& into, const Below& below) {
    into.group.spawn([&into, child = below(1)] {
      try {
        into.sum.fetch_add(child().value(), std::memory_order_relaxed);
      } catch (const failure&) {
      }
    });
    return below(2)();
  }

  static sennit::loop_options options_of(std::uint64_t draw) {
    switch ((draw >> 20) % 5) {
      case 0: return sennit::grain(1);
      case 1: return sennit::grain(3);
      case 2: return sennit::static_partition;
      case 3: return sennit::baseline::thesis;
      default: return {};
    }
  }

  template <class Below>
  tracked looped(std::uint64_t draw, const Below& below) {
    std::array<std::optional<tracked>, 9> results;
    const std::uint64_t n = (draw >> 24) % (results.size() + 1);
    const auto body = [&](std::uint64_t i) { results[i].emplace(below(i)()); };
    P::parallel_for(std::uint64_t{0}, n, body, options_of(draw));
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum = folded(sum, results[i].value().value());
    return tracked(sum);
  }

  // The operation only has to be associative.
  template <class Below>
  tracked reduced(std::uint64_t draw, const Below& below) {
    const auto affine = [](std::array<std::uint64_t, 2> f, std::array<std::uint64_t, 2> g) {
      return std::array<std::uint64_t, 2>{f[0] * g[0], f[1] * g[0] + g[1]};
    };
    const auto map = [&](std::uint64_t i) {
      const std::uint64_t value = below(i)().value();
      return std::array<std::uint64_t, 2>{value | 1, value >> 7};
    };
    const auto total = P::parallel_reduce(std::uint64_t{0}, (draw >> 24) % 12,
                                          std::array<std::uint64_t, 2>{1, 0}, map, affine, options_of(draw));
    return tracked(folded(total[0], total[1]));
  }

  template <class Below>
  tracked in_region(std::uint64_t draw, const Below& below) {
    return P::in_region([&] {
             auto [left, right] = P::join(below(1), below(2));
             return tracked(folded(left.value(), right.value() ^ draw));
           })
        .value();
  }

  template <class Below>
  tracked in_handler(const Below& below) {
    try {
      throw failure{1};
    } catch (const failure& outer) {
      std::optional<tracked> result;
      try {
        auto [left, right] = P::join(below(1), below(2));
        result.emplace(folded(left.value(), right.value()));
      } catch (const failure& inner) {
        result.emplace(inner.position);
      }
      try {
        std::rethrow_exception(std::current_exception());
      } catch (const failure& again) {
        if (&again != &outer || again.position != 1) ++world_.wrong_exception_state;
      }
      return std::move(*result);
    }
  }

  template <class Below>
  tracked in_destructor(const Below& below) {
    std::optional<tracked> result;
    struct forks {
      program& self;
      const Below& below;
      std::optional<tracked>& result;
      ~forks() {
        const int uncaught = std::uncaught_exceptions();
        try {
          auto [left, right] = P::join(below(1), below(2));
          result.emplace(folded(left.value(), right.value()));
        } catch (const failure& f) {
          result.emplace(f.position);
        }
        if (std::uncaught_exceptions() != uncaught) ++self.world_.wrong_exception_state;
      }
    };
    try {
      const forks at_end{*this, below, result};
      throw failure{2};
    } catch (const failure& f) {
      if (f.position != 2) ++world_.wrong_exception_state;
    }
    return std::move(*result);
  }

  world& world_;
};

// How a program ended: its value, or the position of its exception.
struct ending {
  bool threw = false;
  std::uint64_t value = 0;
  friend bool operator==(const ending&, const ending&) = default;
  friend std::ostream& operator<<(std::ostream& out, const ending& e) {
    return out << (e.threw ? "threw " : "returned ") << e.value;
  }
};

template <class Run>
ending ending_of(Run&& run) {
  try {
    return {false, run().value()};
  } catch (const failure& f) {
    return {true, f.position};
  }
}

}  // namespace sennit_test
