// SPDX-License-Identifier: Apache-2.0
// Which addresses are in a region. Catches a box that takes its hull for itself, or leaves out a corner.
#include <sennit/data_regions.hpp>
#include <sennit/detail/effects_access.hpp>
#include <sennit/effects.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>

namespace {

using sennit::range;

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// Of those within `reach` elements around the array, each that the box has, found one by one.
template <std::size_t D, class T>
void expect_same(const T* array, std::array<std::int64_t, D - 1> pitches, std::array<range, D> at,
                 std::int64_t reach) {
  const sennit::memory_box<D> box(array, pitches, at);
  std::set<std::int64_t> elements;
  for (auto i = at[0].first; i < at[0].last; ++i) {
    for (auto j = at[1].first; j < at[1].last; ++j) {
      if constexpr (D == 2) {
        elements.insert(i * pitches[0] + j);
      } else {
        for (auto k = at[2].first; k < at[2].last; ++k) elements.insert(i * pitches[0] + j * pitches[1] + k);
      }
    }
  }
  const auto zero = static_cast<std::int64_t>(number(array));
  const auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t e = -reach; e < reach; ++e) {
    const bool in = elements.contains(e);
    ASSERT_EQ(contains_address(box, static_cast<std::uintptr_t>(zero + e * size), sizeof(T)), in) << e;
    ASSERT_EQ(contains_address(box, static_cast<std::uintptr_t>(zero + e * size + 1), 1), in) << e;
    ASSERT_EQ(contains_address(box, static_cast<std::uintptr_t>(zero + e * size + 1), sizeof(T)),
              in && elements.contains(e + 1))
        << e;
  }
  const sennit::hull whole = hull_of(box);
  if (elements.empty()) {
    EXPECT_EQ(whole.first, whole.last);
  } else {
    EXPECT_EQ(whole.first, static_cast<std::uintptr_t>(zero + *elements.begin() * size));
    EXPECT_EQ(whole.last, static_cast<std::uintptr_t>(zero + (*elements.rbegin() + 1) * size));
  }
}

TEST(Regions, BoxesHaveTheirElementsAndNoOthers) {
  static const std::array<double, 1> array{};
  std::mt19937 random(7);
  auto in = [&](int low, int high) {
    return std::int64_t{std::uniform_int_distribution<int>(low, high)(random)};
  };
  auto indices = [&](int high) {
    const auto first = in(-2, high);
    return range{first, first + in(0, 7)};
  };
  for (int i = 0; i < 300; ++i) {
    // Rows may overlap: a halo is wider than what it is around.
    const std::int64_t row = in(1, 12);
    const std::int64_t plane = row * in(1, 6);
    expect_same<2>(array.data(), {row}, {indices(9), indices(9)}, 400);
    expect_same<3>(array.data(), {plane, row}, {indices(4), indices(4), indices(9)}, 1000);
  }
}

// A box of the same array with other pitches is compared by its hull.
TEST(Regions, BoxesOfOtherPitchesInterfere) {
  static const std::array<double, 1> array{};
  const sennit::memory_box<2> a(array.data(), {10}, {range{0, 4}, range{0, 2}});
  const sennit::memory_box<2> b(array.data(), {10}, {range{0, 4}, range{2, 4}});
  const sennit::memory_box<2> c(array.data(), {11}, {range{0, 4}, range{2, 4}});
  EXPECT_FALSE(interferes(a, b));
  EXPECT_TRUE(interferes(a, c));
  EXPECT_FALSE(contains(a, c));
}

TEST(Regions, IndexSetsHaveTheirElementsAndNoOthers) {
  static const std::array<double, 1> array{};
  const std::uintptr_t zero = number(array.data());
  const std::array<std::int8_t, 5> indices{-3, 0, 1, 5, 127};
  const sennit::index_set set(array.data(), indices);
  for (int e = -300; e < 300; ++e) {
    const auto has = [&](int i) { return i <= 127 && i >= -128 && std::ranges::count(indices, i) > 0; };
    const std::uintptr_t at = zero + static_cast<std::uintptr_t>(e * 8);
    ASSERT_EQ(contains_address(set, at, 8), has(e)) << e;
    ASSERT_EQ(contains_address(set, at + 7, 1), has(e)) << e;
    ASSERT_EQ(contains_address(set, at + 4, 8), has(e) && has(e + 1)) << e;
  }
}

struct odd_bytes {
  std::uintptr_t first;
  friend bool interferes(const odd_bytes&, const odd_bytes&) { return true; }
  friend bool contains_address(const odd_bytes& r, std::uintptr_t address, std::size_t bytes) {
    return bytes == 1 && (address - r.first) % 2 == 1;
  }
};
struct somewhere {
  friend bool interferes(const somewhere&, const somewhere&) { return true; }
  friend sennit::hull hull_of(const somewhere&) { return {100, 200}; }
};

TEST(Regions, UsersOwn) {
  const sennit::effects fx(sennit::reads(odd_bytes{1000}, somewhere{}),
                           sennit::writes(sennit::memory_range(reinterpret_cast<const char*>(100), 20)));
  using sennit::detail::effects_access;
  ASSERT_EQ(effects_access::size(fx), 3U);
  const sennit::detail::region_view odd = effects_access::region(fx, 1);
  EXPECT_TRUE(odd.exact());
  EXPECT_TRUE(odd.has(1001, 1));
  EXPECT_FALSE(odd.has(1002, 1));
  const sennit::detail::region_view hull_only = effects_access::region(fx, 2);
  EXPECT_FALSE(hull_only.exact());
  EXPECT_TRUE(hull_only.has(150, 50));
  EXPECT_FALSE(hull_only.has(150, 51));
  EXPECT_FALSE(hull_only.has(99, 2));
  const sennit::detail::region_view memory = effects_access::region(fx, 0);
  EXPECT_TRUE(memory.written);
  EXPECT_FALSE(odd.written);
  EXPECT_TRUE(memory.has(100, 20));
  EXPECT_FALSE(memory.has(100, 21));
}

}  // namespace
