// SPDX-License-Identifier: Apache-2.0
// What bodies in C++ throw through the C interface, and the C interface inside constructs of C++.
#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sennit.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using testing::HasSubstr;
using testing::StrEq;

// A body that throws what its context says for the iterations from 1,000 on.
void throw_from_there(void* context, std::int64_t, std::int64_t to) {
  if (to <= 1000) return;
  switch (*static_cast<int*>(context)) {
    case 0: throw std::runtime_error("from a body");
    case 1: throw std::invalid_argument("of a body");
    case 2: throw std::bad_alloc();
    case 3: throw sennit::cancelled();
    default: throw 7;
  }
}

TEST(CInterface, TurnsExceptionsIntoStatuses) {
  // Catches: an exception that goes on through frames of C; one that is taken for a wrong argument of the call.
  const sennit_status expected[] = {SENNIT_FAILED, SENNIT_FAILED, SENNIT_NO_MEMORY, SENNIT_CANCELLED,
                                    SENNIT_FAILED};
  const char* texts[] = {"from a body", "of a body", "no memory", "cancelled", "no std::exception"};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sennit_for(0, 10000, &throw_from_there, &i, nullptr), expected[i]);
    EXPECT_THAT(sennit_last_error(), HasSubstr(texts[i]));
  }
  EXPECT_EQ(sennit_for(0, 1000, &throw_from_there, nullptr, nullptr), SENNIT_OK);
}

TEST(CInterface, TellsTheThreadThatCalled) {
  // Catches: a text that other threads see, or that a new thread has of one that has ended.
  const auto fail = [] { EXPECT_EQ(sennit_for(0, 1, nullptr, nullptr, nullptr), SENNIT_INVALID_ARGUMENT); };
  const auto say = [] { EXPECT_THAT(sennit_last_error(), StrEq("")); };
  std::thread(fail).join();
  std::thread(say).join();
  fail();
  std::thread(say).join();
  EXPECT_THAT(sennit_last_error(), HasSubstr("body is NULL"));
}

TEST(CInterface, FailsAConstructOfCppNot) {
  // Catches: a failure that the program has handled, and that goes on to the next body of the same thread.
  sennit::runtime two(2);
  std::atomic<int> good = 0;
  const auto count = [](void* n, std::int64_t from, std::int64_t to) {
    static_cast<std::atomic<int>*>(n)->fetch_add(static_cast<int>(to - from));
  };
  const auto fail = [](void*, std::int64_t, std::int64_t) { sennit_fail("handled"); };
  two.run([&] {
    sennit::parallel_for(100, [&](int) {
      EXPECT_EQ(sennit_for(0, 10, fail, nullptr, nullptr), SENNIT_FAILED);
      EXPECT_EQ(sennit_for(0, 10, count, &good, nullptr), SENNIT_OK);
    });
  });
  EXPECT_EQ(good, 1000);
}

TEST(CInterface, KnowsTheRegionsOfCpp) {
  // Catches: a cancelled construct that a program in C takes for a complete one.
  sennit::region cancelled;
  EXPECT_FALSE(cancelled.run([&] {
    cancelled.cancel();
    EXPECT_EQ(sennit_cancel_requested(), 1);
    const auto nothing = [](void*) {};
    EXPECT_EQ(sennit_join(nothing, nullptr, nothing, nullptr), SENNIT_CANCELLED);
    sennit::join([] {}, [] {});
  }));
}

struct meeting {
  std::atomic<int> here{0};
  std::atomic<bool> begun{false};
  std::atomic<bool> met{false};
  static bool soon(const auto& condition) {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition() && std::chrono::steady_clock::now() < last) std::this_thread::yield();
    return condition();
  }
};

TEST(CInterface, SharesALongLoopAfterManyShortOnes) {
  // Catches: what a short loop was measured to cost, believed of all loops, because their bodies have one type. The iterations
  // of the long loop wait for one another, and the other worker comes when the first of them has begun.
  const auto count = [](void* sum, std::int64_t from, std::int64_t to) {
    *static_cast<std::int64_t*>(sum) += to - from;
  };
  const auto meet = [](void* context, std::int64_t, std::int64_t) {
    auto& all = *static_cast<meeting*>(context);
    all.here.fetch_add(1);
    all.begun = true;
    if (meeting::soon([&] { return all.here >= 2 || all.met; })) all.met = true;
    all.here.fetch_sub(1);
  };
  sennit::runtime two(2);
  two.run([&] {
    meeting m;
    std::atomic<bool> taken = false;
    sennit::join(
        [&] {
          EXPECT_TRUE(meeting::soon([&] { return taken.load(); }));
          std::int64_t sum = 0;
          for (int i = 0; i < 100000; ++i) sennit_for(0, 20, count, &sum, nullptr);
          EXPECT_EQ(sum, 2000000);
          sennit_for(0, 10, meet, &m, nullptr);
        },
        [&] {
          taken = true;
          meeting::soon([&] { return m.begun.load(); });
        });
    EXPECT_TRUE(m.met);
  });
}

TEST(CInterface, IsRecorded) {
  // Catches: a reduction whose leftmost value is lost in a region that is observed.
  const sennit_reduction sum = {sizeof(long),
                                [](void*, void* value) { *static_cast<long*>(value) = 0; },
                                [](void*, void* value, std::int64_t from, std::int64_t to) {
                                  for (; from < to; ++from)
                                    *static_cast<long*>(value) += static_cast<long>(from);
                                },
                                [](void*, void* left, const void* right) {
                                  *static_cast<long*>(left) += *static_cast<const long*>(right);
                                },
                                nullptr,
                                nullptr};
  long total = 5;
  sennit::record([&] { EXPECT_EQ(sennit_reduce(0, 100000, &sum, nullptr, &total, nullptr), SENNIT_OK); });
  EXPECT_EQ(total, 4999950005L);
}

}  // namespace
