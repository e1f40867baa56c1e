// SPDX-License-Identifier: Apache-2.0
// Effects, and the regions of data that they are said with.
#include "support.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

using sennit::effects;
using sennit::reads;
using sennit::writes;

sennit::memory_range cells(const double* data, std::int64_t first, std::int64_t last) {
  return {data, sennit::range{first, last}};
}

// Catches two readers that wait for each other, and a writer that does not wait.
TEST(effects, interfere_only_if_one_writes) {
  const std::vector<double> a(100);
  const effects reader(reads(cells(a.data(), 0, 50)));
  const effects writer(writes(cells(a.data(), 40, 60)));
  const effects other(writes(cells(a.data(), 50, 60)));
  EXPECT_FALSE(reader.interferes(reader));
  EXPECT_TRUE(reader.overlaps(reader));
  EXPECT_TRUE(reader.interferes(writer));
  EXPECT_TRUE(writer.interferes(reader));
  EXPECT_TRUE(writer.interferes(writer));
  EXPECT_FALSE(reader.interferes(other)) << "ranges that only meet";
  EXPECT_FALSE(reader.overlaps(other));
}

// Catches effects without regions that are in everybody's way, and code without annotations that is in nobody's.
TEST(effects, of_nothing_and_of_everything) {
  const std::vector<double> a(10);
  const effects some(reads(cells(a.data(), 0, 1)));
  const effects none;
  const effects empty(writes(cells(a.data(), 5, 5)));
  const effects all = effects::everything();
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(empty.empty());
  EXPECT_FALSE(all.empty());
  EXPECT_TRUE(all.is_everything());
  EXPECT_TRUE(all.interferes(some));
  EXPECT_TRUE(some.interferes(all));
  EXPECT_TRUE(all.interferes(all));
  EXPECT_FALSE(all.interferes(none));
  EXPECT_FALSE(none.interferes(all));
  EXPECT_TRUE(all.contains(some));
  EXPECT_FALSE(some.contains(all));
  EXPECT_TRUE(some.contains(none));
}

// Catches a read that is taken to cover a write, and a cover that leaves something out.
TEST(effects, contain_what_is_covered) {
  const std::vector<double> a(100);
  const effects whole(reads(cells(a.data(), 0, 50)), writes(cells(a.data(), 50, 100)));
  EXPECT_TRUE(whole.contains(effects(reads(cells(a.data(), 10, 20)), writes(cells(a.data(), 60, 70)))));
  EXPECT_TRUE(whole.contains(effects(reads(cells(a.data(), 60, 70))))) << "who writes may read";
  EXPECT_FALSE(whole.contains(effects(writes(cells(a.data(), 10, 20)))));
  EXPECT_FALSE(whole.contains(effects(reads(cells(a.data(), 90, 101)))));
}

// Catches a sixth region that is lost, and copies that share memory with what they are of.
TEST(effects, of_many_regions) {
  const std::vector<double> a(1000);
  effects many;
  for (std::int64_t i = 0; i < 40; ++i) many += effects(writes(cells(a.data(), 10 * i, 10 * i + 1)));
  const effects copy = many;
  effects assigned(reads(cells(a.data(), 999, 1000)));
  assigned = many;
  assigned += effects(writes(cells(a.data(), 501, 502)));
  many = effects();
  EXPECT_TRUE(many.empty());
  for (std::int64_t i = 0; i < 40; ++i) {
    const effects hit(reads(cells(a.data(), 10 * i, 10 * i + 2)));
    const effects miss(reads(cells(a.data(), 10 * i + 1, 10 * i + 10)));
    EXPECT_TRUE(copy.interferes(hit)) << i;
    EXPECT_TRUE(assigned.interferes(hit)) << i;
    EXPECT_FALSE(copy.interferes(miss)) << i;
  }
  EXPECT_FALSE(copy.interferes(effects(reads(cells(a.data(), 501, 502)))));
  EXPECT_TRUE(assigned.interferes(effects(reads(cells(a.data(), 501, 502)))));
  EXPECT_FALSE(assigned.interferes(effects(reads(cells(a.data(), 999, 1000)))));
}

// Regions of users.
struct planet {
  int number;
  friend bool interferes(const planet& a, const planet& b) { return a.number == b.number; }
};
struct counted_region {
  std::shared_ptr<int> count;
  std::array<std::uint64_t, 16> bits{};
  friend bool interferes(const counted_region& a, const counted_region& b) {
    return (a.bits[9] & b.bits[9]) != 0;
  }
  friend bool contains(const counted_region& a, const counted_region& b) {
    return (b.bits[9] & ~a.bits[9]) == 0;
  }
};

// Catches regions of different types that are taken for disjoint without a reason.
TEST(effects, of_regions_of_a_users_own) {
  const std::vector<double> a(10);
  const effects mars(writes(planet{4}));
  const effects venus(writes(planet{2}));
  const effects memory(writes(cells(a.data(), 0, 10)));
  EXPECT_TRUE(mars.interferes(mars));
  EXPECT_FALSE(mars.interferes(venus));
  EXPECT_FALSE(mars.contains(mars)) << "no test for subsets: nothing is known to be one";
  EXPECT_TRUE(mars.interferes(memory)) << "nobody knows where it lies";
  EXPECT_TRUE(memory.interferes(mars));
}

// Catches large regions that are cut off, leaked, or destroyed twice.
TEST(effects, of_regions_that_are_large_and_have_a_destructor) {
  const auto count = std::make_shared<int>(0);
  {
    counted_region r{count};
    r.bits[9] = 6;
    counted_region s = r;
    s.bits[9] = 2;
    const effects large(reads(r), writes(r, r, r));
    effects copy = large;
    copy += effects(reads(s), writes(r, s));
    const effects& itself = copy;
    copy = itself;
    const effects part(writes(s));
    EXPECT_TRUE(large.interferes(part));
    EXPECT_TRUE(large.contains(part));
    EXPECT_FALSE(part.contains(large));
    EXPECT_TRUE(copy.contains(part));
    s.bits[9] = 8;
    EXPECT_FALSE(large.interferes(effects(writes(s)))) << "a region is copied when its effects are made";
    EXPECT_GT(count.use_count(), 3);
  }
  EXPECT_EQ(count.use_count(), 1);
}

#if SENNIT_EXCEPTIONS
struct copied_with_effort {
  std::shared_ptr<int> count;
  bool fails = false;
  copied_with_effort(std::shared_ptr<int> c, bool f) : count(std::move(c)), fails(f) {}
  copied_with_effort(const copied_with_effort& other) : count(other.count), fails(other.fails) {
    if (fails) throw std::runtime_error("copy");
  }
  friend bool interferes(const copied_with_effort&, const copied_with_effort&) { return true; }
};

// Catches regions that are never destroyed, as one after them throws while it is copied.
TEST(effects, of_regions_that_throw_leak_nothing) {
  const auto count = std::make_shared<int>(0);
  {
    const copied_with_effort good(count, false);
    const copied_with_effort bad(count, true);
    EXPECT_THROW((void)effects(writes(good, good), reads(bad)), std::runtime_error);
    EXPECT_THROW((void)effects(writes(good, good, good, good, good, bad)), std::runtime_error);
  }
  EXPECT_EQ(count.use_count(), 1);
}

// Catches an index of which half is dropped, so that a box lies elsewhere and nobody waits for it.
TEST(data_regions, boxes_refuse_indices_that_do_not_fit) {
  const double* const grid = nullptr;
  const auto box = [&](sennit::range rows) {
    return sennit::memory_box<2>(grid, {20}, {rows, sennit::range{0, 20}});
  };
  const std::int64_t beyond = std::int64_t{1} << 32;
  EXPECT_THROW((void)box({beyond, beyond + 1}), std::length_error);
  EXPECT_THROW((void)box({0, beyond}), std::length_error);
  EXPECT_THROW((void)box({-beyond, 0}), std::length_error);
  EXPECT_NO_THROW((void)box({-1, 5}));
}
#endif

// Catches containers that are no regions, or other ones than their elements.
TEST(data_regions, ranges_of_containers) {
  std::vector<double> v(10);
  const std::array<int, 4> a{};
  float plain[6]{};
  const auto lies = [](const sennit::memory_range& r, const void* first, const void* last) {
    const sennit::hull where = hull_of(r);
    return where.first == reinterpret_cast<std::uintptr_t>(first) &&
           where.last == reinterpret_cast<std::uintptr_t>(last);
  };
  using sennit::memory_range;
  EXPECT_TRUE(lies(memory_range(v), v.data(), v.data() + 10));
  EXPECT_TRUE(lies(memory_range(v, sennit::range{2, 5}), v.data() + 2, v.data() + 5));
  EXPECT_TRUE(lies(memory_range(a), a.data(), a.data() + 4));
  EXPECT_TRUE(lies(memory_range(std::span(v).first(3)), v.data(), v.data() + 3));
  EXPECT_TRUE(lies(memory_range(std::span(v), sennit::range{1, 3}), v.data() + 1, v.data() + 3));
  EXPECT_TRUE(lies(memory_range(plain), plain, plain + 6));
  EXPECT_TRUE(lies(memory_range(plain, sennit::range{1, 2}), plain + 1, plain + 2));
  EXPECT_TRUE(lies(memory_range(plain, 3), plain, plain + 3));
}

// Catches boxes whose hulls overlap, as rows do, taken for overlapping; and negative or empty indices.
TEST(data_regions, boxes) {
  const std::vector<double> grid(20 * 20);
  const auto box = [&](sennit::range rows, sennit::range columns) {
    return effects(writes(sennit::memory_box<2>(grid.data(), {20}, {rows, columns})));
  };
  EXPECT_FALSE(box({0, 10}, {0, 10}).interferes(box({0, 10}, {10, 20})));
  EXPECT_FALSE(box({0, 10}, {0, 10}).interferes(box({10, 20}, {0, 10})));
  EXPECT_TRUE(box({0, 10}, {0, 10}).interferes(box({9, 20}, {9, 20})));
  EXPECT_TRUE(box({-1, 1}, {-1, 1}).interferes(box({0, 1}, {0, 1}))) << "a halo that leaves the array";
  EXPECT_TRUE(box({5, 5}, {0, 10}).empty());
  EXPECT_TRUE(box({0, 10}, {0, 10}).contains(box({2, 3}, {4, 5})));
  EXPECT_FALSE(box({0, 10}, {0, 10}).contains(box({2, 3}, {4, 15})));
  const auto row = effects(reads(cells(grid.data(), 40, 60)));
  EXPECT_TRUE(box({2, 3}, {5, 6}).interferes(row)) << "of another type: by their hulls";
  EXPECT_FALSE(box({0, 2}, {0, 20}).interferes(row));
  const auto cube = [&](sennit::range z, sennit::range y, sennit::range x) {
    return effects(writes(sennit::memory_box<3>(grid.data(), {100, 10}, {z, y, x})));
  };
  EXPECT_FALSE(cube({0, 4}, {0, 5}, {0, 10}).interferes(cube({0, 4}, {5, 10}, {0, 10})));
  EXPECT_FALSE(cube({0, 4}, {0, 10}, {0, 5}).interferes(cube({0, 4}, {0, 10}, {5, 10})));
  EXPECT_TRUE(cube({0, 4}, {0, 10}, {0, 5}).interferes(cube({3, 4}, {9, 10}, {4, 5})));
}

// Catches boxes that are taken for contiguous although they leave elements out, and whole rows that are not noticed.
TEST(data_regions, boxes_of_whole_rows_are_contiguous) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  const std::vector<double> a(1000);
  unsigned contiguous = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t row = 1 + below(4);
    const std::int64_t plane = row * (1 + below(4)) + below(2);
    const auto some = [&](std::int64_t n) {
      const std::int64_t first = below(static_cast<unsigned>(n));
      return sennit::range{first, first + 1 + below(static_cast<unsigned>(n - first))};
    };
    const sennit::range planes = some(4), rows = some(plane / row), columns = some(row);
    const sennit::memory_box<3> box(a.data(), {plane, row}, {planes, rows, columns});
    const auto where = hull_of(box);
    const std::uint64_t elements = (where.last - where.first) / sizeof(double);
    const bool all = static_cast<std::int64_t>(elements) == planes.size() * rows.size() * columns.size();
    EXPECT_TRUE(!is_contiguous(box) || all);
    EXPECT_EQ(is_contiguous(box), rows.size() * row == plane && columns.size() == row);
    contiguous += is_contiguous(box) ? 1 : 0;
    // Whatever is kept of them, effects say the same.
    const sennit::memory_box<3> other(a.data(), {plane, row}, {some(4), some(plane / row), some(row)});
    EXPECT_EQ(effects(writes(box)).interferes(effects(writes(other))), interferes(box, other));
    EXPECT_TRUE(!contains(box, other) || effects(writes(box)).contains(effects(writes(other))));
  }
  EXPECT_GT(contiguous, 500U);
  EXPECT_LT(contiguous, 19000U);
}

// Catches an index that both have and the walk along both passes over.
TEST(data_regions, index_sets) {
  const std::vector<double> data(100);
  const std::vector<int> evens{0, 2, 4, 60};
  const std::vector<int> odds{1, 3, 5, 61};
  const std::vector<int> both{5, 60};
  const std::vector<int> none;
  const auto set = [&](const std::vector<int>& indices) {
    return effects(writes(sennit::index_set(data.data(), indices)));
  };
  EXPECT_FALSE(set(evens).interferes(set(odds)));
  EXPECT_TRUE(set(evens).interferes(set(both)));
  EXPECT_TRUE(set(odds).interferes(set(both)));
  EXPECT_TRUE(set(none).empty());
  const std::vector<int> some{2, 60};
  EXPECT_TRUE(set(evens).contains(set(some)));
  EXPECT_FALSE(set(some).contains(set(evens)));
  EXPECT_TRUE(set(evens).interferes(effects(reads(cells(data.data(), 59, 60)))))
      << "of another type: by its hull";
  EXPECT_FALSE(set(evens).interferes(effects(reads(cells(data.data(), 61, 62)))));
  const std::span<const std::uint64_t> no_64_bit;
  EXPECT_TRUE(effects(writes(sennit::index_set(data.data(), no_64_bit))).empty());
}

// Catches siblings that are taken for one, and ancestors that are not in the way of what is below them.
TEST(data_regions, subtrees) {
  const int tree = 0;
  const int other = 0;
  const sennit::subtree root(&tree);
  const auto of = [](const sennit::subtree& s) { return effects(writes(s)); };
  EXPECT_FALSE(of(root.left()).interferes(of(root.right())));
  EXPECT_TRUE(of(root).interferes(of(root.left().right())));
  EXPECT_TRUE(of(root.left().right()).interferes(of(root)));
  EXPECT_FALSE(of(root.left().right()).interferes(of(root.left().left())));
  EXPECT_TRUE(of(root.left()).contains(of(root.left().right())));
  EXPECT_FALSE(of(root.left().right()).contains(of(root.left())));
  EXPECT_TRUE(of(root.right().left()).contains(of(sennit::subtree(&tree, 0b01, 2))));
  EXPECT_FALSE(of(root).interferes(of(sennit::subtree(&other))));
  sennit::subtree deep = root;
  for (int i = 0; i < 64; ++i) deep = i % 3 == 0 ? deep.right() : deep.left();
  EXPECT_TRUE(of(root.right()).contains(of(deep)));
  EXPECT_FALSE(of(root.left()).interferes(of(deep)));
}

// Catches halves that leave an index out, or have one twice.
TEST(data_regions, ranges) {
  for (std::int64_t n = 0; n < 10; ++n) {
    const sennit::range r{3, 3 + n};
    EXPECT_EQ(r.size(), n);
    EXPECT_EQ(r.left().first, r.first);
    EXPECT_EQ(r.left().last, r.right().first);
    EXPECT_EQ(r.right().last, r.last);
  }
  EXPECT_EQ((sennit::range{5, 3}).size(), 0);
  EXPECT_EQ((sennit::range{1, 9}).grown(3).within({0, 10}), (sennit::range{0, 10}));
}

}  // namespace
}  // namespace sennit_test
