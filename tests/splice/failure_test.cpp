// SPDX-License-Identifier: Apache-2.0
// Splices that fail: exceptions, broken rules, cancelled regions.
#include "support.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
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
using testing::HasSubstr;

struct failure {
  int thread;
  int part;
  friend bool operator==(const failure&, const failure&) = default;
};

// Counts those that live: in functions that are left by an exception, or given up.
class guard {
 public:
  guard() { ++living; }
  guard(const guard&) : guard() {}
  guard& operator=(const guard&) = delete;
  ~guard() { --living; }
  inline static std::atomic<int> living{0};
};

class failing : public testing::TestWithParam<unsigned> {
 protected:
  template <class F>
  void run(F&& f) {
    runtime_of(GetParam()).run(std::forward<F>(f));
    EXPECT_EQ(guard::living, 0) << "a function was not unwound";
  }
  template <class E, class F>
  std::string what(F&& f) {
    try {
      runtime_of(GetParam()).run(std::forward<F>(f));
    } catch (const E& e) {
      EXPECT_EQ(guard::living, 0) << "a function was not unwound";
      return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }
};
INSTANTIATE_TEST_SUITE_P(on, failing, testing::Values(1U, 2U, 8U),
                         [](const auto& info) { return std::to_string(info.param) + "_workers"; });

// Calls of leaves that all read the same cell, so that they are interleaved; `fails` says which of them throw.
template <class Fails>
void tree(const double* cell, int thread, int part, int depth, const Fails& fails) {
  const guard here;
  const call_effects fx{reads(memory_range(cell, 1))};
  if (depth == 0) {
    step(fx, [&] {
      if (fails(thread, part)) throw failure{thread, part};
    });
  } else {
    sequence(call(tree<Fails>, cell, thread, 2 * part, depth - 1, fails),
             call(tree<Fails>, cell, thread, 2 * part + 1, depth - 1, fails));
  }
}

// Catches the exception of a later call, or of a later part, that wins because it came first.
TEST_P(failing, the_first_in_serial_order_wins) {
  const double cell = 0;
  const std::vector<std::vector<failure>> cases{{{0, 0}},
                                                {{2, 7}},
                                                {{3, 0}, {1, 7}},
                                                {{0, 7}, {1, 0}},
                                                {{2, 1}, {2, 5}, {3, 0}},
                                                {{1, 3}, {1, 4}, {2, 0}, {3, 7}}};
  for (const std::vector<failure>& which : cases) {
    const auto fails = [&](int t, int p) { return std::ranges::find(which, failure{t, p}) != which.end(); };
    const failure expected =
        *std::ranges::min_element(which, {}, [](const failure& f) { return 10 * f.thread + f.part; });
    try {
      run([&] { splice(4, [&](int t) { tree(&cell, t, 0, 3, fails); }); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& f) {
      EXPECT_EQ(f, expected);
    }
    EXPECT_EQ(guard::living, 0);
  }
}

// Catches the same where the first part waits: the second then throws before it does.
TEST_P(failing, the_first_wins_though_it_had_to_wait) {
  std::array<int, 3> a{};
  try {
    run([&] {
      splice(2, [&](int t) {
        const call_effects fx{writes(memory_range(a.data(), 3))};
        if (t == 0) {
          sequence(call([&] {
                     const call_effects none{reads(memory_range(&a[1], 1))};
                     step(none, [] {});
                   }),
                   call([&] {
                     const call_effects one{writes(memory_range(&a[0], 1))};
                     step(one, [&] { a[0] = 1; });
                   }));
        } else {
          sequence(call([&] {
                     const call_effects one{reads(memory_range(&a[0], 1))};
                     step(one, [&] { throw failure{1, a[0]}; });
                   }),
                   call([&] {
                     const call_effects two{reads(memory_range(&a[1], 1))};
                     step(two, [] { throw failure{1, 2}; });
                   }));
        }
      });
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const failure& f) {
    EXPECT_EQ(f, (failure{1, 1}));
  }
}

// Catches an exception that does not come out of sequence(), or that stops the call although it has caught it.
TEST_P(failing, a_function_may_catch_what_its_parts_throw) {
  const double cell = 0;
  std::atomic<int> caught{0};
  std::atomic<int> went_on{0};
  run([&] {
    splice(4, [&](int t) {
      const call_effects fx{reads(memory_range(&cell, 1))};
      try {
        sequence(sennit::followed_by(reads(memory_range(&cell, 1))),
                 call(tree<bool (*)(int, int)>, &cell, t, 0, 2,
                      [](int thread, int part) { return thread != 1 && part == 2; }));
      } catch (const failure& f) {
        if (f == failure{t, 2}) ++caught;
      }
      step(fx, [&] { ++went_on; });
    });
  });
  EXPECT_EQ(caught, 3);
  EXPECT_EQ(went_on, 4);
}
// Catches the same of step().
TEST_P(failing, a_function_may_catch_what_its_step_throws) {
  const double cell = 0;
  std::atomic<int> caught{0};
  run([&] {
    splice(4, [&](int t) {
      const call_effects fx{reads(memory_range(&cell, 1))};
      try {
        step(fx, [&] { throw failure{t, 0}; });
      } catch (const failure& f) {
        if (f.thread == t) ++caught;
      }
    });
  });
  EXPECT_EQ(caught, 4);
}

// Catches a part that is run though an earlier part of the same sequence, whose results it reads, has thrown; and what
// waits for such a part for ever, once the function has caught that.
TEST_P(failing, a_part_does_not_follow_one_that_failed) {
  std::array<int, 3> spliced{};
  for (int twice = 0; twice < 2; ++twice) {
    int x = 0;
    int y = 0;
    int z = 0;
    const memory_range at_x(&x, 1);
    const memory_range at_y(&y, 1);
    const memory_range at_z(&z, 1);
    const auto body = [&](int t) {
      const call_effects fx{writes(at_x, at_y, at_z)};
      const auto idle = [&] {
        const call_effects in{reads(at_x)};
        step(in, [] {});
      };
      const auto count = [&] {
        const call_effects in{writes(at_z)};
        step(in, [&] { ++z; });
      };
      const auto write = [&] {
        const call_effects in{reads(at_z), writes(at_x)};
        step(in, [&] {
          if (t == 1) throw failure{t, 0};
          x = t;
        });
      };
      const auto use = [&] {
        const call_effects in{reads(at_x), writes(at_y)};
        step(in, [&] { y += 10 * t + x; });
      };
      const auto nest = [&] {
        const call_effects in{reads(at_x), writes(at_y)};
        sequence(call(use), call(use));
      };
      try {
        if (t == 0) {
          sequence(sennit::followed_by(fx), call(idle), call(count));
        } else {
          sequence(sennit::followed_by(fx), call(write), call(nest), call(use));
        }
      } catch (const failure&) {
      }
    };
    if (twice == 0) {
      run([&] { splice(4, body); });
      spliced = {x, y, z};
    } else {
      for (int t = 0; t < 4; ++t) body(t);
      EXPECT_EQ(spliced, (std::array<int, 3>{x, y, z}));
    }
  }
}
// Catches the same of a later call of the loop: of functions, of their parts, and of trees in them.
TEST_P(failing, no_call_follows_one_that_failed) {
  for (int kind = 0; kind < 4; ++kind) {
    std::array<int, 64> x{};
    std::atomic<int> followed{0};
    const auto work = [&](int t, range r) {
      if (t == 0 && r.first <= 5 && 5 < r.last) throw failure{t, 5};
      if (t != 0 && r.first <= 5 && 5 < r.last) ++followed;
    };
    const auto leaf = [&](int t, range r) {
      const call_effects fx{writes(memory_range(x.data(), r))};
      step(fx, [&, t] { work(t, r); });
    };
    const auto tree = [&](int t) {
      return sennit::divided{range{0, 64}, 1,
                             [&](range r) { return effects(writes(memory_range(x.data(), r))); },
                             [&work, t](range r) { work(t, r); }};
    };
    try {
      run([&] {
        if (kind == 3) {
          splice(4, tree);
          return;
        }
        splice(4, [&](int t) {
          const guard here;
          const call_effects fx{writes(memory_range(x.data(), 64))};
          if (kind == 0) {
            step(fx, [&] { work(t, {0, 64}); });
          } else if (kind == 1) {
            sequence(call(leaf, t, range{0, 16}), call(leaf, t, range{16, 64}));
          } else {
            sequence(tree(t), call(leaf, t, range{0, 64}));
          }
        });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& f) {
      EXPECT_EQ(f, (failure{0, 5}));
    }
    EXPECT_EQ(followed, 0) << "kind " << kind;
  }
}
// Catches a thief that does not know that the call whose rest it takes has failed before.
TEST_P(failing, a_thief_leaves_what_has_failed) {
  constexpr int parts = 40;
  std::array<std::array<int, parts>, 2> x{};
  std::atomic<int> followed{0};
  for (int i = 0; i < scaled(20); ++i) {
    run([&] {
      splice(2, [&](int t) {
        const call_effects fx{writes(memory_range(x[t].data(), parts)), reads(memory_range(&followed, 1))};
        try {
          sennit::sequence_of(parts, [&x, &followed, t](std::size_t part) {
            return call([&x, &followed, t, part] {
              const call_effects in{
                  writes(part == 0 ? memory_range(x[t].data(), x[t].size()) : memory_range(&x[t][part], 1)),
                  reads(memory_range(&followed, 1))};
              step(in, [&] {
                if (t == 1 && part == 0) throw failure{t, 0};
                if (t == 1) ++followed;
                for (int spin = 0; spin < 10'000; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
              });
            });
          });
        } catch (const failure&) {
        }
      });
    });
  }
  EXPECT_EQ(followed, 0);
}
// Catches what is thrown between steps: before the effects, after them, after a step, by effects and by slices.
TEST_P(failing, exceptions_from_outside_steps) {
  const double cell = 0;
  for (int where = 0; where < 3; ++where) {
    std::array<std::atomic<int>, 4> steps{};
    try {
      run([&] {
        splice(4, [&](int t) {
          const guard here;
          if (t == 2 && where == 0) throw failure{t, where};
          const call_effects fx{reads(memory_range(&cell, 1))};
          if (t == 2 && where == 1) throw failure{t, where};
          step(fx, [&] { ++steps[t]; });
          if (t == 2 && where == 2) throw failure{t, where};
        });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const failure& f) {
      EXPECT_EQ(f, (failure{2, where}));
    }
    EXPECT_EQ(steps[0], 1) << "calls before it go on";
    EXPECT_EQ(steps[1], 1);
    EXPECT_EQ(steps[2], where == 2 ? 1 : 0);
  }
  const auto divide = [&](bool in_effects) {
    splice(3, [&cell, in_effects](int t) {
      return sennit::divided{range{0, 64}, 4,
                             [=, &cell](range r) {
                               if (in_effects && t == 1 && r.first >= 32) throw failure{t, 8};
                               return effects(reads(memory_range(&cell, 1)));
                             },
                             [=](range r) {
                               if (!in_effects && t == 1 && r.first >= 32) throw failure{t, 9};
                             }};
    });
  };
  EXPECT_THAT([&] { run([&] { divide(true); }); },
              testing::Throws<failure>(testing::Field(&failure::part, 8)));
  EXPECT_THAT([&] { run([&] { divide(false); }); },
              testing::Throws<failure>(testing::Field(&failure::part, 9)));
}

// Catches an exception that leaves calls behind, as the splice is used again at once.
TEST_P(failing, a_splice_may_be_tried_again) {
  const double cell = 0;
  for (int i = 0; i < scaled(200); ++i) {
    const auto fails = [i](int t, int p) { return i % 2 == 0 && t == i % 4 && p == i % 8; };
    try {
      run([&] { splice(4, [&](int t) { tree(&cell, t, 0, 3, fails); }); });
      EXPECT_NE(i % 2, 0);
    } catch (const failure& f) {
      EXPECT_EQ(f, (failure{i % 4, i % 8}));
    }
  }
}

// Catches broken rules that would go on to give wrong results, and errors that do not say what to do.
TEST_P(failing, rules_that_are_broken_are_reported) {
  double cell = 0;
  const memory_range all(&cell, 1);
  const auto leaf = [&] {
    const call_effects fx{reads(all)};
    step(fx, [] {});
  };
  const auto one = [&](auto body) {
    return what<std::logic_error>([&] { splice(2, [&](int) { body(); }); });
  };
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                sequence(call(leaf), call(leaf));
                step(fx, [] {});
              }),
              HasSubstr("sequence(followed_by(...), ...)"));
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                sequence(call(leaf));
                sequence(call(leaf));
              }),
              HasSubstr("after its sequence()"));
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                sequence(call(leaf));
                leaf();
              }),
              HasSubstr("after its sequence()"));
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                sequence(call([] {}));
              }),
              HasSubstr("without declaring its effects"));
  EXPECT_THAT(what<std::logic_error>([&] {
                splice(2, [&](int t) {
                  if (t == 0) {
                    leaf();
                  } else {
                    cell *= 10;
                  }
                });
              }),
              HasSubstr("before its turn"));
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                splice(2, [](int) {});
              }),
              HasSubstr("put it into a step()"));
  EXPECT_THAT(one([&] {
                const call_effects fx{reads(all)};
                try {
                  sequence(call([&] {
                    const call_effects inner{reads(all)};
                    step(inner, [] { throw failure{0, 0}; });
                  }));
                } catch (const failure&) {
                }
                step(fx, [] {});
              }),
              HasSubstr("after its sequence()"))
      << "what is done after a sequence that threw is unknown to others, too";
}

// Catches a cancelled region that hangs, goes on to its end, or leaves functions on their stacks.
TEST_P(failing, a_cancelled_region_ends) {
  const double cell = 0;
  std::atomic<int> steps{0};
  for (int i = 0; i < 20; ++i) {
    steps = 0;
    sennit::region region;
    bool completed = true;
    run([&] {
      completed = region.run([&] {
        splice(8, [&](int t) {
          tree(&cell, t, 0, 5, [&](int, int) {
            if (++steps == 20) region.cancel();
            return false;
          });
        });
        // Without a fork nobody may have noticed.
        sennit::join([] {}, [] {});
      });
    });
    EXPECT_FALSE(completed);
    EXPECT_GE(steps, 20);
  }
}

}  // namespace
}  // namespace sennit_test
