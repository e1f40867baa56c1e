// SPDX-License-Identifier: Apache-2.0
// What ends a splice before all of it has run: which failure counts, which reason counts, and what is not run.
#include "splice/bytes_in_use.hpp"
#include "splice/earliest_failure.hpp"
#include "splice/early_stop.hpp"

#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <gtest/gtest.h>

#include <exception>

namespace {

using sennit::detail::bytes_in_use;
using sennit::detail::earliest_failure;
using sennit::detail::early_stop;

int thrown_by(const auto& ended) {
  try {
    ended.rethrow();
  } catch (int which) {
    return which;
  }
  return 0;
}

// Catches: the failure that comes first in time counts, so that the exception depends on the order of the steps.
TEST(EarliestFailure, TheFirstOneInTheOrderOfTheLoopCounts) {
  earliest_failure f;
  EXPECT_EQ(thrown_by(f), 0);
  f.note(3, 10, std::make_exception_ptr(1));
  f.note(3, 12, std::make_exception_ptr(2));
  EXPECT_EQ(thrown_by(f), 1);
  f.note(3, 9, std::make_exception_ptr(3));
  EXPECT_EQ(thrown_by(f), 3);
  f.note(4, 0, std::make_exception_ptr(4));
  EXPECT_EQ(thrown_by(f), 3);
  f.note(1, 50, std::make_exception_ptr(5));
  EXPECT_EQ(thrown_by(f), 5);
  EXPECT_EQ(f.call(), 1U);
}

// Catches: a step that the loop runs before the failure is left out, or one that comes after it runs.
TEST(EarliestFailure, WhatComesAfterItIsVoid) {
  earliest_failure f;
  EXPECT_EQ(f.call(), earliest_failure::none);
  EXPECT_FALSE(f.is_void(0, 0));
  EXPECT_FALSE(f.is_void(1000, 1000));
  f.note(2, 7, std::make_exception_ptr(1));
  EXPECT_FALSE(f.is_void(1, 100));
  EXPECT_FALSE(f.is_void(2, 6));
  EXPECT_TRUE(f.is_void(2, 7));
  EXPECT_TRUE(f.is_void(2, 8));
  EXPECT_TRUE(f.is_void(3, 0));
}

// Catches: a guard that loses what the work returns, or the exception.
TEST(EarliestFailure, GuardNotesWhatIsThrown) {
  earliest_failure f;
  EXPECT_TRUE(f.guard(0, 0, [] { return true; }));
  EXPECT_FALSE(f.guard(0, 0, [] { return false; }));
  EXPECT_EQ(thrown_by(f), 0);
  EXPECT_FALSE(f.guard(5, 1, []() -> bool { throw 6; }));
  EXPECT_EQ(thrown_by(f), 6);
  EXPECT_EQ(f.call(), 5U);
}

// Catches: a later reason takes the place of the first one.
TEST(EarlyStop, TheFirstReasonIsKept) {
  early_stop s;
  EXPECT_FALSE(s.is_set());
  EXPECT_TRUE(s.keep_on());
  s.attempt([] {});
  EXPECT_FALSE(s.is_set());
  s.attempt([] { throw 1; });
  s.set(std::make_exception_ptr(2));
  EXPECT_TRUE(s.is_set());
  EXPECT_FALSE(s.keep_on());
  EXPECT_EQ(thrown_by(s), 1);
}

// Catches: a splice that goes on in a region that has been cancelled, or ends without an exception there.
TEST(EarlyStop, ACancelledRegionIsAReason) {
  sennit::runtime runtime({.workers = 1});
  early_stop s;
  runtime.run([&] {
    sennit::region region;
    region.run([&] {
      EXPECT_TRUE(s.keep_on());
      region.cancel();
      EXPECT_FALSE(s.keep_on());
    });
  });
  EXPECT_TRUE(s.is_set());
  EXPECT_THROW(s.rethrow(), sennit::cancelled);
}

// Catches: a report that names what is left in the end.
TEST(BytesInUse, TheMostIsRemembered) {
  bytes_in_use b;
  b.add(100);
  b.add(50);
  b.add(-120);
  b.add(20);
  EXPECT_EQ(b.now(), 50);
  EXPECT_EQ(b.most(), 150U);
}

}  // namespace
