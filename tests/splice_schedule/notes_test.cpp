// SPDX-License-Identifier: Apache-2.0
// What a splice's schedule knows besides the order: choices, caches and memory, and the file of it.
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using sennit::memory_range;
using sennit::range;
using sennit::splice_schedule;
using testing::AllOf;
using testing::HasSubstr;

std::string failure_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

constexpr auto sweep = [](int t) {
  static std::vector<double> u[2] = {std::vector<double>(600), std::vector<double>(600)};
  const double* const in = u[t % 2].data();
  double* const out = u[(t + 1) % 2].data();
  return sennit::divided{range{1, 599}, 0,
                         [=](range r) {
                           return sennit::effects(sennit::reads(memory_range(in, r.grown(1))),
                                                  sennit::writes(memory_range(out, r)));
                         },
                         [](range) {}};
};

constexpr auto small_caches = "synthetic:l2:1(size=8192) l1d:1(size=4096) core:1 pu:1";

bool can_describe_caches() {
  try {
    sennit::runtime one({.workers = 1, .topology = small_caches});
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// On a machine for which the data is not small.
splice_schedule order_of(bool memory) {
  sennit::memoized_splice sweeps(sweep);
  sweeps.note_memory(memory);
  sennit::runtime one({.workers = 1, .topology = can_describe_caches() ? small_caches : ""});
  one.run([&] {
    for (int i = 0; i < 3; ++i) sweeps.run(3);
  });
  return sweeps.schedule();
}
// What is known of the order of three sweeps, with the memory that they touch, or without.
splice_schedule with_notes() { return order_of(true); }
splice_schedule without_memory() { return order_of(false); }

void expect_same_notes(const splice_schedule& a, const splice_schedule& b) {
  EXPECT_EQ(a.report().engine, b.report().engine);
  EXPECT_EQ(a.report().steps, b.report().steps);
  EXPECT_EQ(a.report().delayed, b.report().delayed);
  EXPECT_EQ(a.report().extra_bytes, b.report().extra_bytes);
  EXPECT_EQ(a.report().group, b.report().group);
  EXPECT_EQ(a.report().together, b.report().together);
  EXPECT_EQ(a.report().block, b.report().block);
  EXPECT_EQ(a.report().block_bytes, b.report().block_bytes);
  EXPECT_EQ(a.report().block_is_chosen, b.report().block_is_chosen);
  EXPECT_EQ(a.report().shift, b.report().shift);
  EXPECT_EQ(a.report().blocks_tried, b.report().blocks_tried);
  EXPECT_EQ(a.report().tries_more, b.report().tries_more);
  ASSERT_EQ(a.report().tried.size(), b.report().tried.size());
  for (std::size_t i = 0; i < a.report().tried.size(); ++i) {
    EXPECT_EQ(a.report().tried.begin()[i].block, b.report().tried.begin()[i].block);
    EXPECT_NEAR(a.report().tried.begin()[i].ns, b.report().tried.begin()[i].ns, 0.001);
  }
  EXPECT_EQ(a.caches(), b.caches());
  ASSERT_EQ(a.has_memory(), b.has_memory());
  for (std::uint32_t call = 0; call < a.blocks().size() && a.has_memory(); ++call) {
    for (std::uint32_t block = 0; block < a.blocks()[call]; ++block) {
      const auto x = a.memory_of(call, block);
      const auto y = b.memory_of(call, block);
      EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << call << ' ' << block;
    }
  }
}

// Catches: choices or memory that are lost on their way through a file, or that belong to another block.
TEST(SpliceSchedule, KeepsWhatIsKnownOfTheOrder) {
  if (!can_describe_caches()) GTEST_SKIP() << "built without hwloc";
  const splice_schedule order = with_notes();
  EXPECT_EQ(order.report().engine, sennit::splice_engine::wavefront);
  EXPECT_EQ(order.report().steps, order.size());
  EXPECT_EQ(order.report().shift, 2);
  EXPECT_EQ(order.report().together, 3U);
  EXPECT_TRUE(order.report().block_is_chosen);
  EXPECT_GE(order.report().tried.size(), 1U);
  EXPECT_GT(order.caches().own, 0U);
  ASSERT_TRUE(order.has_memory());
  // A block reads a number more at each end than it writes; the arrays are in each other's place in the next sweep.
  std::uint64_t written = 0;
  for (std::uint32_t block = 0; block < order.blocks()[0]; ++block) {
    const auto now = order.memory_of(0, block);
    if (now.empty()) continue;
    ASSERT_EQ(now.size(), 2U);
    EXPECT_EQ(now[1].bytes, now[0].bytes + 16);
    written += now[0].bytes;
  }
  EXPECT_EQ(written, 598 * sizeof(double));
  const splice_schedule again = splice_schedule::from_bytes(order.to_bytes());
  EXPECT_EQ(again, order);
  expect_same_notes(again, order);
  EXPECT_FALSE(without_memory().has_memory());
}

// Catches: a memoized splice that does not know which size splices of the same trees have found, and a file without the sizes
// that were tried.
TEST(SpliceSchedule, HasTheSizesThatSplicesOfTheseTreesHaveTried) {
  constexpr std::int64_t many = 4'000'000;
  std::vector<double> u[2] = {std::vector<double>(many, 1.0), std::vector<double>(many, 1.0)};
  const auto smooth = [&](int t) {
    double* const out = u[(t + 1) % 2].data();
    const double* const in = u[t % 2].data();
    return sennit::divided{range{1, many - 1}, 0,
                           [=](range r) {
                             return sennit::effects(sennit::reads(memory_range(in, r.grown(1))),
                                                    sennit::writes(memory_range(out, r)));
                           },
                           [=](range r) {
                             for (auto i = r.first; i < r.last; ++i)
                               out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
                           }};
  };
  sennit::runtime one({.workers = 1});
  one.run([&] {
    sennit::splice_report took = sennit::splice(8, smooth);
    for (int i = 0; i < 50 && took.tries_more; ++i) took = sennit::splice(8, smooth);
    ASSERT_FALSE(took.tries_more) << took.text();
    sennit::memoized_splice often(smooth);
    for (int i = 0; i < 3; ++i) {
      often.run(8);
      EXPECT_EQ(often.report().block, took.block);
      EXPECT_EQ(often.report().tried, took.tried);
    }
    const splice_schedule order = splice_schedule::from_bytes(often.schedule().to_bytes());
    EXPECT_EQ(order.report().block, took.block);
    EXPECT_EQ(order.report().tried.size(), took.blocks_tried);
    EXPECT_GT(took.blocks_tried, 1U);
  });
}

// Catches: an order that is loaded and saved again without what was known of it.
TEST(SpliceSchedule, KeepsWhatIsKnownOfALoadedOrder) {
  const splice_schedule before = without_memory();
  sennit::memoized_splice memo(sweep);
  memo.follow(before);
  memo.run(3);
  expect_same_notes(memo.schedule(), before);
  EXPECT_FALSE(memo.schedule().has_memory());
  sennit::memoized_splice noting(sweep);
  noting.note_memory();
  noting.follow(before);
  noting.run(3);
  EXPECT_TRUE(noting.schedule().has_memory());
  EXPECT_EQ(noting.schedule().report().engine, before.report().engine);
}

// A region of which only the hull is known, and every second of some numbers.
struct of_some_bytes {
  sennit::hull where;
  friend sennit::hull hull_of(const of_some_bytes& r) { return r.where; }
  friend bool interferes(const of_some_bytes&, const of_some_bytes&) { return true; }
};
struct every_second {
  const double* from;
  std::uint64_t n;
  friend sennit::hull hull_of(const every_second& r) {
    const auto first = reinterpret_cast<std::uintptr_t>(r.from);
    return {first, first + 16 * r.n};
  }
  friend bool interferes(const every_second&, const every_second&) { return true; }
  friend sennit::memory_runs runs_of(const every_second& r) {
    return {
        .first = reinterpret_cast<std::uintptr_t>(r.from), .bytes = 8, .count = {r.n, 1}, .pitch = {16, 0}};
  }
};

template <class Region>
splice_schedule touching(Region region) {
  sennit::memoized_splice one([=](int) {
    return sennit::divided{range{0, 2}, 1,
                           [=](range r) { return sennit::effects(sennit::writes(region(r))); }, [](range) {}};
  });
  one.note_memory();
  one.run(2);
  return one.schedule();
}

// Catches: bytes between runs that are taken for the region's, and bytes that are made up where nobody knows them.
TEST(SpliceSchedule, KnowsWhichBytesARegionHas) {
  static double u[1000];
  const auto box = touching(
      [](range r) { return sennit::memory_box<3>(u, {100, 10}, {r.grown(0), range{2, 5}, range{3, 7}}); });
  ASSERT_TRUE(box.has_memory());
  EXPECT_EQ(box.memory_of(1, 1)[0],
            (sennit::memory_runs{.first = 800, .bytes = 32, .count = {3, 1}, .pitch = {80, 0}}));
  const auto planes = touching([](range r) {
    return sennit::memory_box<3>(u, {100, 10}, {range{r.first, r.first + 2}, range{2, 5}, range{0, 10}});
  });
  EXPECT_EQ(planes.memory_of(0, 1)[0],
            (sennit::memory_runs{.first = 800, .bytes = 240, .count = {2, 1}, .pitch = {800, 0}}));
  const auto second = touching([](range r) { return every_second{u + 20 * r.first, 10}; });
  EXPECT_EQ(second.memory_of(0, 1)[0],
            (sennit::memory_runs{.first = 160, .bytes = 8, .count = {10, 1}, .pitch = {16, 0}}));
  expect_same_notes(splice_schedule::from_bytes(box.to_bytes()), box);
  expect_same_notes(splice_schedule::from_bytes(second.to_bytes()), second);
  const auto unknown = touching([](range r) {
    const auto first = reinterpret_cast<std::uintptr_t>(u + r.first);
    return of_some_bytes{{first, first + 100}};
  });
  EXPECT_FALSE(unknown.has_memory());
}

// The bytes with a checksum that is right.
std::vector<std::byte> with_checksum(std::vector<std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    crc ^= std::to_integer<std::uint32_t>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  crc = ~crc;
  for (std::size_t i = 0; i < 4; ++i) bytes[bytes.size() - 4 + i] = static_cast<std::byte>(crc >> (8 * i));
  return bytes;
}

// Catches: files of the library's first version that can no longer be read.
TEST(SpliceSchedule, ReadsFilesOfTheFirstVersion) {
  // The flags are behind the version, workers, calls, and two numbers for each call.
  std::vector<std::byte> bytes =
      sennit::detail::splice_schedule_access::make(3, {2, 1}, {{0, 1}, {1, 0}, {0, 0}}).to_bytes();
  constexpr std::size_t version = 15, flags = version + 1 + 1 + 1 + 4;
  ASSERT_EQ(bytes[version], std::byte{2});
  ASSERT_EQ(bytes[flags], std::byte{0});
  bytes[version] = std::byte{1};
  bytes.erase(bytes.begin() + flags);
  const splice_schedule old = splice_schedule::from_bytes(with_checksum(bytes));
  EXPECT_EQ(old.workers(), 3U);
  EXPECT_EQ(old.blocks(), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(old.report().engine, sennit::splice_engine::none);
  EXPECT_FALSE(old.has_memory());
  bytes[version] = std::byte{3};
  EXPECT_THAT(failure_of([&] { splice_schedule::from_bytes(with_checksum(bytes), "x"); }),
              AllOf(HasSubstr("version 3"), HasSubstr("reads versions 1 to 2"), HasSubstr("save it again")));
}

// Catches: numbers with a right checksum that are read beyond the end, take all memory, or become an engine or a size that
// does not exist. Whatever is loaded can be saved and looked at.
TEST(SpliceSchedule, LoadsNoNumbersThatNobodyWrites) {
  const std::vector<std::byte> bytes = with_notes().to_bytes();
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int loaded = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> changed = bytes;
    for (std::size_t many = 1 + below(3); many-- > 0;) {
      const std::size_t at = 15 + below(changed.size() - 19);
      switch (below(3)) {
        case 0: changed[at] = static_cast<std::byte>(below(256)); break;
        case 1: changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), std::byte{255}); break;
      }
    }
    changed = with_checksum(std::move(changed));
    const std::string said = failure_of([&] {
      const splice_schedule s = splice_schedule::from_bytes(changed, "x");
      EXPECT_LE(s.report().engine, sennit::splice_engine::several);
      EXPECT_GE(s.report().block, 0);
      EXPECT_FALSE(s.report().text().empty());
      expect_same_notes(splice_schedule::from_bytes(s.to_bytes()), s);
    });
    EXPECT_TRUE(said == "nothing" || said.find("'x'") != std::string::npos) << said;
    ++(said == "nothing" ? loaded : refused);
  }
  EXPECT_GT(loaded, 100);
  EXPECT_GT(refused, 100);
}

// Catches an order that its own program refuses, because the trees are cut otherwise when they are loaded, or because the file
// has a reason that the reader does not know: small data, which is not cut, and a sweep in place on a ring.
TEST(SpliceSchedule, OfAnySweepIsLoadedByItsProgram) {
  for (const long n : {2L, 600L, 1000L, 30000L, 300000L}) {
    for (const bool in_place : {false, true}) {
      for (const unsigned workers : {1U, 2U}) {
        std::vector<double> u[2] = {std::vector<double>(static_cast<std::size_t>(n)),
                                    std::vector<double>(static_cast<std::size_t>(n))};
        const auto body = [&](int t) {
          const double* const in = u[in_place ? 0 : t % 2].data();
          double* const out = u[in_place ? 0 : (t + 1) % 2].data();
          return sennit::divided{range{0, n}, 0,
                                 [=](range r) {
                                   return sennit::effects(
                                       sennit::reads(memory_range(in, r.grown(1).within({0, n})),
                                                     memory_range(in, range{0, r.last == n ? 1 : 0}),
                                                     memory_range(in, range{r.first == 0 ? n - 1 : n, n})),
                                       sennit::writes(memory_range(out, r)));
                                 },
                                 [](range) {}};
        };
        sennit::runtime some({.workers = workers});
        const std::string file = testing::TempDir() + "any_sweep.splice";
        some.run([&] {
          sennit::memoized_splice first(body);
          for (int i = 0; i < 3; ++i) first.run(8);
          first.save(file);
          sennit::memoized_splice second(body);
          second.load(file);
          EXPECT_NO_THROW(second.run(8)) << n << (in_place ? " in place" : "") << ", workers " << workers;
          EXPECT_EQ(second.schedule().report().no_shift, first.schedule().report().no_shift);
        });
      }
    }
  }
}

}  // namespace
