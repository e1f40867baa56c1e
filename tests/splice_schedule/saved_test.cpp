// SPDX-License-Identifier: Apache-2.0
// Orders of splices as values: what a memoized splice saves and follows, what it refuses, and the file.
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
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
using steps_run = std::vector<std::pair<std::int64_t, std::int64_t>>;  // calls and the blocks' first indices

// A range whose blocks the library cannot shift, so that each tree has the same ones.
struct halves : range {
  explicit halves(range r) : range(r) {}
  halves left() const { return halves(range::left()); }
  halves right() const { return halves(range::right()); }
};

// A smoothing of numbers, forth and back between two arrays, whose steps are noted in the order in which they are run.
class smoothing {
 public:
  explicit smoothing(std::int64_t n = 512, std::int64_t block = 16, std::int64_t reach = 1)
      : inner_{reach, n - reach}, block_(block), reach_(reach) {
    for (auto& u : u_) {
      u.resize(static_cast<std::size_t>(n));
      std::iota(u.begin(), u.end(), 1.0);
    }
  }
  smoothing(const smoothing&) = delete;
  smoothing& operator=(const smoothing&) = delete;

  auto tree(int t) {
    const double* const in = u_[static_cast<std::size_t>(t % 2)].data();
    double* const out = u_[static_cast<std::size_t>((t + 1) % 2)].data();
    return sennit::divided{halves(inner_), block_,
                           [=, k = reach_](halves r) {
                             return sennit::effects(sennit::reads(memory_range(in, r.grown(k))),
                                                    sennit::writes(memory_range(out, r)));
                           },
                           [=, this, k = reach_](halves r) {
                             for (auto i = r.first; i < r.last; ++i)
                               out[i] = (in[i - k] + 2 * in[i] + in[i + k]) / 3.5;
                             const std::scoped_lock held(lock_);
                             ran_.emplace_back(t, r.first);
                           }};
  }
  auto memo() {
    return sennit::memoized_splice([this](int t) { return tree(t); });
  }
  steps_run take() { return std::exchange(ran_, {}); }
  const std::array<std::vector<double>, 2>& numbers() const { return u_; }

 private:
  range inner_;
  std::int64_t block_;
  std::int64_t reach_;
  std::array<std::vector<double>, 2> u_;
  std::mutex lock_;
  steps_run ran_;
};

std::array<std::vector<double>, 2> plain(int calls, std::int64_t n = 512, std::int64_t block = 16) {
  smoothing s(n, block);
  for (int t = 0; t < calls; ++t) s.tree(t)();
  return s.numbers();
}

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sennit-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string failure_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}

// Such as one worker finds for eight calls.
splice_schedule found(unsigned workers = 1, int calls = 8) {
  smoothing s;
  auto memo = s.memo();
  sennit::runtime({.workers = workers}).run([&] { memo.run(calls); });
  return memo.schedule();
}

// Catches: blocks under other numbers than the loop has them; steps in another order than they were run in.
TEST(SpliceSchedule, SaysWhatWasRunWhen) {
  smoothing s;
  auto memo = s.memo();
  sennit::runtime({.workers = 1}).run([&] { memo.run(8); });
  const steps_run ran = s.take();
  const splice_schedule order = memo.schedule();
  EXPECT_EQ(order.workers(), 1U);
  EXPECT_EQ(order.strands(), 1U);
  EXPECT_EQ(order.blocks(), std::vector<std::uint32_t>(8, 32));
  EXPECT_EQ(order.size(), ran.size());
  EXPECT_EQ(order.length(), ran.size());
  const auto steps = order.steps();
  ASSERT_EQ(steps.size(), ran.size());
  bool skewed = false;
  // The blocks' first indices, in the order of the loop.
  s.tree(0)();
  const steps_run loop = s.take();
  for (std::size_t i = 0; i < ran.size(); ++i) {
    EXPECT_EQ(steps[i].call, ran[i].first);
    EXPECT_EQ(loop[steps[i].block].second, ran[i].second);
    EXPECT_EQ(steps[i].turn, i);
    skewed = skewed || (i > 0 && steps[i].call < steps[i - 1].call);
  }
  EXPECT_TRUE(skewed) << "nothing was interleaved, so that the test shows nothing";
}

// Catches: a loaded order that is forgotten and found anew, is followed with other blocks, or computes something else.
TEST(SpliceSchedule, IsFollowedByAnotherSplice) {
  const folder there;
  const std::string file = there / "a.splice";
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    smoothing first;
    auto memo = first.memo();
    sennit::runtime({.workers = workers}).run([&] { memo.run(8); });
    memo.save(file);
    EXPECT_EQ(splice_schedule::load(file), memo.schedule());
    EXPECT_EQ(first.numbers(), plain(8));

    smoothing second;
    auto again = second.memo();
    again.load(file);
    // Followed by one worker, it is run in the order in which it lists its steps, even if it is for several.
    sennit::runtime({.workers = 1}).run([&] { again.run(8); });
    const auto steps = memo.schedule().steps();
    const steps_run ran = second.take();
    ASSERT_EQ(ran.size(), steps.size());
    for (std::size_t i = 0; i < ran.size(); ++i) EXPECT_EQ(ran[i].first, steps[i].call);
    EXPECT_EQ(second.numbers(), plain(8));
    EXPECT_EQ(again.schedule(), memo.schedule());
    EXPECT_EQ(again.schedule().workers(), workers);
  }
}

// Catches: strands that several workers run where the order has them one after the other.
TEST(SpliceSchedule, IsFollowedByMoreWorkersThanThereAre) {
  const splice_schedule order = found(8, 12);
  EXPECT_GT(order.strands(), 1U);
  for (int i = 0; i < 20; ++i) {
    smoothing s;
    auto memo = s.memo();
    memo.follow(order);
    sennit::runtime({.workers = 4}).run([&] { memo.run(12); });
    EXPECT_EQ(s.numbers(), plain(12));
  }
}

// Catches: strands with the numbers of others that run beside them, turns that overlap on one strand.
TEST(SpliceSchedule, HasOneStepAStrandAndTurn) {
  const auto steps = found(8, 12).steps();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
  for (const auto& s : steps) places.emplace_back(s.turn, s.strand);
  std::sort(places.begin(), places.end());
  EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end());
  EXPECT_LT(found(8, 12).length(), steps.size());
}

// Catches: an order that is followed although steps that interfere would be run the wrong way round.
TEST(SpliceSchedule, IsRefusedForOtherEffects) {
  const splice_schedule order = found();
  smoothing wider(512 + 126, 16 + 4, 64);  // as many blocks, each of which reads from more of the others
  auto memo = wider.memo();
  memo.follow(order, "narrow.splice");
  const std::string said = failure_of([&] { memo.run(8); });
  EXPECT_THAT(said, AllOf(HasSubstr("'narrow.splice'"), HasSubstr("other effects"),
                          HasSubstr("save it again from this one")));
  EXPECT_TRUE(wider.take().empty()) << "some steps were run before it was refused";
  memo.run(8);  // finds its own
  EXPECT_EQ(wider.take().size(), 8U * 32);
}

// Catches: an order for another splice that leaves steps out or names some that are not there.
TEST(SpliceSchedule, IsRefusedForAnotherShape) {
  const splice_schedule order = found();
  smoothing s;
  auto memo = s.memo();
  memo.follow(order, "eight.splice");
  EXPECT_THAT(
      failure_of([&] { memo.run(7); }),
      AllOf(HasSubstr("'eight.splice'"), HasSubstr("8 calls of 32 blocks"), HasSubstr("has 7 calls")));
  smoothing coarse(512, 64);
  auto other = coarse.memo();
  other.follow(order);
  EXPECT_THAT(failure_of([&] { other.run(8); }),
              AllOf(HasSubstr("schedule in memory"), HasSubstr("call 0 of this splice has 8 blocks")));
  smoothing fine(512, 8);
  auto more = fine.memo();
  more.follow(order);
  EXPECT_THAT(failure_of([&] { more.run(8); }), HasSubstr("call 0 of this splice has more than 32 blocks"));
}

// Catches: a file that says how small blocks are, and so has more of them made than fit the memory.
TEST(SpliceSchedule, IsRefusedForMoreBlocksThanItHas) {
  const auto forged = splice_schedule::from_bytes(
      sennit::detail::splice_schedule_access::make(1, {1}, {{0, 0}}, {1}).to_bytes());
  sennit::memoized_splice memo([](int) {
    return sennit::divided{range{0, std::int64_t{1} << 50}, 0, [](range) { return sennit::effects(); },
                           [](range) {}};
  });
  memo.follow(forged, "forged.splice");
  EXPECT_THAT(failure_of([&] { memo.run(1); }),
              AllOf(HasSubstr("'forged.splice'"), HasSubstr("has more than 1 block;")));
  memo.run(1);
}

// Catches: blocks of a size that is chosen here, so that a schedule from elsewhere would not fit, or only once.
TEST(SpliceSchedule, BringsTheSizeOfBlocks) {
  const splice_schedule order = splice_schedule::from_bytes(found().to_bytes());
  smoothing s(512, 0);
  auto memo = s.memo();
  memo.follow(order);
  for (int i = 0; i < 3; ++i) {
    memo.run(8);
    EXPECT_EQ(s.take().size(), 8U * 32);
    EXPECT_EQ(memo.schedule(), order);
  }
}

// Catches: the check lets something pass that it should not, or refuses what is right. What it says is compared with what
// each pair of steps says.
TEST(SpliceSchedule, IsRefusedIfAndOnlyIfAPairIsWrong) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int followed = 0;
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    smoothing s(66, 8);
    auto memo = s.memo();
    sennit::runtime({.workers = round % 2 == 0 ? 1U : 4U}).run([&] { memo.run(3); });
    const splice_schedule order = memo.schedule();
    // Two neighbors change places, or two steps anywhere.
    auto items = sennit::detail::splice_schedule_access::items(order);
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_step()) steps.push_back(i);
    }
    const std::size_t one = below(steps.size() - 1);
    std::swap(items[steps[one]], items[steps[round % 3 == 0 ? below(steps.size()) : one + 1]]);
    const splice_schedule changed =
        sennit::detail::splice_schedule_access::make(order.workers(), order.blocks(), items);

    const auto places = sennit::detail::splice_schedule_access::places(changed);
    std::vector<std::vector<sennit::effects>> effects;
    for (int t = 0; t < 3; ++t) {
      const auto tree = s.tree(t);
      auto& of_call = effects.emplace_back();
      sennit::detail::tree_shape<halves>{tree.all, tree.block}.for_each(
          [&](halves r) { of_call.push_back(tree.effects_of(r)); });
    }
    bool wrong = false;
    for (std::size_t t = 0; t < 3; ++t) {
      for (std::size_t i = 0; i < effects[t].size(); ++i) {
        for (std::size_t u = t + 1; u < 3; ++u) {
          for (std::size_t j = 0; j < effects[u].size(); ++j) {
            const auto& a = places[t][i];
            const auto& b = places[u][j];
            wrong = wrong || (effects[t][i].interferes(effects[u][j]) &&
                              !(a.first_first < b.first_first && a.second_first < b.second_first));
          }
        }
      }
    }
    memo.follow(changed);
    const std::string said = failure_of([&] { memo.run(3); });
    EXPECT_EQ(said != "nothing", wrong) << said;
    ++(wrong ? refused : followed);
  }
  EXPECT_GT(followed, 20);
  EXPECT_GT(refused, 20);
}

// Catches: an order that is saved though there is none, or none any more.
TEST(SpliceSchedule, IsThereAfterARunThatEnded) {
  smoothing s;
  auto memo = s.memo();
  EXPECT_THROW(static_cast<void>(memo.schedule()), std::logic_error);
  memo.run(0);
  EXPECT_EQ(memo.schedule(), splice_schedule());
  memo.run(3);
  EXPECT_EQ(memo.schedule().size(), 96U);
}

// Catches: steps of one call that are let change places though they interfere.
TEST(SpliceSchedule, IsRefusedForTheOrderWithinACall) {
  std::vector<double> u(66, 1.0);
  const auto body = [&](int) {
    return sennit::divided{
        range{1, 65}, 16,
        [&](range r) { return sennit::effects(sennit::writes(memory_range(u.data(), r.grown(1)))); },
        [](range) {}};
  };
  sennit::memoized_splice memo(body);
  const auto of = [](std::vector<sennit::detail::splice_item> items) {
    return sennit::detail::splice_schedule_access::make(1, {4}, std::move(items));
  };
  memo.follow(of({{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(failure_of([&] { memo.run(1); }), "nothing");
  memo.follow(of({{0, 0}, {0, 2}, {0, 1}, {0, 3}}));
  EXPECT_THAT(failure_of([&] { memo.run(1); }),
              HasSubstr("does not run block 1 of call 0 before block 2 of call 0"));
}

// A part whose halves are equal, and one whose quarters are.
struct copies {
  std::int64_t n;
  std::int64_t size() const { return n; }
  copies left() const { return {n / 2}; }
  copies right() const { return {n / 2}; }
  friend bool operator==(const copies&, const copies&) = default;
};

// Catches: blocks that are equal as values and so mistaken for one another, one number being given twice.
TEST(SpliceSchedule, TellsEqualPartsApart) {
  int count = 0;
  const auto body = [&](int) {
    return sennit::divided{copies{16}, 1,
                           [&](copies) { return sennit::effects(sennit::writes(memory_range(&count, 1))); },
                           [&](copies) { ++count; }};
  };
  sennit::memoized_splice memo(body);
  memo.run(3);
  const splice_schedule order = memo.schedule();
  EXPECT_EQ(splice_schedule::from_bytes(order.to_bytes()), order);
  memo.follow(order);
  memo.run(3);
  EXPECT_EQ(count, 2 * 3 * 16);
}

struct quarters {
  std::int64_t n;
  bool second;
  std::int64_t size() const { return n; }
  quarters left() const { return {n / 2, false}; }
  quarters right() const { return {n / 2, true}; }
  friend bool operator==(const quarters&, const quarters&) = default;
};

// Catches: a number that is given again, as the search begins anew before blocks that have been taken.
TEST(SpliceSchedule, GivesEachNumberOnce) {
  sennit::detail::block_numbers<quarters> numbers({{8, false}, 1});
  std::vector<std::uint32_t> taken;
  for (const bool second : {false, false, true, true, true, true, false, false})
    taken.push_back(numbers.take({1, second}));
  std::sort(taken.begin(), taken.end());
  std::vector<std::uint32_t> all(8);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(taken, all);
}

// Catches: bytes that come back as something else; two bytes a step becoming many.
TEST(SpliceSchedule, ComesBackFromItsFile) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    const splice_schedule order = found(workers);
    const auto bytes = order.to_bytes();
    EXPECT_EQ(splice_schedule::from_bytes(bytes), order);
    EXPECT_LT(bytes.size(), 3 * order.size());
  }
  EXPECT_EQ(splice_schedule::from_bytes(splice_schedule().to_bytes()), splice_schedule());
}

// Catches: files of another kind that are taken for one, or not recognized.
TEST(SpliceSchedule, KnowsItsFiles) {
  const folder there;
  found().save(there / "a.splice");
  sennit::schedule().save(there / "a.sched");
  EXPECT_TRUE(splice_schedule::is_saved_in(there / "a.splice"));
  EXPECT_FALSE(splice_schedule::is_saved_in(there / "a.sched"));
  EXPECT_FALSE(splice_schedule::is_saved_in(there / "none"));
  EXPECT_FALSE(splice_schedule::is_saved_in("/dev/null"));
  EXPECT_THAT(failure_of([&] { splice_schedule::load(there / "a.sched"); }),
              AllOf(HasSubstr("a.sched"), HasSubstr("is no schedule of a splice"),
                    HasSubstr("give a file that splice_schedule::save() wrote")));
  EXPECT_THAT(failure_of([&] { sennit::schedule::load(there / "a.splice"); }), HasSubstr("is no schedule;"));
  EXPECT_THAT(failure_of([&] { splice_schedule::load(there / "none"); }),
              AllOf(HasSubstr("none"), HasSubstr("give a file that exists")));
  smoothing s;
  auto memo = s.memo();
  EXPECT_THAT(failure_of([&] { memo.load(there / "a.sched"); }), HasSubstr("a.sched"));
  memo.run(2);
  EXPECT_THAT(failure_of([&] { memo.save(there / "no/such/folder"); }), HasSubstr("choose another place"));
}

// Catches: damage that is loaded. Every byte is changed, and every end cut off.
TEST(SpliceSchedule, RefusesDamage) {
  const auto bytes = found(2, 3).to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto changed = bytes;
    changed[i] ^= std::byte{1};
    EXPECT_THAT(failure_of([&] { splice_schedule::from_bytes(changed, "x"); }), HasSubstr("'x'")) << i;
    EXPECT_THAT(failure_of([&] { splice_schedule::from_bytes(std::span(bytes).first(i), "x"); }),
                HasSubstr("'x'"))
        << i;
  }
}

// Catches: a file with a right checksum and wrong content that is loaded, or read beyond its end.
TEST(SpliceSchedule, RefusesWhatNobodyWrites) {
  using sennit::detail::splice_item;
  using sennit::detail::splice_schedule_access;
  const auto complaint = [](std::vector<std::uint32_t> blocks, std::vector<splice_item> items) {
    const auto bytes = splice_schedule_access::make(1, std::move(blocks), std::move(items)).to_bytes();
    return failure_of([&] { splice_schedule::from_bytes(bytes, "x"); });
  };
  const splice_item fork{splice_item::fork, 0};
  const splice_item second{splice_item::second, 0};
  const splice_item over{splice_item::both_over, 0};
  EXPECT_EQ(complaint({2, 1}, {fork, {0, 1}, second, {1, 0}, over, {0, 0}}), "nothing");
  EXPECT_THAT(complaint({2}, {{0, 0}, {0, 0}}), HasSubstr("runs a block twice"));
  EXPECT_THAT(complaint({2}, {{0, 0}, {0, 2}}), HasSubstr("a block that is not there"));
  EXPECT_THAT(complaint({1}, {{0, 0}, fork, fork}), HasSubstr("strands that do not end"));
  EXPECT_THAT(complaint({2}, {{0, 0}, fork, second, over}), HasSubstr("leaves out a block"));
  EXPECT_THAT(complaint({9}, {{0, 0}}), HasSubstr("promises more steps"));
  EXPECT_THAT(complaint({1}, {{0, 0}, second, over}), HasSubstr("without the first"));
  EXPECT_THAT(complaint({1}, {{0, 0}, fork, over}), HasSubstr("end before they begin"));
  EXPECT_THAT(complaint({1}, {{0, 0}, fork, second, second}), HasSubstr("without the first"));
  std::vector<splice_item> deep{{0, 0}};
  deep.insert(deep.end(), 100, fork);
  EXPECT_THAT(complaint({1}, deep), HasSubstr("deeper"));
}

}  // namespace
