// SPDX-License-Identifier: Apache-2.0
// Keys that are points of a box, of all types that can be such.
#include "support.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace sennit_test {
namespace {

// Keys as arrays of their parts, and back.
template <class Key, std::size_t Rank>
std::array<int, Rank> parts_of(const Key& k) {
  if constexpr (requires { std::tuple_size<Key>::value; }) {
    return std::apply([](auto... parts) { return std::array<int, Rank>{static_cast<int>(parts)...}; }, k);
  } else {
    return {static_cast<int>(k)};
  }
}
template <class Key, std::size_t Rank, std::size_t... D>
Key key_of(const std::array<int, Rank>& parts, std::index_sequence<D...>) {
  if constexpr (requires { std::tuple_size<Key>::value; }) {
    return Key{static_cast<std::tuple_element_t<D, Key>>(parts[D])...};
  } else {
    return static_cast<Key>(parts[0]);
  }
}

// Each point of the box needs those that are one less in some part.
template <class Key, std::size_t Rank, class Keys>
void expect_box_computed(const std::array<int, Rank>& extents, const Keys& keys) {
  const auto key = [](const std::array<int, Rank>& parts) {
    return key_of<Key, Rank>(parts, std::make_index_sequence<Rank>());
  };
  const auto number = [&](const Key& k) {
    const std::array<int, Rank> parts = parts_of<Key, Rank>(k);
    std::size_t n = 0;
    for (std::size_t d = 0; d < Rank; ++d)
      n = n * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(parts[d]);
    return n;
  };
  const auto before = [&](const Key& k) {
    std::vector<Key> less;
    std::array<int, Rank> parts = parts_of<Key, Rank>(k);
    for (int& part : parts) {
      if (part == 0) continue;
      --part;
      less.push_back(key(parts));
      ++part;
    }
    return less;
  };
  std::array<int, Rank> last = extents;
  std::size_t count = 1;
  for (int& part : last) count *= static_cast<std::size_t>(part--);
  ledger done(count);
  graph::run(key(last), graph::nodes{.predecessors = before,
                                     .compute =
                                         [&](const Key& k) {
                                           std::vector<std::size_t> numbers;
                                           for (const Key& p : before(k)) numbers.push_back(number(p));
                                           done.compute(number(k), numbers);
                                         },
                                     .keys = keys});
  EXPECT_EQ(done.early(), 0U);
  EXPECT_TRUE(done.computed() == std::vector<std::uint32_t>(count, 1));
}
template <class Key, std::size_t Rank>
void expect_box_computed(const std::array<int, Rank>& extents) {
  std::apply([&](auto... e) { expect_box_computed<Key>(extents, graph::dense(e...)); }, extents);
  expect_box_computed<Key>(extents, graph::hashed<>());
}

enum class shade : unsigned char {};

// Catches: a key that comes back from its number as another one; a part that is narrowed, or takes another's
// extent.
TEST(graph_keys, of_one_part) {
  with_workers([] {
    for (const int extent : {1, 2, 100}) {
      expect_box_computed<int>(std::array{extent});
      expect_box_computed<unsigned char>(std::array{extent});
      expect_box_computed<std::int64_t>(std::array{extent});
      expect_box_computed<shade>(std::array{extent});
      expect_box_computed<std::array<int, 1>>(std::array{extent});
      expect_box_computed<std::tuple<short>>(std::array{extent});
    }
  });
}
TEST(graph_keys, of_two_parts) {
  with_workers([] {
    for (const std::array<int, 2> extents : {std::array{1, 1}, {1, 9}, {9, 1}, {13, 17}}) {
      expect_box_computed<std::array<int, 2>>(extents);
      expect_box_computed<std::pair<unsigned, long>>(extents);
      expect_box_computed<std::tuple<shade, short>>(extents);
    }
  });
}
TEST(graph_keys, of_three_parts) {
  with_workers([] {
    for (const std::array<int, 3> extents : {std::array{1, 1, 1}, {1, 5, 1}, {3, 5, 7}}) {
      expect_box_computed<std::array<std::uint16_t, 3>>(extents);
      expect_box_computed<std::tuple<int, shade, std::int64_t>>(extents);
    }
  });
}

}  // namespace
}  // namespace sennit_test
