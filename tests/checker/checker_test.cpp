// SPDX-License-Identifier: Apache-2.0
// Effects that are wrong are reported, with the place in the code and what is missing; right ones are not. Each test has a
// program that the checker would pass or accuse wrongly if it left out one of its rules.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/join.hpp>
#include <sennit/memoized_splice.hpp>
#include <sennit/splice.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using sennit::call;
using sennit::call_effects;
using sennit::divided;
using sennit::effects;
using sennit::memory_box;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::sequence;
using sennit::splice;
using sennit::step;
using sennit::writes;
using sennit_test::reported;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using field = std::vector<double>;

// A line of this file, as reports have it.
std::string at(int line) { return "checker_test.cpp:" + std::to_string(line); }

// --- One dimension, functions.

struct annotation {
  std::int64_t halo = 1;
  std::int64_t call_halo = 1;
  bool written_as_read = false;
  const field* other = nullptr;  // said to be read instead
};

constexpr int sum_line = __LINE__ + 2;
void smooth(field& out, const field& in, range r) {
  for (auto i = r.first; i < r.last; ++i) out[i] = in[i - 1] + in[i] + in[i + 1];
}

void sweep(field& out, const field& in, range r, const annotation& a) {
  const field& said = a.other != nullptr ? *a.other : in;
  const auto read = [&](std::int64_t halo) { return memory_range(said.data(), r.grown(halo)); };
  const memory_range write(out.data(), r);
  if (a.written_as_read) {
    const call_effects fx{reads(read(1), write)};
    return step(fx, [&] { smooth(out, in, r); });
  }
  const call_effects fx{reads(read(a.call_halo)), writes(write)};
  if (r.size() <= 16) {
    step({reads(read(a.halo)), writes(write)}, [&] { smooth(out, in, r); });
  } else {
    sequence(call(sweep, out, in, r.left(), a), call(sweep, out, in, r.right(), a));
  }
}

std::vector<std::string> stencil(const annotation& a) {
  field u[2]{field(66, 1), field(66, 1)};
  std::vector<std::string> reports =
      reported([&] { splice(3, [&](int t) { sweep(u[(t + 1) % 2], u[t % 2], {1, 65}, a); }); });
  EXPECT_EQ(u[1][30], 27);
  return reports;
}

TEST(Functions, RightOnesPass) {
  EXPECT_THAT(stencil({}), IsEmpty());
  EXPECT_THAT(stencil({.halo = 3, .call_halo = 9}), IsEmpty());
}

TEST(Functions, MissingHalo) {
  EXPECT_THAT(stencil({.halo = 0}),
              ElementsAre(AllOf(HasSubstr("a step reads 8 bytes"), HasSubstr(at(sum_line)),
                                HasSubstr("missing  reads of [0x"), HasSubstr("8 bytes in 1 access"),
                                HasSubstr("right behind what it reads"), HasSubstr("128 bytes"))));
}

// The step says all, and the calls around it do not.
TEST(Functions, MissingHaloOfTheCall) {
  for (const std::string& report : stencil({.call_halo = 0})) {
    EXPECT_THAT(report,
                AllOf(HasSubstr("which the effects of its call do not say"), HasSubstr(at(sum_line))));
  }
  EXPECT_EQ(stencil({.call_halo = 0}).size(), 1U);
}

TEST(Functions, WriteSaidToBeRead) {
  std::vector<std::string> all = stencil({.written_as_read = true});
  EXPECT_THAT(all,
              ElementsAre(AllOf(HasSubstr("a step writes 8 bytes"), HasSubstr(at(sum_line)),
                                HasSubstr("missing  writes of [0x"), HasSubstr("512 bytes in 64 accesses"),
                                HasSubstr("it is said to be read only"))));
}

TEST(Functions, WrongArray) {
  const field constant(66, 1);
  // Each of the three accesses of the line, as of its compiler.
  const std::vector<std::string> all = stencil({.other = &constant});
  EXPECT_GE(all.size(), 1U);
  for (const std::string& report : all) {
    EXPECT_THAT(report, AllOf(HasSubstr("a step reads"), HasSubstr(at(sum_line))));
  }
}

// What nobody writes need not be said to be read.
TEST(Functions, ConstantsPass) {
  const field constant(66, 1);
  field out(66, 0);
  EXPECT_THAT(reported([&] {
                splice(2, [&](int) {
                  const call_effects fx{writes(memory_range(out.data(), 66))};
                  step(fx, [&] {
                    for (std::size_t i = 0; i < 66; ++i) out[i] += constant[i];
                  });
                });
              }),
              IsEmpty());
}

void parent(field& a, std::int64_t said) {
  const call_effects fx{writes(memory_range(a.data(), range{0, said}))};
  sequence(call(
      [](field& b) {
        const call_effects inner{writes(memory_range(b.data(), range{0, 20}))};
        step(inner, [&] { b[19] = 1; });
      },
      a));
}

TEST(Functions, CallThatSaysLessThanItsParts) {
  field a(20, 0);
  EXPECT_THAT(reported([&] { splice(1, [&](int) { parent(a, 20); }); }), IsEmpty());
  EXPECT_THAT(reported([&] { splice(1, [&](int) { parent(a, 19); }); }),
              ElementsAre(AllOf(HasSubstr("which the effects of the call 1 level out do not say"),
                                HasSubstr("right behind what it writes"))));
}

void after(field& a, std::size_t touched) {
  const call_effects fx{writes(memory_range(a.data(), 20))};
  sequence(sennit::followed_by(writes(memory_range(a.data() + 10, 1))), call(parent, a, std::int64_t{20}));
  step({writes(memory_range(a.data(), 20))}, [&] { a[touched] = 2; });
}

TEST(Functions, MoreThanFollowedBySays) {
  field a(20, 0);
  EXPECT_THAT(reported([&] { splice(2, [&](int) { after(a, 10); }); }), IsEmpty());
  EXPECT_THAT(reported([&] { splice(2, [&](int) { after(a, 11); }); }),
              ElementsAre(AllOf(HasSubstr("after a sequence(), a step writes 8 bytes"),
                                HasSubstr("which its followed_by() does not say"))));
}

// --- Boxes.

constexpr std::int64_t pitch = 40;

std::vector<std::string> blocks(std::int64_t said_rows, std::int64_t said_columns) {
  std::vector<float> image(pitch * 40, 1);
  float* const p = image.data();
  return reported([&] {
    splice(2, [&](int) {
      return divided{
          range{0, 8}, 1,
          [=](range r) {
            return effects(writes(memory_box<2>(
                p, {pitch}, {range{r.first * 4, r.last * 4 - 4 + said_rows}, range{8, 8 + said_columns}})));
          },
          [=](range r) {
            for (auto i = r.first * 4; i < r.last * 4; ++i) {
              for (std::int64_t j = 8; j < 16; ++j) p[i * pitch + j] += 1;
            }
          }};
    });
  });
}

TEST(Trees, BoxesPass) {
  EXPECT_THAT(blocks(4, 8), IsEmpty());
  EXPECT_THAT(blocks(4, 12), IsEmpty());
}

// All of it is in the hull, but for the last row.
TEST(Trees, BoxThatIsTooNarrow) {
  EXPECT_THAT(blocks(4, 7),
              ElementsAre(AllOf(HasSubstr("a step writes 4 bytes"), HasSubstr("in 3 accesses"),
                                HasSubstr("within the bounds of a region that it writes, but not in it"),
                                HasSubstr("writes a region within [0x"), HasSubstr("in 1 access"),
                                HasSubstr("right behind what it writes"))));
}
TEST(Trees, BoxThatIsTooShort) {
  EXPECT_THAT(blocks(3, 8),
              ElementsAre(AllOf(HasSubstr("a step writes 4 bytes"), HasSubstr("32 bytes in 8 accesses"))));
}

// Copies that compilers make calls of.
TEST(Trees, Copies) {
  field from(64, 1);
  field to(64, 0);
  const auto copies = [&](std::size_t said) {
    return reported([&] {
      splice(1, [&](int) {
        return divided{range{0, 1}, 1,
                       [&, said](range) {
                         return effects(reads(memory_range(from.data(), 64)),
                                        writes(memory_range(to.data(), said)));
                       },
                       [&](range) { std::copy(from.begin(), from.end(), to.begin()); }};
      });
    });
  };
  EXPECT_THAT(copies(64), IsEmpty());
  EXPECT_THAT(copies(60),
              ElementsAre(AllOf(HasSubstr("a step writes 512 bytes"), HasSubstr("32 bytes in 1 access"))));
  EXPECT_THAT(to, testing::Each(1));
}

// An access that is partly in one region and partly in the next.
TEST(Trees, RegionsSideBySide) {
  field to(64, 0);
  EXPECT_THAT(reported([&] {
                splice(1, [&](int) {
                  return divided{range{0, 1}, 1,
                                 [&](range) {
                                   return effects(
                                       writes(memory_range(to.data(), 33), memory_range(to.data() + 33, 31)));
                                 },
                                 [&](range) { std::memset(to.data(), 0, 64 * sizeof(double)); }};
                });
              }),
              IsEmpty());
}

TEST(Trees, MemoizedOnesEachTime) {
  field a(8, 0);
  std::int64_t touched = 8;
  EXPECT_THAT(reported([&] {
                sennit::memoized_splice memo([&](int) {
                  return divided{range{0, 8}, 4,
                                 [&](range r) { return effects(writes(memory_range(a.data(), r))); },
                                 [&](range r) {
                                   for (auto i = r.first; i < std::min(r.last, touched); ++i) a[i] += 1;
                                   if (touched == 0) a[r.first ^ 4] += 1;
                                 }};
                });
                memo.run(2);
                memo.run(2);
                touched = 0;
                memo.run(2);
              }),
              ElementsAre(HasSubstr("behind what it writes")));
  EXPECT_THAT(a, ElementsAre(6, 4, 4, 4, 6, 4, 4, 4));
}

// --- What is the step's own.

TEST(Own, VariablesAndAllocations) {
  field a(100, 1);
  [[maybe_unused]] static thread_local int per_thread = 0;
  EXPECT_THAT(reported([&] {
                splice(2, [&](int) {
                  const call_effects fx{writes(memory_range(a.data(), 100))};
                  std::vector<double> scratch(10);
                  int local = 0;
                  step(fx, [&] {
                    std::vector<double> copy(a);
                    std::reverse(copy.begin(), copy.end());
                    copy.push_back(3);
                    std::partial_sum(copy.begin(), copy.end() - 1, a.begin());
                    const auto text = std::make_unique<std::string>(100, 'x');
                    (*text)[7] = 'y';
                    scratch[2] = a[3];
                    ++local;
                    ++per_thread;
                    double on_stack[50];
                    std::copy_n(a.begin(), 50, on_stack);
                    a[0] = on_stack[49];
                  });
                  scratch[1] += local;
                });
              }),
              IsEmpty());
}

TEST(Own, NotWhatAnEarlierStepHasAllocated) {
  std::unique_ptr<int> kept;
  EXPECT_THAT(reported([&] {
                splice(2, [&](int t) {
                  const call_effects fx{writes(memory_range(&kept, 1))};
                  step(fx, [&] {
                    if (t == 0) {
                      kept = std::make_unique<int>(1);
                    } else {
                      *kept = 2;
                    }
                  });
                });
              }),
              ElementsAre(HasSubstr("a step writes 4 bytes")));
}

TEST(Own, ForksInAStep) {
  field a(64, 1);
  const auto forked = [&](std::size_t said) {
    return reported([&] {
      splice(2, [&](int) {
        const call_effects fx{writes(memory_range(a.data(), said))};
        step(fx, [&] { sennit::join([&] { a[0] += 1; }, [&] { a[1] += 1; }); });
      });
    });
  };
  EXPECT_THAT(forked(2), IsEmpty());
}

TEST(Own, Atomics) {
  std::atomic<int> counted{0};
  std::atomic<int> not_said{0};
  EXPECT_THAT(reported([&] {
                splice(2, [&](int) {
                  const call_effects fx{writes(memory_range(&counted, 1))};
                  step(fx, [&] {
                    int zero = 0;
                    counted.compare_exchange_strong(zero, 5);
                    counted.fetch_add(2, std::memory_order_relaxed);
                    not_said.fetch_add(1);
                  });
                });
              }),
              ElementsAre(HasSubstr("a step writes 4 bytes")));
  EXPECT_EQ(counted, 9);
  EXPECT_EQ(not_said, 2);
}

// --- Outside steps.

TEST(Outside, WritesAndReads) {
  field a(8, 1);
  int count = 0;
  int seen = 0;
  // A write of what is not the function's own, and a read of what the other call writes, early and late.
  const std::vector<std::string> all = reported([&] {
    splice(2, [&](int) {
      const bool small = a[3] < 100;
      const call_effects fx{writes(memory_range(a.data(), 8), memory_range(&seen, 1))};
      ++count;
      if (small) step(fx, [&] { a[3] += 1; });
      if (a[5] < 100) step(fx, [&] { ++seen; });
    });
  });
  EXPECT_THAT(all,
              UnorderedElementsAre(AllOf(HasSubstr("code outside steps writes 4 bytes"), HasSubstr("remedy")),
                                   AllOf(HasSubstr("code outside steps reads 8 bytes"),
                                         HasSubstr("which other calls of the splice write")),
                                   HasSubstr("code outside steps reads 8 bytes")));
  EXPECT_EQ(seen, 2);
}

// Its own results are there after the step.
TEST(Outside, WhatTheCallItselfHasWritten) {
  field a(2, 0);
  int high = 0;
  EXPECT_THAT(reported([&] {
                splice(2, [&](int t) {
                  const call_effects fx{writes(memory_range(a.data() + t, 1), memory_range(&high, 1))};
                  step(fx, [&] { a[static_cast<std::size_t>(t)] = 7; });
                  if (a[static_cast<std::size_t>(t)] > 5) step(fx, [&] { ++high; });
                });
              }),
              IsEmpty());
  EXPECT_EQ(high, 2);
}

// --- The order, and what escapes.

TEST(Order, OfTheLoop) {
  std::vector<int> order;
  order.reserve(8);
  int* const data = order.data();
  const auto both = [&](int t) {
    const call_effects fx{writes(memory_range(&order, 1), memory_range(data, 8))};
    for (int i = 0; i < 2; ++i) step(fx, [&] { order.push_back(2 * t + i); });
  };
  EXPECT_THAT(reported([&] { EXPECT_EQ(splice(3, both).steps, 6U); }), IsEmpty());
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Order, FirstFailure) {
  int steps = 0;
  EXPECT_THAT(reported([&] {
                EXPECT_THROW(splice(3,
                                    [&](int t) {
                                      const call_effects fx{writes(memory_range(&steps, 1))};
                                      step(fx, [&] {
                                        ++steps;
                                        if (t == 1) throw std::runtime_error("stop");
                                      });
                                    }),
                             std::runtime_error);
              }),
              IsEmpty());
  EXPECT_EQ(steps, 2);
}

// The steps of a splice in a step have to keep to the effects of both.
TEST(Order, SpliceInAStep) {
  field a(4, 0);
  const auto nested = [&](std::size_t outer, std::size_t inner) {
    return reported([&] {
      splice(1, [&](int) {
        const call_effects fx{writes(memory_range(a.data(), outer))};
        step(fx, [&] {
          int local = 0;
          splice(2, [&](int) {
            const call_effects all{writes(memory_range(a.data(), inner), memory_range(&local, 1))};
            step(all, [&] {
              a[3] += 1;
              ++local;
            });
          });
        });
      });
    });
  };
  EXPECT_THAT(nested(4, 4), IsEmpty());
  EXPECT_THAT(nested(4, 3), testing::SizeIs(1));
  EXPECT_THAT(nested(3, 4), testing::SizeIs(1));
}

// --- Users' own regions.

struct even_elements {
  const double* array;
  std::int64_t n;
  friend bool interferes(const even_elements& a, const even_elements& b) { return a.array == b.array; }
  friend sennit::hull hull_of(const even_elements& e) {
    const auto first = reinterpret_cast<std::uintptr_t>(e.array);
    return {first, first + static_cast<std::uintptr_t>(e.n) * sizeof(double)};
  }
  friend bool contains_address(const even_elements& e, std::uintptr_t address, std::size_t bytes) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(e.array);
    return offset / sizeof(double) % 2 == 0 && offset % sizeof(double) + bytes <= sizeof(double);
  }
};
struct vague {
  even_elements inside;
  friend bool interferes(const vague& a, const vague& b) { return interferes(a.inside, b.inside); }
  friend sennit::hull hull_of(const vague& v) { return hull_of(v.inside); }
};

template <class R>
std::vector<std::string> touching(const R& region, field& a, std::size_t i) {
  return reported([&] {
    splice(2, [&](int) {
      const call_effects fx{writes(region)};
      step(fx, [&] { a[i] += 1; });
    });
  });
}

TEST(UsersRegions, ByAddressOrByHull) {
  field a(8, 0);
  const even_elements even{a.data(), 8};
  EXPECT_THAT(touching(even, a, 4), IsEmpty());
  EXPECT_THAT(touching(even, a, 5),
              ElementsAre(HasSubstr("within the bounds of a region that it writes, but not in it")));
  EXPECT_THAT(touching(vague{even}, a, 5), IsEmpty());
}

// What a step sums that says nothing of it; another one writes a[4] before.
template <class R>
std::vector<std::string> summed_after(const R& written, field& a, std::size_t read) {
  double sum = 0;
  return reported([&] {
    splice(2, [&](int t) {
      const call_effects fx{writes(written, memory_range(&sum, 1))};
      if (t == 0) step(writes(written), [&] { a[4] += 1; });
      if (t == 1) step(writes(memory_range(&sum, 1)), [&] { sum += a[read]; });
    });
  });
}

// Catches reads that nobody has said of what is written in a set of indices.
TEST(Regions, ReadsOfAnIndexSet) {
  field a(8, 0);
  const std::vector<int> indices{1, 4, 6};
  const sennit::index_set some(a.data(), indices);
  const auto found = ElementsAre(HasSubstr("a step reads 8 bytes"));
  EXPECT_THAT(summed_after(some, a, 4), found);
  EXPECT_THAT(summed_after(some, a, 6), found);
  EXPECT_THAT(summed_after(some, a, 5), IsEmpty());
  EXPECT_THAT(touching(some, a, 4), IsEmpty());
  EXPECT_THAT(touching(some, a, 3), ElementsAre(HasSubstr("a step writes 8 bytes")));
}

// Catches reads that are passed, or accused, because a region does not know its addresses: of what has been written in one, and
// of what only lies among it.
TEST(UsersRegions, ReadsOfWhatTheyHaveWritten) {
  field a(8, 0);
  const vague somewhere{{a.data(), 8}};
  EXPECT_THAT(summed_after(somewhere, a, 4), ElementsAre(HasSubstr("a step reads 8 bytes")));
  EXPECT_THAT(summed_after(somewhere, a, 5), IsEmpty());
  const sennit::subtree tree(&a);
  EXPECT_THAT(summed_after(tree, a, 4), ElementsAre(HasSubstr("a step reads 8 bytes")));
  EXPECT_THAT(summed_after(tree, a, 5), IsEmpty());
}

}  // namespace
