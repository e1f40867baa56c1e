// SPDX-License-Identifier: Apache-2.0
#include "beat/sources.hpp"
#include "system/nanoseconds.hpp"
#include "system/thread_id.hpp"

#include <sennit/beats.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace sennit::detail {

std::atomic<unsigned> polled_threads{0};
constinit thread_local ticks next_poll [[gnu::tls_model("initial-exec")]] = 0;

namespace {

// The longest time after which a thread reads the list again: meanwhile, threads with shorter periods may
// have been added.
constexpr std::uint64_t next_look_ns = 1'000'000;

std::mutex polling;  // protects the list
ext::beat_target* first = nullptr;

// A child of fork(2) gets no beats.
[[maybe_unused]] const int registered = pthread_atfork([] { polling.lock(); }, [] { polling.unlock(); },
                                                       [] {
                                                         first = nullptr;
                                                         polled_threads.store(0, std::memory_order_relaxed);
                                                         polling.unlock();
                                                       });

ext::beat_target*& next_of(ext::beat_target& b) noexcept {
  return reinterpret_cast<ext::beat_target*&>(b.kept[0]);
}
// When the target's next beat is due, on the steady clock.
std::uint64_t due_of(const ext::beat_target& b) noexcept { return static_cast<std::uint64_t>(b.kept[1]); }
void set_due(ext::beat_target& b, std::uint64_t ns) noexcept { b.kept[1] = static_cast<std::intptr_t>(ns); }
std::uint64_t period_of(const ext::beat_target& b) noexcept {
  return static_cast<std::uint64_t>(b.period().count());
}

// The number of ticks in this time. The first estimates are rather too low, so that a thread asks too early
// rather than too late. Precondition: the caller holds the lock.
ticks ticks_in(std::uint64_t ns, std::uint64_t now) noexcept {
  static const std::uint64_t start_ns = now;
  static const ticks start = read_clock();
  constexpr std::uint64_t enough_ns = 1'000'000;
  if (now - start_ns < enough_ns) return ns / 2;
  const double rate = static_cast<double>(read_clock() - start) / static_cast<double>(now - start_ns);
  return static_cast<ticks>(rate * static_cast<double>(ns));
}

class polled : public ext::beat_source {
 public:
  const char* name() const noexcept override { return "polled"; }
  std::string refusal() override { return {}; }

  bool start(ext::beat_target& who) noexcept override {
    const std::lock_guard guard(polling);
    set_due(who, now_ns() + period_of(who));
    next_of(who) = first;
    first = &who;
    polled_threads.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  void stop(ext::beat_target& who) noexcept override {
    const std::lock_guard guard(polling);
    ext::beat_target** at = &first;
    while (*at != &who) at = &next_of(**at);
    *at = next_of(who);
    polled_threads.fetch_sub(1, std::memory_order_relaxed);
  }

  void rest(ext::beat_target&) noexcept override {}

  void wake(ext::beat_target& who) noexcept override {
    const std::lock_guard guard(polling);
    set_due(who, now_ns() + period_of(who));
  }
};

}  // namespace

bool take_polled_beat() noexcept {
  const std::lock_guard guard(polling);
  const pid_t self = thread_id();
  const std::uint64_t now = now_ns();
  std::uint64_t next = now + next_look_ns;
  bool beat_came = false;
  for (ext::beat_target* b = first; b != nullptr; b = next_of(*b)) {
    if (b->thread() != self || !b->live()) continue;
    if (due_of(*b) <= now) {
      const std::uint64_t late = (now - due_of(*b)) / period_of(*b);
      set_due(*b, due_of(*b) + (late + 1) * period_of(*b));
      b->arrive(nullptr, late);
      beat_came = true;
    }
    next = std::min(next, due_of(*b));
  }
  next_poll = read_clock() + ticks_in(next - now, now);
  return beat_came;
}

bool polled_beat_due() noexcept { return read_clock() >= next_poll && take_polled_beat(); }

std::unique_ptr<ext::beat_source> make_polled() { return std::make_unique<polled>(); }

}  // namespace sennit::detail
