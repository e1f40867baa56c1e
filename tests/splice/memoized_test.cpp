// SPDX-License-Identifier: Apache-2.0
// What a memoized splice notices between two runs, and what its trees may do.
#include "support.hpp"

#include <sennit/detail/effects_access.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::writes;

constexpr std::int64_t cells = 64;

// Catches an order that is followed though sets have other indices, between the same first and last one. Call 0 counts up x
// but for its ends, call 1 gathers x from where the indices say.
TEST(memoized, notices_other_indices) {
  std::vector<int> x(cells + 2), y(cells), all(cells), from(3 * cells);
  std::iota(all.begin(), all.end(), 1);
  const auto point = [&](auto where) {
    for (int i = 0; i < static_cast<int>(cells); ++i) {
      const auto set = 3 * static_cast<std::size_t>(i);
      from[set] = 0;
      from[set + 1] = 1 + where(i);
      from[set + 2] = static_cast<int>(cells) + 1;
    }
  };
  const auto read_by = [&](range r) {
    const auto first = static_cast<std::size_t>(r.first);
    return r.size() == 1 ? std::span<const int>(from).subspan(3 * first, 3) : std::span<const int>(all);
  };
  const auto written_by = [&](range r) {
    return std::span<const int>(all).subspan(static_cast<std::size_t>(r.first),
                                             static_cast<std::size_t>(r.size()));
  };
  sennit::memoized_splice both([&](int t) {
    return divided{range{0, cells}, 1,
                   [&, t](range r) {
                     if (t == 0) return effects(writes(sennit::index_set(x.data(), written_by(r))));
                     return effects(reads(sennit::index_set(x.data(), read_by(r))),
                                    writes(memory_range(y, r)));
                   },
                   [&, t](range r) {
                     const auto i = static_cast<std::size_t>(r.first);
                     if (t == 0) {
                       ++x[i + 1];
                     } else {
                       y[i] = x[static_cast<std::size_t>(from[3 * i + 1])];
                     }
                   }};
  });
  point([](int i) { return i; });
  runtime_of(1).run([&] { both.run(2); });
  EXPECT_EQ(y, std::vector<int>(cells, 1));
  point([](int i) { return static_cast<int>(cells) - 1 - i; });
  runtime_of(1).run([&] { both.run(2); });
  EXPECT_EQ(y, std::vector<int>(cells, 2));
}

// A set of 64 numbers, in no memory that could be named.
struct bits {
  std::uint64_t set;
  friend bool interferes(const bits& a, const bits& b) { return (a.set & b.set) != 0; }
};
// Says itself what it differs by, as it is compared by more than its bytes.
struct weighed_bits {
  const std::uint64_t* set;
  double weight;
  friend bool interferes(const weighed_bits& a, const weighed_bits& b) { return (*a.set & *b.set) != 0; }
  friend std::uint64_t fingerprint_of(const weighed_bits& b) { return *b.set; }
};

constexpr std::uint64_t bits_of(range r) {
  return (r.last == 64 ? 0 : std::uint64_t{1} << r.last) - (std::uint64_t{1} << r.first);
}

// Catches effects that differ in a region of a user's, which has no hull, and are taken for the same.
TEST(memoized, notices_other_regions_of_users) {
  for (const bool weighed : {false, true}) {
    std::array<std::uint64_t, 2> whole_sets{};
    bool crossed = false;
    std::vector<int> x(64), y(64);
    std::vector<std::uint64_t> sets(128);
    sennit::memoized_splice both([&](int t) {
      return divided{range{0, 64}, 1,
                     [&, t](range r) {
                       const range at =
                           t == 1 && crossed && r.size() < 64 ? range{64 - r.last, 64 - r.first} : r;
                       const std::uint64_t set = bits_of(at);
                       std::uint64_t& place =
                           r.size() == 64 ? whole_sets[0] : sets[static_cast<std::size_t>(64 * t + r.first)];
                       if (r.size() == 64 || r.size() == 1) place = set;
                       if (!weighed || (r.size() != 64 && r.size() != 1)) return effects(writes(bits{set}));
                       return effects(writes(weighed_bits{&place, 1.5}));
                     },
                     [&, t](range r) {
                       const auto i = static_cast<std::size_t>(r.first);
                       if (t == 0) {
                         ++x[i];
                       } else {
                         y[i] = x[crossed ? 63 - i : i];
                       }
                     }};
    });
    runtime_of(1).run([&] { both.run(2); });
    EXPECT_EQ(y, std::vector<int>(64, 1));
    crossed = true;
    runtime_of(1).run([&] { both.run(2); });
    EXPECT_EQ(y, std::vector<int>(64, 2)) << weighed;
  }
}

// Catches fingerprints that are the same where a region differs in a way that its hull does not show.
TEST(memoized, fingerprints_tell_regions_apart) {
  using sennit::detail::effects_access;
  const auto print = [](const auto& region) { return effects_access::fingerprint(effects(writes(region))); };
  const std::vector<double> a(1000);
  const auto box = [&](range rows, range columns) {
    return sennit::memory_box<2>(a.data(), {10}, {rows, columns});
  };
  EXPECT_NE(print(box({0, 3}, {0, 10})), print(sennit::memory_box<2>(a.data(), {5}, {{{0, 5}, {0, 10}}})));
  EXPECT_EQ(print(box({0, 3}, {0, 5})), print(box({0, 3}, {0, 5})));
  const sennit::subtree root(a.data());
  EXPECT_NE(print(root.left()), print(root.right()));
  EXPECT_NE(print(root.left()), print(root));
  EXPECT_EQ(print(root.left()), print(root.left()));
  const std::array<int, 3> some{1, 2, 9};
  const std::array<int, 3> others{1, 3, 9};
  const std::array<int, 3> same = some;
  EXPECT_NE(print(sennit::index_set(a.data(), some)), print(sennit::index_set(a.data(), others)));
  EXPECT_EQ(print(sennit::index_set(a.data(), some)), print(sennit::index_set(a.data(), same)));
  const std::uint64_t set = 5;
  EXPECT_EQ(print(weighed_bits{&set, 1}), print(weighed_bits{&set, 2})) << "it says that they are the same";
}

// Without ==, and with a number that hides its bytes: nothing shows that a part belongs to another tree.
struct unnamed_part {
  double generation;
  std::int64_t n;
  std::int64_t size() const { return n; }
  unnamed_part left() const { return {generation, n / 2}; }
  unnamed_part right() const { return {generation, n - n / 2}; }
};

// Catches parts of an earlier run, which may point to what is gone, shown to trees that they do not belong to.
TEST(memoized, shows_trees_their_own_parts_only) {
  std::vector<int> a(2);
  double now = 0;
  std::atomic<bool> foreign = false;
  sennit::memoized_splice one([&](int) {
    return divided{unnamed_part{now, 16}, 1,
                   [&](unnamed_part p) {
                     if (p.generation != now) foreign = true;
                     return effects(writes(memory_range(&a[static_cast<std::size_t>(now)], 1)));
                   },
                   [&](unnamed_part p) {
                     if (p.generation != now) foreign = true;
                   }};
  });
  one.run(2);
  now = 1;
  one.run(2);
  EXPECT_FALSE(foreign);
}

// Catches a size of blocks that overflows when it is made larger again and again.
TEST(memoized, the_largest_block_stays) {
  constexpr std::int64_t huge = INT64_MAX / 3;
  divided tree{range{0, huge}, 0, [](range) { return effects(); }, [](range) {}};
  sennit::detail::choose_block(tree, 1, 1024);
  EXPECT_EQ(tree.block, INT64_MAX);
}

// Catches tiles that are taken for as large as the rows that they lie in, and become single cells.
TEST(memoized, a_chosen_block_goes_by_the_bytes_of_boxes) {
  const double* const grid = nullptr;
  const auto tile = [&](range rows, range columns) {
    return effects(writes(sennit::memory_box<2>(grid, {1 << 20}, {rows, columns})));
  };
  using sennit::detail::effects_access;
  EXPECT_EQ(effects_access::bytes(tile({0, 8}, {0, 8})), 8U * 8 * 8);
  const std::array<int, 2> indices{0, 1 << 20};
  EXPECT_EQ(effects_access::bytes(effects(reads(sennit::index_set(grid, indices)))), 2U * 8);
}

// Catches a tree that is cut more or less finely according to where it stands.
TEST(memoized, blocks_are_chosen_alike_in_sequences) {
  constexpr std::int64_t n = 1 << 24;
  const double* const data = nullptr;
  const divided tree{range{0, n}, 0, [&](range r) { return effects(reads(memory_range(data, r))); },
                     [](range) {}};
  divided in_a_splice = tree;
  sennit::detail::choose_block(in_a_splice, 32);
  EXPECT_EQ(sennit::detail::with_block(tree).block, in_a_splice.block);
}

#if SENNIT_EXCEPTIONS
// Catches a body that throws and takes the place of what comes before it in the loop: steps, or what they throw.
TEST(memoized, what_comes_before_a_body_that_throws_is_run) {
  std::vector<int> a(64);
  int fails_at = 99;
  int body_fails_at = 3;
  bool effects_fail = false;
  const auto body = [&](int t) {
    if (t == body_fails_at && !effects_fail) throw std::runtime_error("body");
    return divided{range{0, 64}, body_fails_at == t ? 0 : 8,
                   [&a, t, body_fails_at](range r) {
                     if (t == body_fails_at) throw std::runtime_error("effects");
                     return effects(writes(memory_range(a, r)));
                   },
                   [&, t](range r) {
                     if (t == fails_at) throw std::runtime_error("step");
                     for (auto i = r.first; i < r.last; ++i) ++a[static_cast<std::size_t>(i)];
                   }};
  };
  const auto said = [](auto&& run) -> std::string {
    try {
      run();
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "nothing";
  };
  sennit::memoized_splice memoized(body);
  const auto splice = [&] { sennit::splice(5, body); };
  const auto memo = [&] { memoized.run(5); };
  EXPECT_EQ(said(splice), "body");
  EXPECT_EQ(a, std::vector<int>(64, 3));
  EXPECT_EQ(said(memo), "body");
  EXPECT_EQ(a, std::vector<int>(64, 6));
  effects_fail = true;
  EXPECT_EQ(said(splice), "effects");
  EXPECT_EQ(said(memo), "effects");
  EXPECT_EQ(a, std::vector<int>(64, 12));
  fails_at = 0;
  EXPECT_EQ(said(splice), "step");
  EXPECT_EQ(said(memo), "step");
  body_fails_at = fails_at = 99;
  a.assign(64, 0);
  EXPECT_EQ(said(memo), "nothing");
  EXPECT_EQ(a, std::vector<int>(64, 5));
}

// Catches an error that names what was not called.
TEST(memoized, no_order_is_called_so) {
  sennit::memoized_splice one([&](int) {
    return divided{range{0, 8}, 8, [](range) { return effects(); },
                   [](range) { throw std::runtime_error("step"); }};
  });
  EXPECT_THROW(one.run(1), std::runtime_error);
  try {
    (void)one.schedule();
    ADD_FAILURE() << "there is none";
  } catch (const std::logic_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("call run() first; a run() that throws"));
  }
}
#endif

}  // namespace
}  // namespace sennit_test
