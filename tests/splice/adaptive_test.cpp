// SPDX-License-Identifier: Apache-2.0
// Memoized splices of adaptive programs: what the blocks reach changes from run to run, and the trees as wholes do not.
#include "support.hpp"

#include <sennit/detail/effects_access.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace sennit_test {
namespace {

using sennit::divided;
using sennit::effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::writes;

// Cells that are moved on in one sweep and gather the cell that each of them points to in the next, block by block. After a
// sweep the program refines the mesh: some blocks point elsewhere.
class mesh {
 public:
  explicit mesh(std::int64_t blocks)
      : cells_(static_cast<std::size_t>(blocks)), gathered_(cells_.size()), to_(cells_.size()) {
    std::iota(to_.begin(), to_.end(), std::int64_t{0});
  }
  mesh(const mesh&) = delete;
  mesh& operator=(const mesh&) = delete;

  void point(std::int64_t block, std::int64_t to) { to_[static_cast<std::size_t>(block)] = to; }
  // Sweep t: even ones move the cells on, odd ones gather them.
  auto sweep(int t) {
    return divided{range{0, static_cast<std::int64_t>(cells_.size())}, 1,
                   [this, t](range r) {
                     if (t % 2 == 0) return effects(writes(memory_range(cells_, r)));
                     // A whole tree says that it reads all cells, whatever its blocks read.
                     const bool block = r.size() == 1;
                     const std::int64_t to = block ? to_[static_cast<std::size_t>(r.first)] : 0;
                     return effects(
                         reads(block ? memory_range(cells_, range{to, to + 1}) : memory_range(cells_)),
                         writes(memory_range(gathered_, r)));
                   },
                   [this, t](range r) {
                     const auto i = static_cast<std::size_t>(r.first);
                     if (t % 2 == 0) {
                       cells_[i] = 3 * cells_[i] + i;
                     } else {
                       gathered_[i] += cells_[static_cast<std::size_t>(to_[i])];
                     }
                   }};
  }
  const std::vector<std::uint64_t>& gathered() const { return gathered_; }

 private:
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint64_t> gathered_;
  std::vector<std::int64_t> to_;
};

// Catches an order that is followed although one block needs a cell that it did not need before.
TEST(adaptive, no_run_is_wrong_after_one_block_points_elsewhere) {
  constexpr int sweeps = 4;
  int wrong = 0;
  for (const unsigned workers : {1U, 3U}) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(scaled(100)); ++seed) {
      random_numbers random(seed);
      const auto blocks = static_cast<std::int64_t>(2 + random.below(400));
      const auto any = [&] {
        return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(blocks)));
      };
      mesh spliced(blocks);
      mesh plain(blocks);
      sennit::memoized_splice memo([&](int t) { return spliced.sweep(t); });
      for (int run = 0; run < 3; ++run) {
        runtime_of(workers).run([&] { memo.run(sweeps); });
        for (int t = 0; t < sweeps; ++t) plain.sweep(t)();
        wrong += spliced.gathered() == plain.gathered() ? 0 : 1;
        const std::int64_t block = any();
        const std::int64_t to = any();
        spliced.point(block, to);
        plain.point(block, to);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Catches an order that is kept for the effects that its own steps have made, and not for those that it was found for.
TEST(adaptive, steps_change_what_the_next_run_reads) {
  constexpr std::int64_t n = 64;
  std::vector<int> x(n), y(n), from(n);
  std::iota(from.begin(), from.end(), 0);
  sennit::memoized_splice three([&](int t) {
    return divided{range{0, n}, 1,
                   [&, t](range r) {
                     if (t == 0) return effects(writes(memory_range(x, r)));
                     if (t == 2) return effects(writes(memory_range(from, r)));
                     const bool block = r.size() == 1;
                     const std::int64_t at = block ? from[static_cast<std::size_t>(r.first)] : 0;
                     return effects(reads(block ? memory_range(x, range{at, at + 1}) : memory_range(x),
                                          memory_range(from, r)),
                                    writes(memory_range(y, r)));
                   },
                   [&, t](range r) {
                     const auto i = static_cast<std::size_t>(r.first);
                     if (t == 0) ++x[i];
                     if (t == 1) y[i] = x[static_cast<std::size_t>(from[i])];
                     // The last sweep chooses what the next run reads.
                     if (t == 2) from[i] = static_cast<int>(n) - 1 - from[i];
                   }};
  });
  for (int run = 1; run < 5; ++run) {
    runtime_of(1).run([&] { three.run(3); });
    EXPECT_EQ(y, std::vector<int>(n, run)) << run;
  }
}

// A region that nothing tells apart: it has padding, and says nothing itself.
struct vague_box {
  const int* array;
  std::int32_t first;  // one element
  char kind;
  friend bool interferes(const vague_box& a, const vague_box& b) {
    return a.array == b.array && a.first == b.first;
  }
};

// Catches an order that is followed although nobody can say whether the regions are those of the run before.
TEST(adaptive, regions_that_cannot_be_compared) {
  constexpr int n = 32;
  std::vector<int> x(n), y(n), from(n);
  std::iota(from.begin(), from.end(), 0);
  int looked = 0;
  sennit::memoized_splice both([&](int t) {
    return divided{range{0, n}, 1,
                   [&, t](range r) {
                     ++looked;
                     if (r.size() > 1) return effects::everything();
                     const auto i = static_cast<int>(r.first);
                     const int at = t == 0 ? i : from[static_cast<std::size_t>(i)];
                     return t == 0 ? effects(writes(vague_box{x.data(), at, 'x'}))
                                   : effects(reads(vague_box{x.data(), at, 'x'}),
                                             writes(vague_box{y.data(), i, 'y'}));
                   },
                   [&, t](range r) {
                     const auto i = static_cast<std::size_t>(r.first);
                     if (t == 0) {
                       ++x[i];
                     } else {
                       y[i] = x[static_cast<std::size_t>(from[i])];
                     }
                   }};
  });
  for (int run = 1; run < 4; ++run) {
    runtime_of(1).run([&] { both.run(2); });
    EXPECT_EQ(y, std::vector<int>(n, run)) << run;
    for (int& f : from) f = n - 1 - f;
  }
}

// Catches a fingerprint that differs without a reason: each run would look for an order.
TEST(adaptive, an_order_is_followed_while_nothing_changes) {
  mesh m(300);
  int looked = 0;
  sennit::memoized_splice memo([&](int t) {
    auto tree = m.sweep(t);
    return divided{tree.all, tree.block,
                   [tree, &looked](range r) {
                     ++looked;
                     return tree.effects_of(r);
                   },
                   tree.step};
  });
  std::vector<int> counts;
  for (int run = 0; run < 4; ++run) {
    looked = 0;
    runtime_of(1).run([&] { memo.run(4); });
    counts.push_back(looked);
  }
  EXPECT_EQ(counts[1], counts[2]);
  EXPECT_EQ(counts[2], counts[3]);
  EXPECT_LT(counts[1], 4 * 300 + 100) << "one look at each block, and those that choose the shifts";
  EXPECT_LT(counts[1], counts[0]);
}

#if SENNIT_EXCEPTIONS
// Catches a cancelled region that takes the order away, or that runs a splice.
TEST(adaptive, a_cancelled_region_leaves_the_order) {
  mesh m(300);
  sennit::memoized_splice memo([&](int t) { return m.sweep(t); });
  runtime_of(3).run([&] {
    memo.run(4);
    const std::vector<std::uint64_t> gathered = m.gathered();
    sennit::region region;
    EXPECT_FALSE(region.run([&] {
      region.cancel();
      memo.run(4);
    }));
    EXPECT_EQ(m.gathered(), gathered);
  });
  EXPECT_NO_THROW((void)memo.schedule());
}
#endif

// Catches a region of the library that nothing tells apart: its splices would look for their order in each run.
TEST(adaptive, regions_of_the_library_can_be_compared) {
  using sennit::detail::effects_access;
  const std::vector<double> a(64);
  const std::vector<int> indices{1, 5};
  const auto compared = [](const auto& region) {
    return effects_access::has_fingerprint(effects(writes(region)));
  };
  EXPECT_TRUE(compared(memory_range(a)));
  EXPECT_TRUE(compared(sennit::memory_box<2>(a.data(), {8}, {range{0, 2}, range{0, 2}})));
  EXPECT_TRUE(compared(sennit::memory_box<3>(a.data(), {16, 4}, {range{0, 2}, range{0, 2}, range{0, 2}})));
  EXPECT_TRUE(compared(sennit::index_set(a.data(), indices)));
  EXPECT_TRUE(compared(sennit::subtree(a.data())));
}

}  // namespace
}  // namespace sennit_test
