// SPDX-License-Identifier: Apache-2.0
// What a splice promises, and in which order it does things.
#include "support.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using sennit::call;
using sennit::call_effects;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::sequence;
using sennit::splice;
using sennit::step;
using sennit::writes;
using testing::ElementsAre;
using testing::HasSubstr;

// What happened, in order: thread and first index of steps.
using seen = std::pair<int, std::int64_t>;
class diary {
 public:
  void note(int thread, std::int64_t first) {
    const std::lock_guard guard(lock_);
    all_.emplace_back(thread, first);
  }
  const std::vector<seen>& all() const { return all_; }
  std::vector<std::int64_t> of(int thread) const {
    std::vector<std::int64_t> result;
    for (const auto& [t, first] : all_) {
      if (t == thread) result.push_back(first);
    }
    return result;
  }

 private:
  std::mutex lock_;
  std::vector<seen> all_;
};

// The paper's example: A is copied to B, or to C.
void copy(double* to, const double* from, range r, std::int64_t block, int thread, diary& d) {
  const call_effects fx{reads(memory_range(from, r)), writes(memory_range(to, r))};
  if (r.size() <= block) {
    step(fx, [&] {
      d.note(thread, r.first);
      std::copy(from + r.first, from + r.last, to + r.first);
    });
  } else {
    sequence(call(copy, to, from, r.left(), block, thread, d),
             call(copy, to, from, r.right(), block, thread, d));
  }
}

// Time steps of a stencil.
struct stencil {
  explicit stencil(std::int64_t n) : u{std::vector<double>(n), std::vector<double>(n)}, inner{1, n - 1} {
    for (std::int64_t i = 0; i < n; ++i) u[0][i] = u[1][i] = static_cast<double>(i * i % 97);
  }
  static void kernel(double* out, const double* in, range r) {
    for (auto i = r.first; i < r.last; ++i) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  }
  void sweep(int t, range r, std::int64_t block, diary& d) {
    double* const out = u[(t + 1) % 2].data();
    const double* const in = u[t % 2].data();
    const call_effects fx{reads(memory_range(in, r.grown(1))), writes(memory_range(out, r))};
    if (r.size() <= block) {
      step(fx, [&] {
        d.note(t, r.first);
        kernel(out, in, r);
      });
    } else {
      sequence(call(&stencil::sweep, this, t, r.left(), block, d),
               call(&stencil::sweep, this, t, r.right(), block, d));
    }
  }
  auto tree(int t, std::int64_t block) {
    double* const out = u[(t + 1) % 2].data();
    const double* const in = u[t % 2].data();
    return sennit::divided{
        inner, block,
        [=](range r) { return effects(reads(memory_range(in, r.grown(1))), writes(memory_range(out, r))); },
        [=](range r) { kernel(out, in, r); }};
  }
  void serially(int times) {
    for (int t = 0; t < times; ++t) kernel(u[(t + 1) % 2].data(), u[t % 2].data(), inner);
  }
  std::vector<double> u[2];
  range inner;
};

template <class F>
auto on_one(F&& f) {
  return runtime_of(1).run(std::forward<F>(f));
}

// Catches threads that are not kept at equal depth, so that data is out of the cache when it is used again.
TEST(order, alternates_where_nothing_is_in_the_way) {
  std::vector<double> a(8, 1.5), b(8), c(8);
  diary d;
  on_one([&] { splice(2, [&](int t) { copy(t == 0 ? b.data() : c.data(), a.data(), {0, 8}, 2, t, d); }); });
  EXPECT_THAT(d.all(), ElementsAre(seen(0, 0), seen(1, 0), seen(0, 2), seen(1, 2), seen(0, 4), seen(1, 4),
                                   seen(0, 6), seen(1, 6)));
  EXPECT_EQ(b, a);
  EXPECT_EQ(c, a);
}

// Catches a step that waits longer than it has to: at each block one of each time step is done, one block behind.
TEST(order, is_a_skewed_wavefront_for_a_stencil) {
  stencil s(10);
  stencil expected(10);
  expected.serially(2);
  diary d;
  on_one([&] { splice(2, [&](int t) { s.sweep(t, s.inner, 2, d); }); });
  EXPECT_THAT(d.all(), ElementsAre(seen(0, 1), seen(0, 3), seen(1, 1), seen(0, 5), seen(1, 3), seen(0, 7),
                                   seen(1, 5), seen(1, 7)));
  EXPECT_EQ(s.u[0], expected.u[0]);
}

// Catches calls that share nothing and are interleaved all the same, which only costs cache (section 5, "Locality checks").
TEST(order, is_that_of_the_loop_where_nothing_is_shared) {
  std::vector<double> a(16, 1), b(16), c(16), e(16);
  diary d;
  on_one([&] {
    splice(2, [&](int t) {
      t == 0 ? copy(b.data(), a.data(), {0, 16}, 4, t, d) : copy(e.data(), c.data(), {0, 16}, 4, t, d);
    });
  });
  EXPECT_THAT(d.all(), ElementsAre(seen(0, 0), seen(0, 4), seen(0, 8), seen(0, 12), seen(1, 0), seen(1, 4),
                                   seen(1, 8), seen(1, 12)));
}

// Catches a step that waits for one before it which has fewer effects than its call, and so has waited for less; and one
// whose call is of a thread in between. On two workers, the same of calls that a thief has taken.
TEST(order, waits_for_all_behind_a_call_of_more_effects_than_steps) {
  constexpr std::size_t n = 48;
  for (const unsigned workers : {1U, 2U}) {
    std::array<int, n> a{};
    std::array<int, n> b{};
    bool wrong = false;
    const auto work = [workers] {
      for (unsigned i = 0; i < (workers - 1) * 30'000; ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    };
    for (int i = 0; i < (workers == 1 ? 1 : scaled(20)); ++i) {
      a = {};
      runtime_of(workers).run([&] {
        splice(3, [&](int t) {
          const call_effects fx{writes(memory_range(a.data(), n), memory_range(b.data(), n))};
          sennit::sequence_of(n, [&, t](std::size_t k) {
            return call([&, t, k] {
              const memory_range at_a(&a[k], 1);
              const memory_range at_b(&b[k], 1);
              if (t == 0) {
                const call_effects in{writes(at_a)};
                const auto add = [&] {
                  const call_effects one{writes(at_a)};
                  step(one, [&] {
                    work();
                    ++a[k];
                  });
                };
                sequence(call(add), call(add));
              } else if (t == 1) {
                const call_effects in{writes(at_a, at_b)};
                const effects less{writes(at_b)};
                step(less, work);
              } else {
                const call_effects in{writes(at_a)};
                step(in, [&] {
                  work();
                  if (a[k] != 2) wrong = true;
                });
              }
            });
          });
        });
      });
    }
    EXPECT_FALSE(wrong) << workers << " workers";
  }
}

// Catches a leading thread that is stalled by others.
TEST(order, of_the_first_thread_is_its_own) {
  stencil s(1000);
  diary d;
  on_one([&] { splice(7, [&](int t) { s.sweep(t, s.inner, 10, d); }); });
  const std::vector<std::int64_t> first = d.of(0);
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_EQ(d.all().front(), seen(0, 1));
}

// Catches calls of one bundle among those of another.
TEST(order, goes_by_bundles) {
  std::vector<double> a(64, 1);
  std::vector<std::vector<double>> to(6, std::vector<double>(64));
  diary d;
  on_one([&] { splice({.together = 4}, 6, [&](int t) { copy(to[t].data(), a.data(), {0, 64}, 8, t, d); }); });
  const auto bundle = [](const seen& s) { return s.first / 4; };
  EXPECT_TRUE(std::ranges::is_sorted(d.all(), {}, bundle));
  EXPECT_FALSE(std::ranges::is_sorted(d.all(), {}, [](const seen& s) { return s.first; }))
      << "nothing was interleaved";
}

// Catches counts that are off: table 4 is made of them.
TEST(report, counts) {
  stencil s(1 + 64 + 1);
  const sennit::splice_report trees = on_one([&] { return splice(3, [&](int t) { return s.tree(t, 4); }); });
  EXPECT_EQ(trees.steps, 3U * 17U) << "one block more, as the blocks of a later time step are shifted";
  EXPECT_GT(trees.checks, 0U);
  EXPECT_EQ(trees.switches, 0U) << "trees need no stacks";
  EXPECT_EQ(trees.delayed, 0U) << "blocks are shifted to where their input is";
  EXPECT_EQ(trees.dependences, 0U);
  EXPECT_GT(trees.extra_bytes, 0U);
  diary d;
  const sennit::splice_report calls =
      on_one([&] { return splice(3, [&](int t) { s.sweep(t, s.inner, 4, d); }); });
  EXPECT_EQ(calls.steps, 3U * 16U);
  const sennit::splice_report none = on_one([&] { return splice(0, [&](int t) { return s.tree(t, 4); }); });
  EXPECT_EQ(none.steps, 0U);
  sennit::splice_report sum = trees;
  sum += calls;
  EXPECT_EQ(sum.steps, 3U * 17U + 3U * 16U);
}

// Catches delayed steps that grow with the data, whatever bound is given.
TEST(report, most_delayed_bounds_what_waits) {
  // Nothing of the later calls may be done before the last step of the first.
  std::vector<double> a(4096);
  const auto body = [&](int t) {
    return sennit::divided{range{0, 4096}, 4,
                           [&a, t](range r) {
                             if (t == 0) return effects(writes(memory_range(a.data(), r)));
                             return effects(reads(memory_range(&a[4095], 1)),
                                            writes(memory_range(a.data(), r)));
                           },
                           [&a, t](range r) {
                             for (auto i = r.first; i < r.last; ++i) a[i] = a[i] * 2 + t;
                           }};
  };
  const sennit::splice_report all = on_one([&] { return splice(2, body); });
  const std::vector<double> expected = std::exchange(a, std::vector<double>(4096));
  const sennit::splice_report few = on_one([&] { return splice({.most_delayed = 8}, 2, body); });
  EXPECT_EQ(all.delayed, 1023U);
  EXPECT_LT(few.delayed, 64U);
  EXPECT_LT(few.extra_bytes, all.extra_bytes);
  EXPECT_EQ(a, expected);
}

// Catches constructs that do something else outside a splice; in a step they are outside, too.
TEST(elision, runs_constructs_in_order) {
  stencil s(100);
  stencil expected(100);
  expected.serially(4);
  diary d;
  for (int t = 0; t < 2; ++t) s.sweep(t, s.inner, 9, d);
  on_one([&] {
    splice(1, [&](int) {
      const call_effects fx{writes(memory_range(s.u[0].data(), 100)),
                            writes(memory_range(s.u[1].data(), 100))};
      step(fx, [&] { s.sweep(2, s.inner, 9, d); });
      step(fx, [&] { splice(1, [&](int) { s.sweep(3, s.inner, 9, d); }); });
    });
  });
  EXPECT_EQ(s.u[0], expected.u[0]);
  EXPECT_EQ(s.u[1], expected.u[1]);
  for (int t = 0; t < 4; ++t) EXPECT_TRUE(std::ranges::is_sorted(d.of(t)));
}

// Catches a body without annotations that is run out of its turn.
TEST(unannotated, bodies_are_run_as_they_stand) {
  for (const unsigned workers : {1U, 4U}) {
    std::vector<int> order;
    runtime_of(workers).run([&] { splice(20, [&](int t) { order.push_back(t); }); });
    std::vector<int> expected(20);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  }
}

// Catches code of which nothing is known and that is not kept in its place: between what is before and after it.
TEST(unannotated, parts_have_everything_in_their_effects) {
  for (const unsigned workers : {1U, 4U}) {
    diary d;
    std::vector<double> a(8, 1), b(8);
    runtime_of(workers).run([&] {
      splice(3, [&](int t) {
        const call_effects fx(effects::everything());
        sequence(call(copy, b.data(), a.data(), range{0, 8}, 4, t, d), [&d, t] { d.note(t, 100); });
      });
    });
    const auto place = [](const seen& s) { return 2 * s.first + (s.second == 100 ? 1 : 0); };
    EXPECT_EQ(d.all().size(), 9U);
    EXPECT_TRUE(std::ranges::is_sorted(d.all(), {}, place)) << testing::PrintToString(d.all());
  }
}

// Catches arguments that do not live as long as the call.
TEST(calls, keep_their_arguments) {
  std::vector<std::string> said(4);
  const auto say = [&](int t, const std::string& text) {
    const call_effects fx{reads(memory_range(said.data(), 0)), writes(memory_range(&said[t], 1))};
    step(fx, [&] { said[t] += text; });
  };
  on_one([&] {
    splice(4, [&](int t) {
      const call_effects fx{writes(memory_range(&said[t], 1))};
      sennit::sequence_of(
          5, [&](std::size_t i) { return call(say, t, std::string(40, static_cast<char>('a' + i))); });
    });
  });
  for (const std::string& s : said)
    EXPECT_EQ(s.substr(0, 81), std::string(40, 'a') + std::string(40, 'b') + "c");
}

// Catches what is said to follow and is not looked at: the later call must not overtake it.
TEST(calls, may_say_what_follows_a_sequence) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    std::vector<int> a(3), log;
    runtime_of(workers).run([&] {
      splice(4, [&](int t) {
        const call_effects fx{reads(memory_range(a.data(), 2)),
                              writes(memory_range(log.data(), 1), memory_range(&a[2], 1))};
        sequence(sennit::followed_by(writes(memory_range(&a[2], 1))), call([&, t] {
                   const call_effects inner{reads(memory_range(a.data(), 2))};
                   step(inner, [] {});
                   (void)t;
                 }));
        step(effects(writes(memory_range(&a[2], 1))), [&, t] { log.push_back(t); });
      });
    });
    EXPECT_THAT(log, ElementsAre(0, 1, 2, 3));
  }
}

// x[0, n) each one more, in halves of which the second one is a sequence of its own that the first one announces.
void add_one(std::vector<int>& x, std::int64_t first, std::int64_t n) {
  const memory_range all(x.data() + first, static_cast<std::size_t>(n));
  const call_effects fx{writes(all)};
  if (n <= 16) {
    step(effects(writes(all)), [&] {
      for (std::int64_t i = first; i < first + n; ++i) ++x[static_cast<std::size_t>(i)];
    });
    return;
  }
  sequence(sennit::followed_by(fx), call([&x, first, n] { add_one(x, first, n / 2); }));
  sequence(call([&x, first, n] { add_one(x, first + n / 2, n - n / 2); }));
}

// Catches an obstacle that is replaced by its parts and itself again at each look: its list then doubles at each
// level of calls, and 1024 numbers need 12.6 million checks.
TEST(calls, that_announce_what_follows_cost_as_much_as_others) {
  for (const std::int64_t n : {256, 1024, 16384}) {
    std::vector<int> x(static_cast<std::size_t>(n + n / 2), 1), plain(x);
    const auto body = [n](std::vector<int>& of, int t) {
      if (t % 2 == 0) return add_one(of, 0, n);
      const auto half = static_cast<std::size_t>(n / 2);
      const effects fx(reads(memory_range(of.data() + n / 4 * 3, half)),
                       writes(memory_range(of.data(), half)));
      const call_effects all{fx};
      step(fx, [&] {
        for (std::size_t i = 0; i < half; ++i) of[i] += of[static_cast<std::size_t>(n / 4 * 3) + i];
      });
    };
    const sennit::splice_report report = on_one([&] { return splice(4, [&](int t) { body(x, t); }); });
    for (int t = 0; t < 4; ++t) body(plain, t);
    EXPECT_EQ(x, plain);
    EXPECT_LE(report.checks, 40 * report.steps) << n << " numbers";
  }
}

// Catches the runtime's own constructs in steps that meet the splicer's forks.
TEST(steps, may_be_parallel_themselves) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    std::vector<std::int64_t> a(1 << 12);
    runtime_of(workers).run([&] {
      splice(4, [&](int) {
        return sennit::divided{
            range{0, 1 << 12}, 1 << 8, [&](range r) { return effects(writes(memory_range(a.data(), r))); },
            [&](range r) {
              sennit::parallel_for(r.first, r.last, [&](std::int64_t i) { ++a[i]; }, sennit::grain(8));
              sennit::task_group group;
              group.spawn([&] { a[r.first] += 10; });
              sennit::join([&] { a[r.first + 1] += 10; }, [&] { a[r.first + 2] += 10; });
              group.wait();
            }};
      });
    });
    for (std::int64_t i = 0; i < 1 << 12; ++i) EXPECT_EQ(a[i], i % 256 < 3 ? 44 : 4) << i;
  }
}

// Catches splices that share what belongs to one of them.
TEST(steps, may_splice_and_enter_other_runtimes) {
  for (const unsigned workers : {1U, 3U}) {
    stencil s(200);
    stencil expected(200);
    expected.serially(12);
    runtime_of(workers).run([&] {
      splice(3, [&](int k) {
        const call_effects fx{writes(memory_range(s.u[0].data(), 200), memory_range(s.u[1].data(), 200))};
        step(fx, [&, k] {
          const auto inside = [&] { splice(4, [&](int t) { return s.tree(4 * k + t, 7); }); };
          k == 1 ? runtime_of(2).run(inside) : inside();
        });
      });
    });
    EXPECT_EQ(s.u[0], expected.u[0]);
  }
}

// Catches a splice that needs a runtime to be there.
TEST(runtimes, are_not_needed) {
  stencil s(1000);
  stencil expected(1000);
  expected.serially(8);
  splice(8, [&](int t) { return s.tree(t, 50); });
  EXPECT_EQ(s.u[0], expected.u[0]);
}

// Catches splices of different strands that get into each other's way.
TEST(runtimes, have_several_splices_at_once) {
  for (const unsigned workers : {1U, 2U, 8U}) {
    std::vector<stencil> all(12, stencil(400));
    stencil expected(400);
    expected.serially(6);
    runtime_of(workers).run([&] {
      sennit::parallel_for(
          std::size_t{0}, all.size(),
          [&](std::size_t i) {
            diary d;
            if (i % 2 == 0) {
              splice(6, [&](int t) { return all[i].tree(t, 30); });
            } else {
              splice(6, [&](int t) { all[i].sweep(t, all[i].inner, 30, d); });
            }
          },
          sennit::grain(1));
    });
    for (const stencil& s : all) EXPECT_EQ(s.u[0], expected.u[0]);
  }
}

// Catches frames of a splice that a recorded tree cannot name, and a replay that gives another result.
TEST(schedules, of_a_splice_are_recorded_and_replayed) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    stencil expected(4000);
    expected.serially(8);
    sennit::runtime& rt = runtime_of(workers);
    const auto run = [](stencil& s) { splice(8, [&](int t) { return s.tree(t, 50); }); };
    stencil first(4000);
    const sennit::schedule recorded = rt.run([&] { return sennit::record([&] { run(first); }); });
    EXPECT_EQ(first.u[0], expected.u[0]);
    for (const sennit::fidelity how :
         {sennit::fidelity::strict_ordered, sennit::fidelity::strict_unordered, sennit::fidelity::relaxed}) {
      stencil again(4000);
      rt.run([&] { sennit::replay(recorded, how, [&] { run(again); }); });
      EXPECT_EQ(again.u[0], expected.u[0]);
    }
  }
}

// Catches an order that is kept although the trees are others.
TEST(memoized, finds_another_order_where_the_shape_changes) {
  for (const unsigned workers : {1U, 2U}) {
    stencil s(1000);
    stencil expected(1000);
    expected.serially(4 + 4 + 8 + 8 + 2);
    std::int64_t block = 40;
    sennit::memoized_splice memo([&](int t) { return s.tree(t, block); });
    runtime_of(workers).run([&] {
      memo.run(4);
      memo.run(4);
      memo.run(8);
      block = 11;
      memo.run(8);
      block = 5000;
      memo.run(2);
      memo.run(0);
    });
    EXPECT_EQ(s.u[0], expected.u[0]);
  }
}

}  // namespace
}  // namespace sennit_test
