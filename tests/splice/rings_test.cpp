// SPDX-License-Identifier: Apache-2.0
// Sweeps over rings, and sweeps that go back and forth: they take the fast order where their steps allow it, and results
// are those of the loop.
#include "rings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using sennit::divided;
using sennit::splice_engine;
using sennit::splice_reason;
using sennit::splice_report;
using namespace sennit_test;

// Each problem has fields, and a tree for each sweep. Calling a tree does its sweep without a splice.
struct heat {
  field u[2];
  std::int64_t block = 0;

  explicit heat(std::int64_t n) : u{some_numbers(n), some_numbers(n, 1)} {}
  auto tree(int t) {
    field& out = u[(t + 1) % 2];
    const field& in = u[t % 2];
    const auto n = static_cast<std::int64_t>(in.size());
    return divided{range{0, n}, block, [&in, &out](range r) { return reads_around(in, r, 1, 1, out); },
                   [&in, &out, n](range r) {
                     for (auto i = r.first; i < r.last; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       out[at] = in[at] + (in[modulo(i - 1, n)] - 2 * in[at] + in[modulo(i + 1, n)]) / 4;
                     }
                   }};
  }
  auto fields() const { return std::tie(u[0], u[1]); }
};

// The wind blows from lower indices to higher ones.
struct upwind {
  field u[2];
  std::int64_t block = 0;

  explicit upwind(std::int64_t n) : u{some_numbers(n), some_numbers(n, 1)} {}
  auto tree(int t) {
    field& out = u[(t + 1) % 2];
    const field& in = u[t % 2];
    const auto n = static_cast<std::int64_t>(in.size());
    return divided{range{0, n}, block, [&in, &out](range r) { return reads_around(in, r, 2, 0, out); },
                   [&in, &out, n](range r) {
                     for (auto i = r.first; i < r.last; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       out[at] = in[at] - (3 * in[at] - 4 * in[modulo(i - 1, n)] + in[modulo(i - 2, n)]) / 16;
                     }
                   }};
  }
  auto fields() const { return std::tie(u[0], u[1]); }
};

// Pressure and velocity by turns, each in place.
struct wave {
  field p;
  field v;
  std::int64_t block = 0;

  explicit wave(std::int64_t n) : p(some_numbers(n)), v(some_numbers(n, 1)) {}
  auto tree(int t) {
    const bool of_velocity = t % 2 == 0;
    field& out = of_velocity ? v : p;
    const field& in = of_velocity ? p : v;
    const auto n = static_cast<std::int64_t>(in.size());
    return divided{range{0, n}, block,
                   [&in, &out, of_velocity](range r) {
                     return reads_around(in, r, of_velocity ? 0 : 1, of_velocity ? 1 : 0, out);
                   },
                   [&in, &out, n, of_velocity](range r) {
                     for (auto i = r.first; i < r.last; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       out[at] -= of_velocity ? (in[modulo(i + 1, n)] - in[at]) / 8
                                              : (in[at] - in[modulo(i - 1, n)]) / 8;
                     }
                   }};
  }
  auto fields() const { return std::tie(p, v); }
};

// Symmetric smoothing between fixed borders: from the left, then from the right.
struct back_and_forth {
  field u[2];
  std::int64_t block = 0;

  explicit back_and_forth(std::int64_t n) : u{some_numbers(n + 2), some_numbers(n + 2, 1)} {}
  auto tree(int t) {
    field& out = u[(t + 1) % 2];
    const field& in = u[t % 2];
    const auto n = static_cast<std::int64_t>(in.size()) - 2;
    const auto numbers = [n, t](range r) {
      return t % 2 == 0 ? range{r.first + 1, r.last + 1} : range{n + 1 - r.last, n + 1 - r.first};
    };
    return divided{range{0, n}, block,
                   [&in, &out, numbers](range r) {
                     return effects(reads(memory_range(in.data(), numbers(r).grown(1))),
                                    writes(memory_range(out.data(), numbers(r))));
                   },
                   [&in, &out, numbers](range r) {
                     const range own = numbers(r);
                     for (auto i = own.first; i < own.last; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       out[at] = (in[at - 1] + 2 * in[at] + 3 * in[at + 1]) / 6;
                     }
                   }};
  }
  auto fields() const { return std::tie(u[0], u[1]); }
};

template <class Problem>
class rings : public testing::Test {};
using problems = testing::Types<heat, upwind, wave, back_and_forth>;
TYPED_TEST_SUITE(rings, problems);

constexpr std::int64_t sizes[] = {0, 1, 2, 3, 5, 17, 1000, 100'003};

// Catches a tree that is turned or reversed although its steps need one another, a place that is done twice or left out
// where a tree comes to its end, and lanes that begin too early on a ring.
TYPED_TEST(rings, have_the_results_of_the_loop) {
  constexpr int sweeps = 37;
  for (const std::int64_t n : sizes) {
    TypeParam plain(n);
    for (int t = 0; t < sweeps; ++t) plain.tree(t)();
    for (const unsigned workers : {1U, 2U, 8U}) {
      for (const std::int64_t block : {0, 7, 500}) {
        TypeParam spliced(n);
        spliced.block = block;
        runtime_of(workers).run([&] { sennit::splice(sweeps, [&](int t) { return spliced.tree(t); }); });
        ASSERT_TRUE(spliced.fields() == plain.fields())
            << n << " numbers, " << workers << " workers, block " << block;
      }
    }
  }
}

// Catches the loss of the fast order.
TYPED_TEST(rings, take_the_fast_order) {
  TypeParam problem(100'003);
  runtime_of(1).run([&] {
    for (const std::int64_t block : {0, 500}) {
      problem.block = block;
      const splice_report report = sennit::splice(16, [&](int t) { return problem.tree(t); });
      EXPECT_EQ(report.engine, splice_engine::wavefront) << report.text();
      EXPECT_EQ(report.no_shift, splice_reason::none) << report.text();
      EXPECT_GT(report.shift, 0) << report.text();
      EXPECT_EQ(report.moved, (std::is_same_v<TypeParam, back_and_forth> ? 8U : 15U)) << report.text();
      EXPECT_EQ(report.delayed, 0U) << report.text();
      EXPECT_NE(report.text().find(" trees begin elsewhere or go backward"), std::string::npos);
      EXPECT_LT(report.checks, 4 * report.steps) << report.text();
    }
  });
}

// Catches a block with no indices after the last one, and what is left of a tree that counts as the whole ring.
TEST(Rings, BlocksMayEndAtTheLastIndex) {
  for (std::int64_t n = 19'990; n < 20'000; n += 3) {
    heat problem(n);
    problem.block = 100;
    runtime_of(1).run([&] {
      const splice_report report = sennit::splice(16, [&](int t) { return problem.tree(t); });
      EXPECT_EQ(report.engine, splice_engine::wavefront) << report.text();
      EXPECT_EQ(report.delayed, 0U) << n << ": " << report.text();
    });
  }
}

// Catches comparisons of blocks that need a runtime which is not there yet.
TEST(Rings, GoBackAndForthOutsideARuntime) {
  back_and_forth spliced(50'000);
  back_and_forth plain(50'000);
  spliced.block = 100;
  EXPECT_GT(sennit::splice(9, [&](int t) { return spliced.tree(t); }).moved, 0U);
  for (int t = 0; t < 9; ++t) plain.tree(t)();
  EXPECT_TRUE(spliced.fields() == plain.fields());
}

// Catches a saved order that is followed by trees that begin elsewhere, and parts that are not found again.
TYPED_TEST(rings, orders_are_saved) {
  constexpr int sweeps = 20;
  TypeParam plain(10'007);
  TypeParam first(10'007);
  TypeParam second(10'007);
  first.block = second.block = 100;
  for (int t = 0; t < 2 * sweeps; ++t) plain.tree(t)();
  sennit::memoized_splice found([&](int t) { return first.tree(t); });
  sennit::memoized_splice loaded([&](int t) { return second.tree(t); });
  runtime_of(2).run([&] {
    for (int i = 0; i < 2; ++i) found.run(sweeps);
    const sennit::splice_schedule order = sennit::splice_schedule::from_bytes(found.schedule().to_bytes());
    loaded.follow(order);
    for (int i = 0; i < 2; ++i) loaded.run(sweeps);
    EXPECT_EQ(loaded.schedule(), order);
  });
  EXPECT_EQ(found.report().engine, splice_engine::wavefront);
  EXPECT_TRUE(first.fields() == plain.fields());
  EXPECT_TRUE(second.fields() == plain.fields());
}

// Catches Gauss-Seidel sweeps whose order is changed, and a report that does not say why nothing is shifted.
TEST(Rings, KeepTheOrderOfStepsThatNeedOneAnother) {
  static constexpr std::int64_t n = 100'003;
  for (const bool is_ring : {true, false}) {
    field plain = some_numbers(n);
    field spliced = plain;
    const auto sweep = [&](field& u, int t) {
      const bool from_the_right = !is_ring && t % 2 != 0;
      const auto numbers = [from_the_right](range r) {
        return from_the_right ? range{n - r.last, n - r.first} : r;
      };
      return divided{range{0, n}, 0, [&u, numbers](range r) { return reads_around(u, numbers(r), 1, 1, u); },
                     [&u, numbers, from_the_right](range r) {
                       const range own = numbers(r);
                       for (auto k = own.first; k < own.last; ++k) {
                         const auto i = from_the_right ? own.last - 1 - (k - own.first) : k;
                         auto& at = u[static_cast<std::size_t>(i)];
                         at = (u[modulo(i - 1, n)] + at + u[modulo(i + 1, n)]) / 3;
                       }
                     }};
    };
    for (int t = 0; t < 12; ++t) sweep(plain, t)();
    runtime_of(2).run([&] {
      const splice_report report = sennit::splice(12, [&](int t) { return sweep(spliced, t); });
      EXPECT_EQ(report.no_shift, splice_reason::ordered_steps) << report.text();
      EXPECT_EQ(report.shift, 0);
      EXPECT_EQ(report.moved, 0U);
    });
    EXPECT_TRUE(spliced == plain);
  }
}

// Catches a tree that goes backward although one of its steps needs one other: halves of the tree do not show that.
TEST(Rings, KeepTheOrderOfTwoStepsThatNeedEachOther) {
  constexpr std::int64_t n = 40'000;
  constexpr std::int64_t early = 9'700, late = 10'000;
  field u[2] = {some_numbers(n + 2), some_numbers(n + 2, 1)};
  field plain[2] = {u[0], u[1]};
  const auto sweep = [](field(&of)[2], int t) {
    const field& in = of[t % 2];
    field& out = of[(t + 1) % 2];
    const auto number = [t](std::int64_t i) { return t % 2 == 0 ? i + 1 : n - i; };
    return divided{
        range{0, n}, 100,
        [&in, &out, t, number](range r) {
          const range own =
              t % 2 == 0 ? range{r.first + 1, r.last + 1} : range{n + 1 - r.last, n + 1 - r.first};
          const bool has_late = r.first <= late && late < r.last;
          return effects(
              reads(memory_range(in.data(), own.grown(1)),
                    memory_range(out.data(), range{number(early), number(early) + (has_late ? 1 : 0)})),
              writes(memory_range(out.data(), own)));
        },
        [&in, &out, number](range r) {
          for (auto i = r.first; i < r.last; ++i) {
            const auto at = static_cast<std::size_t>(number(i));
            out[at] = (in[at - 1] + in[at] + in[at + 1]) / 3;
            if (i == late) out[at] += out[static_cast<std::size_t>(number(early))];
          }
        }};
  };
  for (int t = 0; t < 12; ++t) sweep(plain, t)();
  runtime_of(1).run([&] {
    const splice_report report = sennit::splice(12, [&](int t) { return sweep(u, t); });
    EXPECT_EQ(report.no_shift, splice_reason::ordered_steps) << report.text();
    EXPECT_EQ(report.moved, 0U);
  });
  EXPECT_TRUE(std::ranges::equal(u, plain));
}

// Catches trees that count as in order because they are of more arrays than the wavefront tells apart, and lose their shift.
TEST(Rings, ThreeFieldsAreShifted) {
  constexpr std::int64_t n = 50'000;
  field u[3] = {some_numbers(n), some_numbers(n, 1), some_numbers(n, 2)};
  field plain[3] = {u[0], u[1], u[2]};
  const auto leapfrog = [](field(&of)[3], int t) {
    const field& before = of[t % 3];
    const field& now = of[(t + 1) % 3];
    field& next = of[(t + 2) % 3];
    return divided{range{0, n}, 500,
                   [&](range r) {
                     effects all = reads_around(now, r, 1, 1, next);
                     return all += effects(reads(memory_range(before.data(), r)));
                   },
                   [&](range r) {
                     for (auto i = r.first; i < r.last; ++i) {
                       const auto at = static_cast<std::size_t>(i);
                       next[at] = (now[modulo(i - 1, n)] + now[modulo(i + 1, n)]) / 2 + now[at] - before[at];
                     }
                   }};
  };
  for (int t = 0; t < 12; ++t) leapfrog(plain, t)();
  runtime_of(2).run([&] {
    const splice_report report = sennit::splice(12, [&](int t) { return leapfrog(u, t); });
    EXPECT_EQ(report.shift, 22) << report.text();
    EXPECT_EQ(report.moved, 11U);
  });
  EXPECT_TRUE(std::ranges::equal(u, plain));
}

#if SENNIT_EXCEPTIONS
// Catches an exception of a later tree that hides one of an earlier tree, and steps that run although what they need is missing.
TEST(Rings, FailuresComeOutInTheOrderOfTrees) {
  constexpr std::int64_t n = 20'000;
  for (const unsigned workers : {1U, 2U, 8U}) {
    std::vector<int> sweeps_done(n, 0);  // of each index
    std::vector<char> wrong(n, 0);
    const auto tree = [&](int t) {
      return divided{range{0, n}, 100,
                     [&](range r) {
                       const around a(n, r, 1, 1);
                       return effects(writes(memory_range(sweeps_done.data(), r)),
                                      reads(memory_range(wrong.data(), a.middle),
                                            memory_range(wrong.data(), a.low),
                                            memory_range(wrong.data(), a.high)));
                     },
                     [&, t](range r) {
                       if (t == 3 && r.first <= 700 && 700 < r.last) throw std::runtime_error("three");
                       if (t == 5 && r.first <= 15'000 && 15'000 < r.last) throw std::runtime_error("five");
                       for (auto i = r.first; i < r.last; ++i) {
                         auto& done = sweeps_done[static_cast<std::size_t>(i)];
                         if (done != t) wrong[static_cast<std::size_t>(i)] = 1;
                         done = t + 1;
                       }
                     }};
    };
    runtime_of(workers).run([&] {
      try {
        sennit::splice(8, tree);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "three");
      }
    });
    EXPECT_EQ(std::ranges::count(wrong, 1), 0);
    EXPECT_LE(sweeps_done[700], 3);
  }
}

// Catches effects_of() that throws while the library asks whether a tree may go backward: the splice throws it in its turn.
TEST(Rings, EffectsThatThrowAreTheFailureOfTheirTree) {
  constexpr std::int64_t n = 10'000;
  for (const bool is_ring : {true, false}) {
    field u = some_numbers(n);
    EXPECT_THROW(runtime_of(2).run([&] {
      sennit::splice(6, [&](int t) {
        return divided{range{0, n}, 100,
                       [&, t](range r) {
                         if (t == 3 && r.first == 2500 && r.size() <= 100)
                           throw std::runtime_error("effects");
                         const range own = !is_ring && t % 2 != 0 ? range{n - r.last, n - r.first} : r;
                         return effects(writes(memory_range(u.data(), own)));
                       },
                       [](range) {}};
      });
    }),
                 std::runtime_error);
  }
}
#endif

}  // namespace
