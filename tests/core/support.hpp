// SPDX-License-Identifier: Apache-2.0
// What the tests of the core share: the settings to run under, and the means to force a schedule.
#pragma once

#include <sennit/sennit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sennit_test {

// How many repetitions of something cheap are enough; sanitizers make it five to fifteen times as dear.
constexpr int scaled(int count) { return SENNIT_TSAN || SENNIT_ASAN ? (count + 9) / 10 : count; }

struct setting {
  unsigned workers;
  sennit::steal_barrier barrier;

  sennit::runtime_options options() const { return {.workers = workers, .barrier = barrier}; }
};

inline std::string name(const setting& s) {
  return std::to_string(s.workers) + (s.barrier == sennit::steal_barrier::fence ? "_fence" : "_membarrier");
}
inline void PrintTo(const setting& s, std::ostream* out) { *out << name(s); }
inline std::string parameter_name(const testing::TestParamInfo<setting>& info) { return name(info.param); }

// ThreadSanitizer does not model membarrier: under it the library is held to the fence.
inline std::vector<sennit::steal_barrier> barriers() {
  using sennit::steal_barrier;
  if (SENNIT_TSAN) return {steal_barrier::fence};
  const sennit::runtime probe({.workers = 1});
  if (probe.barrier() == steal_barrier::membarrier) {
#if defined(SENNIT_TEST_EMULATED)
    // qemu-user (7.2) on x86-64 lets an acquiring load (ldar) overtake a releasing store (stlr), which AArch64 forbids: the
    // fences of that variant order nothing there.
    return {steal_barrier::membarrier};
#else
    return {steal_barrier::fence, steal_barrier::membarrier};
#endif
  }
  std::puts("this kernel refuses membarrier: only the fence is tested");
  return {steal_barrier::fence};
}

inline std::vector<setting> settings(std::initializer_list<unsigned> worker_counts) {
  std::vector<setting> result;
  for (const sennit::steal_barrier barrier : barriers()) {
    for (const unsigned workers : worker_counts) result.push_back({workers, barrier});
  }
  return result;
}

inline std::vector<setting> all_settings() { return settings({1, 2, 3, 8, 32}); }
// Where a branch waits for another that runs at the same time, one worker would wait forever.
inline std::vector<setting> parallel_settings() { return settings({2, 3, 8, 32}); }

// In the message of a wait that comes to no end.
inline std::string& current_setting() {
  static std::string text = "the default runtime";
  return text;
}

// Calls test(runtime) for each setting, in one process: a process for each costs more than the test.
template <class Test>
void under(const std::vector<setting>& which, Test&& test) {
  for (const setting& s : which) {
    SCOPED_TRACE(name(s));
    current_setting() = name(s);
    sennit::runtime rt(s.options());
    test(rt);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Spins until `condition` holds. A schedule that never comes is reported, with a core to look at.
template <class Condition>
void await(Condition&& condition, const char* what) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(45);
  while (!condition()) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() > end) {
      std::fprintf(stderr, "waited in vain for %s, with %s\n", what, current_setting().c_str());
      std::abort();
    }
  }
}

// Lit by one branch and awaited by another: the two are then on different workers.
class beacon {
 public:
  void light() noexcept { lit_.store(true, std::memory_order_release); }
  bool lit() const noexcept { return lit_.load(std::memory_order_acquire); }
  void await() const {
    sennit_test::await([this] { return lit(); }, "a branch that another worker should have taken");
  }

 private:
  std::atomic<bool> lit_{false};
};

// join(f, g) with g on another worker than f: f begins once g has been taken.
template <class F, class G>
auto join_stolen(F&& f, G&& g) {
  beacon taken;
  return sennit::join(
      [&]() -> decltype(auto) {
        taken.await();
        return f();
      },
      [&]() -> decltype(auto) {
        taken.light();
        return g();
      });
}

// A join whose strand is suspended: the right branch, stolen, goes on until it is. The strand then continues
// on the worker that ran the right branch. Nothing else may be suspended in the runtime meanwhile.
inline void suspend(const sennit::runtime& rt) {
  const std::uint64_t before = rt.statistics().suspensions;
  join_stolen([] {},
              [&] { await([&] { return rt.statistics().suspensions > before; }, "a join to be suspended"); });
}

// The strand goes on on another thread.
inline void change_threads(const sennit::runtime& rt) {
  const pid_t thread = gettid();
  // A branch that ends just as its strand is set aside lets that go on where it is.
  await(
      [&] {
        suspend(rt);
        return gettid() != thread;
      },
      "a strand to change threads");
}

// A join whose right branch was stolen and has ended by the time the left one does: the deque begins anew,
// and the strand stays where it is.
inline void lose_all_frames() {
  using namespace std::chrono_literals;
  join_stolen([] { std::this_thread::sleep_for(20ms); }, [] {});
}

// A move-only value that knows how many of its kind live.
class tracked {
 public:
  explicit tracked(std::uint64_t value = 0) noexcept : value_(value) {
    live_.fetch_add(1, std::memory_order_relaxed);
  }
  tracked(tracked&& other) noexcept : tracked(other.value_) {}
  tracked& operator=(tracked&& other) noexcept {
    value_ = other.value_;
    return *this;
  }
  ~tracked() { live_.fetch_sub(1, std::memory_order_relaxed); }

  std::uint64_t value() const noexcept { return value_; }
  static std::int64_t live() noexcept { return live_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t value_;
  inline static std::atomic<std::int64_t> live_{0};
};

// What reducers combine by where the order matters.
struct appending {
  struct nothing {
    template <class T>
    operator std::vector<T>() const {
      return {};
    }
  };
  nothing identity() const { return {}; }
  template <class T>
  void operator()(std::vector<T>& left, std::vector<T>&& right) const {
    left.insert(left.end(), std::move_iterator(right.begin()), std::move_iterator(right.end()));
  }
};

// What branches throw here.
struct failure {
  std::uint64_t position;
};

}  // namespace sennit_test
