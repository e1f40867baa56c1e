// SPDX-License-Identifier: Apache-2.0
// The index of a sequence's parts, compared with a look at each part.
#include "splice/part_index.hpp"
#include "splice/splicer.hpp"

#include <sennit/data_regions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <set>

namespace sennit::detail {
namespace {

class some_parts {
 public:
  explicit some_parts(unsigned seed) : random_(seed) {}

  void add() {
    live_call& part = parts_.emplace_back();
    part.index = static_cast<std::uint32_t>(parts_.size() - 1);
    part.all = some_effects();
    index_.reserve();
    index_.add(&part, hulls(part.all));
    living_.insert(part.index);
  }
  void remove(std::uint32_t position) {
    index_.remove(position, hulls(parts_[position].all));
    living_.erase(position);
  }
  void remove_any() {
    if (!living_.empty())
      remove(*std::next(living_.begin(), static_cast<std::ptrdiff_t>(below(living_.size()))));
  }
  void ask() {
    const hulls with(some_effects());
    const auto from = static_cast<std::uint32_t>(below(2) == 0 ? 0 : below(parts_.size()));
    const auto to = static_cast<std::uint32_t>(below(2) == 0 ? UINT32_MAX : below(parts_.size() + 1));
    std::set<std::uint32_t> expected;
    for (const std::uint32_t i : living_) {
      if (i >= from && i < to && hulls(parts_[i].all).interferes(with)) expected.insert(i);
    }
    std::set<std::uint32_t> found;
    std::uint64_t checks = 0;
    index_.find(with, from, to, checks, [&](const live_call& part) {
      EXPECT_TRUE(found.insert(part.index).second) << "found twice: " << part.index;
      return false;
    });
    EXPECT_EQ(found, expected);
    for (const std::uint32_t i : living_) EXPECT_EQ(index_.at(i), &parts_[i]);
  }
  std::uint64_t below(std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random_);
  }
  part_index& index() { return index_; }

 private:
  effects some_effects() {
    if (below(40) == 0) return effects::everything();
    effects fx;
    for (std::uint64_t regions = below(4); regions > 0; --regions) {
      const auto first = static_cast<std::int64_t>(below(5000));
      const range of{first, first + 1 + static_cast<std::int64_t>(below(below(8) == 0 ? 800 : 8))};
      if (below(2) == 0) {
        fx += effects(reads(memory_range(data_, of)));
      } else {
        fx += effects(writes(memory_range(data_, of)));
      }
    }
    return fx;
  }

  std::mt19937_64 random_;
  const double* data_ = nullptr;
  std::deque<live_call> parts_;
  std::set<std::uint32_t> living_;
  part_index index_{0};
};

// Catches a part that is not found where it interferes, or that is found after its end, or twice.
TEST(part_index, finds_what_a_look_at_each_part_finds) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    some_parts parts(seed);
    const std::uint64_t removals = parts.below(4);
    for (int i = 0; i < 600; ++i) {
      parts.add();
      if (parts.below(4) < removals) parts.remove_any();
      if (parts.below(100) == 0) parts.index().complete();
      if (i % 8 == 0) parts.ask();
    }
    parts.index().complete();
    for (int i = 0; i < 600; ++i) {
      parts.remove_any();
      parts.ask();
    }
  }
}
// Catches memory that is kept for all parts that there were.
TEST(part_index, takes_memory_for_parts_that_live) {
  some_parts parts(1);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    parts.add();
    if (i >= 10) parts.remove(i - 10);
  }
  parts.index().complete();
  EXPECT_LT(parts.index().bytes(), 1000U * 40U);
}

}  // namespace
}  // namespace sennit::detail
