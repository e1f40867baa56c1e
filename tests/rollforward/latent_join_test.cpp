// SPDX-License-Identifier: Apache-2.0
// Calls that are latent while others go on: which of them is given away at a beat, once, and how it ends.
#include "tests/rollforward/beats.hpp"

#include <sennit/join.hpp>
#include <sennit/latent_join.hpp>
#include <sennit/reducer.hpp>
#include <sennit/region.hpp>
#include <sennit/runtime.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE [[gnu::noinline]]

namespace {

using test::beat;

class latent_joins : public test::beating {
 protected:
  template <class F>
  static void on_strand(F&& f) {
    sennit::join(
        [&] {
          test::let_beats_through();
          f();
        },
        [] {});
  }
};

// The depth at which each beat comes, and the calls in the order in which they begin.
struct recording {
  std::vector<int> begun;
  std::atomic<int> given{0};
};

NOINLINE int countdown(recording& all, int n, int beat_at) {
  if (n == beat_at) beat();
  if (n == 0) return 0;
  recording* const to = &all;
  const auto [a, b] = sennit::latent_join([=] { return countdown(*to, n - 1, beat_at); },
                                          [=] {
                                            ++to->given;
                                            return n;
                                          });
  return a + b;
}

// Catches a second call that is made twice or not at all.
TEST_F(latent_joins, each_second_call_is_made_once) {
  on_strand([] {
    for (int at = 0; at <= 20; ++at) {
      recording all;
      EXPECT_EQ(countdown(all, 20, at), 20 * 21 / 2);
      EXPECT_EQ(all.given, 20);
    }
  });
  EXPECT_GT(test::placed, 0);
}

NOINLINE void wait_at_the_bottom(int depth, std::atomic<int>& first) {
  if (depth == 0) {
    beat();
    sennit::latent_join([] {}, [] {});
    // Another worker runs the oldest call while this one goes on.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (first == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return;
  }
  std::atomic<int>* const order = &first;
  sennit::latent_join([=] { wait_at_the_bottom(depth - 1, *order); },
                      [=] {
                        int none = 0;
                        order->compare_exchange_strong(none, depth);
                      });
}

// Catches a call that is given away although an older one is latent, and calls that nobody else can have before their
// first one has ended.
TEST_F(latent_joins, the_oldest_call_is_given_while_the_first_goes_on) {
  sennit::runtime runtime({.workers = 2});
  std::atomic<int> first{0};
  runtime.run([&] {
    test::let_beats_through();
    wait_at_the_bottom(10, first);
  });
  EXPECT_EQ(first, 10);
}

NOINLINE long throwing(int n, int at, int beat_at) {
  if (n == beat_at) beat();
  if (n == at) throw n;
  if (n <= 0) return 1;
  const auto [a, b] = sennit::latent_join([=] { return throwing(n - 1, at, beat_at); },
                                          [=] { return throwing(n - 2, at + 1000, beat_at); });
  return a + b;
}

// Catches an exception of a later call that hides an earlier one, and a call that still runs when its caller's frame is gone.
TEST_F(latent_joins, the_first_exception_is_thrown) {
  on_strand([] {
    for (int at = 0; at < 12; ++at) {
      for (int beat_at = -1; beat_at < 12; ++beat_at) {
        try {
          throwing(12, at, beat_at);
          ADD_FAILURE() << "nothing was thrown";
        } catch (const int thrown) {
          EXPECT_EQ(thrown, at);
        }
      }
    }
  });
}

NOINLINE int second_throws(bool with_beat) {
  const auto [a, b] = sennit::latent_join(
      [=] {
        if (with_beat) beat();
        sennit::latent_join([] { beat(); }, [] {});
        return 1;
      },
      []() -> int { throw std::runtime_error("second"); });
  return a + b;
}

// Catches an exception of a call that was given away, and is lost.
TEST_F(latent_joins, a_given_call_throws) {
  on_strand([] {
    for (int i = 0; i < 50; ++i) EXPECT_THROW(second_throws(i % 2 == 0), std::runtime_error);
  });
}

struct large {
  long values[6];
  bool operator==(const large&) const = default;
};

NOINLINE large large_result(int n, double x, float y, std::string text) {
  if (n == 0) {
    beat();
    return {{static_cast<long>(x), static_cast<long>(y), static_cast<long>(text.size()), 4, 5, 6}};
  }
  const char* const seen = text.c_str();
  const auto [a, b] =
      sennit::latent_join([&] { return large_result(n - 1, x, y, text + "x"); },
                          [=] { return static_cast<long>(x) + static_cast<long>(y) + seen[0]; });
  large sum = a;
  sum.values[5] += b;
  return sum;
}

// Catches values that are in the wrong register or in no register when the second call is asked for: floating-point numbers,
// results in memory, objects that belong to the arguments of the first call.
TEST_F(latent_joins, captures_of_all_kinds_survive) {
  on_strand([] {
    for (int n = 1; n < 20; ++n) {
      const large found = large_result(n, 3.5, 7.25F, "abc");
      const large expected{{3, 7, 3 + n, 4, 5, 6 + n * (3 + 7 + 'a')}};
      EXPECT_EQ(found, expected) << n;
    }
  });
}

bool is_code(std::uintptr_t word) {
  constexpr std::uintptr_t near = std::uintptr_t{1} << 28;
  return word + near - reinterpret_cast<std::uintptr_t>(&is_code) < 2 * near;
}

// How many words of the caller's frame change while it is asked. A return address does: the caller goes on elsewhere. `changes` is
// in the frame after that, which other threads may write to.
[[gnu::no_sanitize_address]] NOINLINE double count_changes(int* changes) {
  std::uintptr_t before[64];
  const auto* const frame = static_cast<const volatile std::uintptr_t*>(__builtin_frame_address(0)) + 2;
  const auto words =
      static_cast<std::size_t>(reinterpret_cast<const volatile std::uintptr_t*>(changes) - frame);
  const std::size_t count = std::min(words, std::size(before));
  for (std::size_t i = 0; i < count; ++i) before[i] = frame[i];
  beat();
  sennit::latent_join([] {}, [] {});
  for (std::size_t i = 0; i < count; ++i)
    *changes += frame[i] != before[i] && !(is_code(before[i]) && is_code(frame[i])) ? 1 : 0;
  return 1.5;
}

NOINLINE double with_changes(int* changes, double x) {
  const auto [a, b] =
      sennit::latent_join([=] { return count_changes(changes); }, [=] { return x + *changes * 0.0; });
  return a + b;
}

// Catches a frame that is changed while its call goes on: by code that finds it by a frame pointer, or by another register.
TEST_F(latent_joins, asking_changes_no_frame) {
  on_strand([] {
    for (int i = 0; i < 10; ++i) {
      alignas(8) int changes = 0;
      EXPECT_EQ(with_changes(&changes, i), i + 1.5);
      EXPECT_EQ(changes, 0);
    }
  });
}

NOINLINE int beat_in_region(bool cancelled) {
  sennit::region inner;
  const auto body = [&] {
    if (cancelled) inner.cancel();
    beat();
    sennit::latent_join([] {}, [] {});
  };
  try {
    inner.run(body);
  } catch (const sennit::cancelled&) {
  }
  beat();
  return 1;
}

NOINLINE int around_region(bool cancelled) {
  const auto [a, b] = sennit::latent_join([=] { return beat_in_region(cancelled); }, [] { return 2; });
  return a + b;
}

// Catches a call outside of a region that is given away inside of it: it is dropped with the region, or still open at its end.
TEST_F(latent_joins, a_beat_in_a_region_stays_there) {
  on_strand([] {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(around_region(i % 2 == 0), 3);
  });
}

struct concatenation {
  std::string identity() const { return {}; }
  void operator()(std::string& left, std::string&& right) const { left += right; }
};
using text = sennit::reducer<std::string, concatenation>;

NOINLINE void write(text* out, int n, int beat_at) {
  **out += static_cast<char>('a' + n % 26);
  if (n == beat_at) beat();
  if (n == 0) return;
  sennit::latent_join([=] { write(out, n - 1, beat_at); },
                      [=] {
                        **out += static_cast<char>('A' + n % 26);
                        sennit::latent_join([=] { write(out, n / 4, beat_at % 3); }, [=] { **out += '.'; });
                      });
}

// Catches what a call that was given away adds to a reducer, before what the strand adds until it waits.
TEST_F(latent_joins, reducers_keep_the_serial_order) {
  text serial;
  write(&serial, 25, -1);
  const std::string expected = serial.value();
  for (const unsigned workers : {1U, 3U}) {
    sennit::runtime runtime({.workers = workers});
    runtime.run([&] {
      test::let_beats_through();
      for (int at = 0; at <= 25; ++at) {
        text out;
        write(&out, 25, at);
        EXPECT_EQ(out.value(), expected) << at;
      }
    });
  }
}

template <std::size_t Words>
struct many {
  long values[Words];
};

NOINLINE int beat_and_throw(int beat_at, bool throws) {
  if (beat_at == 1) beat();
  sennit::latent_join([] {}, [] {});
  if (throws) throw beat_at;
  return 1;
}

template <std::size_t Words>
NOINLINE long capture(many<Words> all, int beat_at, bool throws) {
  static_assert(sizeof all == Words * sizeof(long));
  const auto [a, b] = sennit::latent_join([=] { return beat_and_throw(beat_at, throws); },
                                          [all] { return all.values[0] + all.values[Words - 1]; });
  return a + b;
}

template <std::size_t Words>
void capture_and_throw() {
  many<Words> all{};
  for (int i = 0; i < 20; ++i) {
    for (long& each : all.values) each = -1;
    EXPECT_THROW(capture(all, i % 2, true), int);
    // A call that nobody has taken from the frame would be taken now.
    for (long& each : all.values) each = i;
    EXPECT_EQ(capture(all, i % 2, false), 1 + all.values[0] + all.values[Words - 1]) << Words;
  }
}

// Catches a call that was given away and is not dropped by what is thrown, as its frame is not found: closures of more words
// than registers have, up to the largest.
TEST_F(latent_joins, a_throw_drops_calls_of_any_size) {
  on_strand([] {
    capture_and_throw<1>();
    capture_and_throw<7>();
    capture_and_throw<30>();
    capture_and_throw<64>();
  });
}

// Catches entries of strands that a child of fork(2) has not: a later frame at the same address would take them. And the loss of
// those of the strand that forks.
TEST(latent_joins_fork, a_child_forgets_the_frames_of_other_strands) {
  using namespace sennit::detail;
  given_part part(nullptr);
  std::uintptr_t elsewhere = 0;  // on another stack
  std::thread([&] { elsewhere = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }).join();
  const auto* const other = reinterpret_cast<const void*>(elsewhere);
  int status = -1;
  sennit::join(
      [&] {
        const void* const own = __builtin_frame_address(0);
        ASSERT_TRUE(keep_given(own, &part));
        ASSERT_TRUE(keep_given(other, &part));
        const pid_t child = fork();
        if (child == 0) _exit(take_given(other) == nullptr && take_given(own) == &part ? 0 : 1);
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(take_given(own), &part);
        EXPECT_EQ(take_given(other), &part);
      },
      [] {});
  EXPECT_EQ(status, 0);
}

NOINLINE double sum(const double* x, std::size_t n) {
  if (n < 16) {
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) all += x[i];
    return all;
  }
  const auto [a, b] =
      sennit::latent_join([=] { return sum(x, n / 2); }, [=] { return sum(x + n / 2, n - n / 2); });
  return a + b;
}

// Catches whatever depends on where beats come: real ones, on several workers.
TEST_F(latent_joins, random_beats_change_nothing) {
  const std::vector<double> ones(100'000, 1.0);
  for (const unsigned workers : {1U, 2U, 4U}) {
    sennit::runtime runtime({.workers = workers});
    runtime.run([&] {
      test::let_beats_through();
      const test::metronome beats(100'000);
      for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(ones.data(), ones.size()), 100'000.0);
    });
  }
  EXPECT_GT(test::placed, 0);
}

// Catches a frame that is asked while its stack has frames of joins and of groups below.
NOINLINE long mixed(long n) {
  if (n < 2) return n;
  if (n % 3 == 0) {
    const auto [a, b] = sennit::join([=] { return mixed(n - 1); }, [=] { return mixed(n - 2); });
    return a + b;
  }
  if (n % 3 == 1) {
    long a = 0;
    long b = 0;
    sennit::task_group group;
    group.spawn([&] { a = mixed(n - 1); });
    b = mixed(n - 2);
    group.wait();
    return a + b;
  }
  const auto [a, b] = sennit::latent_join([=] { return mixed(n - 1); }, [=] { return mixed(n - 2); });
  return a + b;
}

TEST_F(latent_joins, among_other_constructs) {
  for (const unsigned workers : {1U, 3U}) {
    sennit::runtime runtime({.workers = workers});
    runtime.run([&] {
      test::let_beats_through();
      const test::metronome beats(100'000);
      for (int i = 0; i < 10; ++i) EXPECT_EQ(mixed(23), 28657);
    });
  }
}

}  // namespace
