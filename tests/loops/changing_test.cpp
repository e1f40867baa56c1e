// SPDX-License-Identifier: Apache-2.0
// Loops that change while the program runs: what an iteration costs, how many there are, what surrounds the loop, who entered the
// runtime. All of it is unfolded from a seed. Nothing is timed: in many loops some iterations wait for each other, so that a
// loop which keeps them from a worker that waits never ends; and how much a loop goes on once it is asked is counted.
#include "../core/random_program.hpp"
#include "support.hpp"

#include <sennit/sennit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// TEST_SEED repeats one seed; TEST_SEEDS says how many to try.
std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
template <class Test>
void each_seed(int seeds, Test&& test) {
  const std::uint64_t first = number("TEST_SEED", 1);
  const std::uint64_t count = number("TEST_SEEDS", static_cast<std::uint64_t>(scaled(seeds)));
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("repeat with TEST_SEED=" + std::to_string(seed) + " TEST_SEEDS=1");
    test(seed);
  }
}

// Numbers of one place in a program, one after the other.
class draws {
 public:
  explicit draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) { return (state_ = mixed(state_)) % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

// The iterations of one loop: what each costs and gives, and which of them wait until `crowd` of them are under way.
class iterations {
 public:
  // A millionfold up and down, and the less the more there are; now and then one is a thousand times the others.
  iterations(draws& d, std::uint64_t crowd, bool waits) : values_(size(d)), waits_(waits) {
    const std::uint64_t n = values_.size();
    steps_ = std::min(std::uint64_t{1} << d.below(21), most_steps / n);
    outlier_ = d.one_in(4) ? d.below(n) : n;
    seed_ = d.below(1U << 30);
    crowd_ = std::min<std::uint64_t>(d.one_in(2) ? crowd : 1 + d.below(crowd), n);
    first_ = d.below(n);
    gap_ = d.one_in(2) ? 1 : 1 + d.below(n);
    keep_apart(1);
  }

  // Those that wait are no closer to each other, and no more than there is room for.
  void keep_apart(std::uint64_t least) {
    const std::uint64_t last = values_.size() - 1;
    const std::uint64_t room = last / least + 1;
    crowd_ = std::min(crowd_, room > most_left ? room - most_left : 1);
    if (crowd_ == 1) return;
    gap_ = std::max(least, std::min(gap_, last / (invited() - 1)));
    first_ = std::min(first_, last - gap_ * (invited() - 1));
  }

  std::uint64_t size() const { return values_.size(); }
  const std::vector<std::uint32_t>& values() const { return values_; }

  std::uint32_t value_of(std::uint64_t i) const { return static_cast<std::uint32_t>(mixed(seed_ + i) >> 40); }

  std::uint32_t run(std::uint64_t i) {
    for (std::uint64_t k = i == outlier_ ? std::max(steps_, std::min(1000 * steps_, most_steps)) : steps_;
         k != 0; --k)
      asm volatile("");
    if (waits_ && crowd_ > 1 && meets(i)) meet();
    // Not an assignment: an iteration that runs twice shows.
    return values_[i] += value_of(i);
  }

 private:
  static constexpr std::uint64_t most_steps = 1U << 20;

  // An iteration that is under way as somebody asks has to end before the loop can be shared. One that was asked before may
  // have run on meanwhile, as the thief had found something else just then; but not again and again.
  static constexpr std::uint64_t most_left = 3;

  std::uint64_t invited() const { return crowd_ + most_left; }
  bool meets(std::uint64_t i) const {
    return i >= first_ && (i - first_) % gap_ == 0 && (i - first_) / gap_ < invited();
  }
  void meet() {
    ++here_;
    await(
        [this] {
          if (here_ >= crowd_) met_ = true;
          if (met_) return true;
          if (!sennit::detail::any_gate_shut() || left_.fetch_add(1) >= most_left) return false;
          --here_;
          return true;
        },
        "iterations that the loop kept from workers");
  }

  static std::uint64_t size(draws& d) {
    switch (d.below(8)) {
      case 0: return 62 + d.below(5);
      case 1: return 500 + d.below(1000);
      case 2: return d.one_in(4) ? 20'000 + d.below(20'000) : 100;
      default: return 1 + d.below(20);
    }
  }

  std::vector<std::uint32_t> values_;
  const bool waits_;
  std::uint64_t steps_ = 0;
  std::uint64_t outlier_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t crowd_ = 1;
  std::uint64_t first_ = 0;
  std::uint64_t gap_ = 1;
  std::atomic<std::uint64_t> here_{0};
  std::atomic<std::uint64_t> left_{0};
  std::atomic<bool> met_{false};
};

// An element that knows its loop, for functions that know nothing else.
struct item {
  iterations* loop;
  std::uint64_t number;
  void run() { loop->run(number); }
  static void run_it(item& it) { it.loop->run(it.number); }
  static void run_it_too(item& it) { it.loop->run(it.number); }
};

std::vector<item> items_of(iterations& loop) {
  std::vector<item> items;
  for (std::uint64_t i = 0; i < loop.size(); ++i) items.push_back({&loop, i});
  return items;
}

struct serially : sennit::serial {
  static constexpr bool waits = false;
  template <class F>
  static void in_region(F&& f) {
    f();
  }
};
struct in_parallel : sennit::parallel {
  static constexpr bool waits = true;
  template <class F>
  static void in_region(F&& f) {
    sennit::region r;
    r.run(f);
  }
};

// `crowd`: how many workers the strand may keep in iterations that wait, together with all that it forks. Of strands that are at
// work at once the crowds add up to no more than there are workers, so that for each iteration that is missed there is one.
template <class P>
class program {
 public:
  std::uint64_t run(std::uint64_t seed, int depth, std::uint64_t crowd) {
    draws d(seed);
    const auto below = [&](std::uint64_t i, std::uint64_t part) {
      return [this, child = mixed(seed * 8 + i), depth, part] { return run(child, depth - 1, part); };
    };
    if (depth <= 0) return step(d, crowd);
    switch (d.below(9)) {
      case 0: return in_turn(below(1, crowd), below(2, crowd));
      case 1: return forked(d, below, crowd);
      case 2: return spawned(d, below, crowd);
      case 3: return looped(d, below, crowd);
      case 4: return entered(below(1, crowd));
      case 5: return handling(below(1, crowd));
      case 6: return unwinding(below(1, crowd));
      case 7: return thrown(d);
      default: return step(d, crowd);
    }
  }

 private:
  static constexpr std::uint64_t most_columns = 16;

  // Several loops, of which each may be one that was brief, or long, the last times.
  std::uint64_t step(draws& d, std::uint64_t crowd) {
    std::uint64_t sum = 0;
    for (std::uint64_t loops = 1 + d.below(4); loops != 0; --loops) {
      // Brief ones, over and over, that nobody is to believe in.
      const std::uint64_t form = d.below(11);
      if (d.one_in(4)) {
        const std::uint64_t seed = d.below(1U << 30);
        for (std::uint64_t k = d.one_in(4) ? 200 : 10; k != 0; --k) {
          draws again(seed);
          iterations brief(again, 1, P::waits);
          if (brief.size() > 100) break;
          sum = folded(sum, loop(form, brief));
        }
      }
      iterations all(d, crowd, P::waits);
      sum = folded(sum, loop(form, all));
    }
    return sum;
  }

  // Each form is one place in the program, for loops of all kinds.
  std::uint64_t loop(std::uint64_t form, iterations& all) {
    const std::uint64_t n = all.size();
    switch (form) {
      case 0: P::parallel_for(std::uint64_t{0}, n, [&all](std::uint64_t i) { all.run(i); }); break;
      case 1: {
        const std::function<void(std::uint64_t)> body = [&all](std::uint64_t i) { all.run(i); };
        P::parallel_for(std::uint64_t{0}, n, body);
        break;
      }
      case 2: {
        std::vector<item> items = items_of(all);
        P::parallel_for(items, n % 2 == 0 ? &item::run_it : &item::run_it_too);
        break;
      }
      case 3: {
        std::vector<item> items = items_of(all);
        P::parallel_for(items, &item::run);
        break;
      }
      case 4:
        P::parallel_for(std::uint64_t{0}, n, [&all](std::uint64_t i) { all.run(i); }, sennit::grain(1));
        break;
      case 5:
        P::parallel_for(std::uint64_t{0}, 3 * n, std::uint64_t{3},
                        [&all](std::uint64_t i) { all.run(i / 3); });
        break;
      case 6:
        return P::parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0},
                                  [&all](std::uint64_t i) { return std::uint64_t{all.run(i)}; });
      case 7: {
        const std::vector<item> items = items_of(all);
        std::vector<std::uint32_t> results(n);
        P::parallel_transform(items, results, [](const item& it) { return it.loop->run(it.number); });
        break;
      }
      case 8: nest(all, sennit::row); break;
      // Where there are many tiles, rows of them are run as one.
      case 9:
        all.keep_apart(most_columns);
        nest(all, sennit::tiled(4));
        break;
      default:
        all.keep_apart(most_columns);
        nest(all, sennit::morton);
        break;
    }
    return sum_of(all);
  }

  template <class Order>
  void nest(iterations& all, Order order) {
    const std::uint64_t n = all.size();
    const std::uint64_t columns = std::min(n, most_columns);
    P::parallel_for_nest(
        {(n + columns - 1) / columns, columns},
        [&all, n, columns](auto i, auto j) {
          if (const std::uint64_t at = i * columns + j; at < n) all.run(at);
        },
        order);
  }

  static std::uint64_t sum_of(const iterations& all) {
    std::uint64_t sum = 0;
    for (const std::uint32_t value : all.values()) sum = folded(sum, value);
    return sum;
  }

  template <class F, class G>
  static std::uint64_t in_turn(F f, G g) {
    const std::uint64_t first = f();
    return folded(first, g());
  }

  template <class Below>
  static std::uint64_t forked(draws& d, const Below& below, std::uint64_t crowd) {
    const std::uint64_t right = d.below(crowd);
    if (right == 0) return below(1, crowd)();
    auto [a, b] = P::join(below(1, crowd - right), below(2, right));
    return folded(a, b);
  }

  template <class Below>
  static std::uint64_t spawned(draws& d, const Below& below, std::uint64_t crowd) {
    const std::uint64_t children = 1 + d.below(crowd);
    std::vector<std::uint64_t> results(children);
    {
      typename P::task_group group;
      for (std::uint64_t i = 0; i < children; ++i)
        group.spawn([&results, i, child = below(i, crowd / children)] { results[i] = child(); });
      group.wait();
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t result : results) sum = folded(sum, result);
    return sum;
  }

  template <class Below>
  static std::uint64_t looped(draws& d, const Below& below, std::uint64_t crowd) {
    const std::uint64_t n = 1 + d.below(crowd);
    std::vector<std::uint64_t> results(n);
    P::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t i) { results[i] = below(i, crowd / n)(); });
    std::uint64_t sum = 0;
    for (const std::uint64_t result : results) sum = folded(sum, result);
    return sum;
  }

  template <class F>
  static std::uint64_t entered(F f) {
    std::uint64_t result = 0;
    P::in_region([&] { result = f(); });
    return result;
  }

  template <class F>
  static std::uint64_t handling(F f) {
    try {
      throw failure{1};
    } catch (const failure& caught) {
      return folded(caught.position, f());
    }
  }

  template <class F>
  static std::uint64_t unwinding(F f) {
    std::uint64_t result = 0;
    struct at_end {
      F& f;
      std::uint64_t& result;
      ~at_end() { result = f(); }
    };
    try {
      const at_end runs{f, result};
      throw failure{2};
    } catch (const failure& caught) {
      return folded(caught.position, result);
    }
  }

  // Iterations that throw wait for nobody, as those to the right of them may be dropped. What is thrown is the lowest one's.
  static std::uint64_t thrown(draws& d) {
    iterations all(d, 1, P::waits);
    const std::uint64_t rare = 1 + d.below(2 * all.size());
    try {
      P::parallel_for(std::uint64_t{0}, all.size(), [&](std::uint64_t i) {
        if (all.value_of(i) % rare == 0) throw failure{i};
        all.run(i);
      });
    } catch (const failure& caught) {
      std::uint64_t sum = caught.position;
      for (std::uint64_t i = 0; i < caught.position; ++i) sum = folded(sum, all.values()[i]);
      return sum;
    }
    return sum_of(all);
  }
};

constexpr int deepest = 4;

// Each of the threads enters the runtime, again and again, with programs of its own.
void compare(sennit::runtime& rt, std::uint64_t seed, unsigned workers, unsigned threads) {
  current_setting() = "TEST_SEED=" + std::to_string(seed);
  std::atomic<int> different{0};
  const auto enter = [&](unsigned thread) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::uint64_t own = mixed(seed * 64 + thread * 8 + i);
      const std::uint64_t expected = program<serially>().run(own, deepest, workers / threads);
      const std::uint64_t got =
          rt.run([&] { return program<in_parallel>().run(own, deepest, workers / threads); });
      if (got != expected) ++different;
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(enter, thread);
  enter(0);
  for (std::thread& t : others) t.join();
  EXPECT_EQ(different, 0);
}

// Catches: a loop that keeps iterations from workers which wait, whatever it cost before, is made of or is within, also beside loops of
// other threads; iterations that are lost or run twice; another exception than in the serial program.
TEST(loops_changing, are_their_elisions_and_leave_nobody_waiting) {
  for (const setting& s : settings({2, 3, 8})) {
    SCOPED_TRACE(name(s));
    sennit::runtime on_demand(s.options());
    sennit::runtime_options options = s.options();
    options.promotion = sennit::heartbeat(std::chrono::microseconds(100));
    sennit::runtime in_beats(options);
    each_seed(6, [&](std::uint64_t seed) {
      const unsigned threads = 1 + static_cast<unsigned>(mixed(seed) % std::min(3U, s.workers));
      compare(seed % 4 == 0 ? in_beats : on_demand, seed, s.workers, threads);
    });
  }
}

// Between threads, and yet nothing that the compiler does not see through, as it does not through atomics.
#if SENNIT_TSAN
using flag = std::atomic<bool>;
#else
using flag = volatile bool;
#endif

// Loops of one place each, of one strand, with changing costs. In the last one an iteration does not end before another thread has
// cancelled the region.
class asked {
 public:
  // The compiler sees all of an iteration, so the loop looks at the gate where a block ends; or else after each iteration.
  static constexpr int seen_forms = 4;
  static constexpr int forms = 8;

  // How many iterations begin after that one.
  std::uint64_t goes_on_for(std::uint64_t seed, int form) {
    draws d(seed);
    for (std::uint64_t before = d.below(30); before != 0; --before) {
      const std::uint64_t n = d.one_in(2) ? 1 + d.below(100) : 1 + d.below(50'000);
      run(form, n, n, std::min(std::uint64_t{1} << d.below(18), 100'000 / n));
    }
    const std::uint64_t n = d.one_in(2) ? 1 + d.below(200) : 1 + d.below(100'000);
    const std::uint64_t at = d.below(d.one_in(2) ? n : std::min<std::uint64_t>(n, 200));
    reached_ = false;
    cancelled_ = false;
    sennit::region region;
    std::thread other([&] {
      while (!reached_) std::this_thread::yield();
      region.cancel();
      cancelled_ = true;
    });
    region.run([&] { run(form, n, at, 0); });
    other.join();
    return static_cast<std::uint64_t>(
        std::count(ran_.begin() + static_cast<std::ptrdiff_t>(at) + 1, ran_.end(), 1));
  }

 private:
  void run(int form, std::uint64_t n, std::uint64_t at, std::uint64_t steps) {
    ran_.assign(n, 0);
    const auto seen = [this, ran = ran_.data(), at, steps](std::uint64_t i) {
      ran[i] = 1;
      for (std::uint64_t k = steps; k != 0; --k) asm volatile("" : : "r"(k));
      if (i != at) return;
      reached_ = true;
      while (!cancelled_) {
      }
    };
    const auto unseen = [&](std::uint64_t i) {
      seen(i);
      call_();
    };
    switch (form) {
      case 0: sennit::parallel_for(std::uint64_t{0}, n, seen); break;
      case 1:
        sennit::parallel_for(std::uint64_t{0}, 2 * n, std::uint64_t{2},
                             [=](std::uint64_t i) { seen(i / 2); });
        break;
      case 2:
        sennit::parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, [=](std::uint64_t i) {
          seen(i);
          return i;
        });
        break;
      case 3:
        sennit::parallel_for(ran_, [seen, first = ran_.data()](const std::uint32_t& c) {
          seen(static_cast<std::uint64_t>(&c - first));
        });
        break;
      case 4: sennit::parallel_for(std::uint64_t{0}, n, unseen); break;
      case 5:
        sennit::parallel_for(std::uint64_t{0}, 2 * n, std::uint64_t{2},
                             [&](std::uint64_t i) { unseen(i / 2); });
        break;
      case 6:
        sennit::parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, [=](std::uint64_t i) {
          unseen(i);
          return i;
        });
        break;
      default:
        sennit::parallel_for(ran_, [unseen, first = ran_.data()](const std::uint32_t& c) {
          unseen(static_cast<std::uint64_t>(&c - first));
        });
        break;
    }
  }

  static void nothing() {}
  // Which function is called, the compiler does not know.
  void (*volatile call_)() = &nothing;

  std::vector<std::uint32_t> ran_;  // no characters, through which the gate might be written to
  flag reached_{false};
  flag cancelled_{false};
};

// Catches: a loop that goes on for more than its block although somebody has shut its gate, because it was a brief one. The
// iterations before the last take less than a tick on some machines, and the last block of those is a long one.
TEST(loops_changing, end_within_a_block_where_somebody_asks) {
  for (const setting& s : settings({1})) {
    SCOPED_TRACE(name(s));
    sennit::runtime rt(s.options());
    each_seed(6, [&](std::uint64_t seed) {
      for (int form = 0; form < asked::forms; ++form) {
        asked loops;
        const std::uint64_t more = rt.run([&] { return loops.goes_on_for(seed, form); });
        EXPECT_LE(more, form < asked::seen_forms ? sennit::detail::pace::long_block : 1) << "form " << form;
      }
    });
  }
}

}  // namespace
}  // namespace sennit_test
