// SPDX-License-Identifier: Apache-2.0
// What nodes fetch, counted: a count that is wrong would say of schedules what does not hold.
#include "bench/remote-splice/node_caches.hpp"

#include <gtest/gtest.h>

namespace remote_splice {
namespace {

constexpr std::uintptr_t line = 64;
constexpr std::uintptr_t page = node_caches::page;

// Two lines of room.
constexpr gallery::cache_shape two_lines{.bytes = 2 * line, .ways = 2, .line = line};

sennit::hull lines(std::uintptr_t first, std::uintptr_t last) {
  return {page + first * line, page + last * line};
}

void expect(const node_caches& caches, std::uint64_t fetched_lines, std::uint64_t remote) {
  EXPECT_EQ(caches.all().lines, fetched_lines);
  EXPECT_EQ(caches.all().remote, remote);
}

// Catches: a line that is counted each time, parts of lines that count for less, a cache without an end.
TEST(NodeCaches, FetchWhatTheyDoNotHave) {
  node_caches caches(1, two_lines);
  caches.touch(0, {page + 60, page + 70}, false);
  expect(caches, 2, 0);
  caches.touch(0, lines(0, 2), true);
  expect(caches, 2, 0);
  caches.touch(0, lines(2, 3), false);
  caches.touch(0, lines(0, 1), false);
  expect(caches, 4, 0);
}

// Catches: data that is near to all nodes; data that is fetched from a node which has only read it.
TEST(NodeCaches, PagesLieWhereTheyWereTouchedFirst) {
  node_caches caches(2, two_lines);
  caches.touch(0, lines(0, 1), true);
  caches.touch(1, lines(0, 1), false);
  expect(caches, 2, 1);
  caches.touch(0, lines(0, 1), false);
  expect(caches, 2, 1);
  caches.touch(1, {2 * page, 2 * page + 1}, false);
  expect(caches, 3, 1);
}

// Catches: copies that stay good although another node has written the line.
TEST(NodeCaches, FetchAgainWhatOthersHaveWritten) {
  node_caches caches(2, two_lines);
  caches.touch(0, lines(0, 1), false);
  caches.touch(1, lines(0, 1), true);
  caches.touch(0, lines(0, 1), false);
  expect(caches, 3, 1);
}

// Catches: a distribution that counts as accesses, or that the first access changes; a second run that finds warm caches.
TEST(NodeCaches, KeepHomesWhenTheyBeginAgain) {
  node_caches caches(2, two_lines);
  caches.place(1, lines(0, 2));
  expect(caches, 0, 0);
  caches.touch(0, lines(0, 1), true);
  expect(caches, 1, 1);
  caches.begin_again();
  caches.touch(1, lines(0, 1), false);
  expect(caches, 1, 0);
}

// Catches: what is empty, but not at the beginning of a line.
TEST(NodeCaches, FetchNothingOfNothing) {
  node_caches caches(1, two_lines);
  caches.touch(0, {page + 8, page + 8}, true);
  expect(caches, 0, 0);
}

}  // namespace
}  // namespace remote_splice
