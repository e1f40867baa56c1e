// SPDX-License-Identifier: Apache-2.0
// Hashed keys with the hashes that programs have, good and bad, and the table that finds them.
#include "support.hpp"

#include <sennit/detail/graph/key_hash.hpp>
#include <sennit/detail/graph/number_table.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

struct point {
  int x;
  int y;
  friend bool operator==(const point&, const point&) = default;
};

struct exclusive_or {
  std::size_t operator()(const point& p) const { return std::hash<int>()(p.x) ^ std::hash<int>()(p.y); }
};
struct shifted {
  std::size_t operator()(const point& p) const {
    return std::hash<int>()(p.x) ^ (std::hash<int>()(p.y) << 1);
  }
};
struct row_by_row {
  std::size_t operator()(const point& p) const { return static_cast<std::size_t>(p.x * 1000 + p.y); }
};
struct high_bits {
  std::size_t operator()(const point& p) const { return static_cast<std::size_t>(p.x * 1000 + p.y) << 44; }
};
struct nothing {
  std::size_t operator()(const point&) const { return 0; }
};
struct everything {
  std::size_t operator()(const point&) const { return ~std::size_t{0}; }
};
// It says so, although it is not.
struct said_to_be_avalanching {
  using is_avalanching = void;
  std::size_t operator()(const point& p) const { return static_cast<std::size_t>(p.x * 1000 + p.y); }
};

// How many nodes of a square grid have been computed, each of them once.
template <class Hash>
int computed_of_grid(int side) {
  std::vector<std::atomic<int>> done(static_cast<std::size_t>(side * side));
  const auto before = [](const point& p) {
    std::vector<point> keys;
    if (p.x > 0) keys.push_back({p.x - 1, p.y});
    if (p.y > 0) keys.push_back({p.x, p.y - 1});
    return keys;
  };
  graph::run(
      point{side - 1, side - 1},
      graph::nodes{.predecessors = before,
                   .compute = [&](const point& p) { ++done[static_cast<std::size_t>(p.x * side + p.y)]; },
                   .keys = graph::hashed<Hash>()});
  int once = 0;
  for (const std::atomic<int>& d : done) once += d == 1 ? 1 : 0;
  return once;
}

// Catches: a table that gives up on keys whose hashes are the same, or share their low or their high bits.
TEST(graph_hashes, of_each_kind_that_programs_have) {
  with_workers([] {
    EXPECT_EQ(computed_of_grid<exclusive_or>(10), 100);
    EXPECT_EQ(computed_of_grid<shifted>(10), 100);
    EXPECT_EQ(computed_of_grid<nothing>(10), 100);
    EXPECT_EQ(computed_of_grid<everything>(10), 100);
    const int side = scaled(60);
    EXPECT_EQ(computed_of_grid<exclusive_or>(side), side * side);
    EXPECT_EQ(computed_of_grid<shifted>(side), side * side);
    EXPECT_EQ(computed_of_grid<row_by_row>(side), side * side);
    EXPECT_EQ(computed_of_grid<high_bits>(side), side * side);
    EXPECT_EQ(computed_of_grid<nothing>(side), side * side);
    EXPECT_EQ(computed_of_grid<everything>(side), side * side);
    EXPECT_EQ(computed_of_grid<said_to_be_avalanching>(side), side * side);
    EXPECT_EQ(computed_of_grid<graph::byte_hash>(side), side * side);
  });
}

// Catches: a hash that leaves bytes of a key out, or reads beyond the key.
TEST(graph_hashes, of_bytes_differ_with_each_byte) {
  std::set<std::uint64_t> found;
  for (std::size_t at = 0; at < 11; ++at) {
    std::array<unsigned char, 11> key{};
    for (int value = at == 0 ? 0 : 1; value < 256; ++value) {
      key[at] = static_cast<unsigned char>(value);
      found.insert(graph::byte_hash()(key));
    }
  }
  EXPECT_EQ(found.size(), 11U * 255 + 1);
}

// Catches: own hashes of neighbors that are the same, or far apart for the table.
TEST(graph_hashes, of_integers_and_tuples_differ) {
  std::set<std::uint64_t> found;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) found.insert(sennit::detail::key_hash<std::array<int, 2>>()({i, j}));
  }
  EXPECT_EQ(found.size(), 40'000U);
  found.clear();
  for (int i = -5000; i < 5000; ++i) found.insert(sennit::detail::key_hash<int>()(i));
  for (unsigned bit = 20; bit < 64; ++bit) {
    for (std::uint64_t i = 1; i < 64; i += 2)
      found.insert(sennit::detail::key_hash<std::uint64_t>()(i << bit));
  }
  EXPECT_GE(found.size(), 10'000U + 44 * 16);
  const auto hash = sennit::detail::key_hash<std::pair<int, long>>();
  EXPECT_EQ(hash({7, 8}) >> 3, hash({7, 15}) >> 3);
}

// Catches: a tuple of integers with a bad hash that is asked all the same, and makes the run slow.
TEST(graph_hashes, of_integers_are_better_than_the_users) {
  struct never {
    std::size_t operator()(const std::array<int, 2>&) const {
      ADD_FAILURE() << "this hash is not needed";
      return 0;
    }
  };
  std::atomic<int> computed{0};
  graph::run(std::array{300, 0},
             graph::nodes{.predecessors =
                              [](const std::array<int, 2>& k) {
                                return k[0] == 0 ? std::vector<std::array<int, 2>>()
                                                 : std::vector<std::array<int, 2>>{{k[0] - 1, k[1]}};
                              },
                          .compute = [&](const std::array<int, 2>&) { ++computed; },
                          .keys = graph::hashed<never>()});
  EXPECT_EQ(computed, 301);
}

// The keys of the numbers, and what a thread of a test asks the table.
class numbered {
 public:
  explicit numbered(std::size_t keys, std::uint64_t mask) : keys_(2 * keys + 1), mask_(mask) {}

  // Returns the key's number: `fresh` if it had none.
  std::uint32_t find_or_add(std::uint64_t key, std::uint32_t fresh) {
    const std::uint64_t hash = sennit::detail::mix(key) & mask_;
    const auto is_equal = [&](std::uint32_t n) { return keys_[n] == key; };
    for (;;) {
      const auto seen = table_.find(hash, is_equal);
      if (seen.number != 0) return seen.number;
      keys_[fresh] = key;
      if (table_.add(hash, fresh, seen)) return fresh;
    }
  }

 private:
  sennit::detail::number_table table_;
  std::vector<std::uint64_t> keys_;  // plain words: ThreadSanitizer finds an order that is missing
  std::uint64_t mask_;
};

// Catches: a key that gets two numbers, or loses its number when the table grows; a number that is found
// before its key is there.
TEST(graph_hashes, have_one_number_each_for_threads_at_once) {
  struct {
    std::uint64_t mask;
    std::uint32_t keys;
  } const cases[] = {{~std::uint64_t{0}, 30'000}, {0xffff, 5'000}, {std::uint64_t{63} << 58, 600}, {0, 300}};
  for (const auto& c : cases) {
    const auto keys = static_cast<std::uint32_t>(scaled(static_cast<int>(c.keys)));
    numbered all(keys, c.mask);
    std::vector<std::uint32_t> seen[2];
    const auto ask = [&](std::uint32_t self) {
      std::uint32_t fresh = 1 + self;
      for (std::uint32_t k = 0; k < keys; ++k) {
        const std::uint32_t n = all.find_or_add(k, fresh);
        if (n == fresh) fresh += 2;
        seen[self].push_back(n);
      }
    };
    std::thread other([&] { ask(1); });
    ask(0);
    other.join();
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ((std::set<std::uint32_t>(seen[0].begin(), seen[0].end()).size()), keys);
  }
}

}  // namespace
}  // namespace sennit_test
