// SPDX-License-Identifier: Apache-2.0
#include "beat/beat_cost.hpp"

#include "beat/thread_timer.hpp"
#include "process/settings.hpp"
#include "system/nanoseconds.hpp"
#include "system/thread_id.hpp"

#include <sennit/beats.hpp>

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sennit::detail {

namespace {

// Enough that the measured beats do not follow each other at once, where one costs 20 us.
constexpr std::uint64_t period_ns = 100'000;
constexpr std::size_t samples = 25;
constexpr std::uint64_t longest_ns = 10'000'000;
// No read of the clock takes so long.
constexpr std::uint64_t least_gap_ns = 700;
// The walk through frames and the promotion point's statement, which the signal of the measurement does without.
constexpr std::uint64_t of_rolling_ns = 2000;

// A loop that reads the clock is interrupted by the timer's signals. Returns how long, 0 if it never is.
std::uint64_t interruption() noexcept {
  std::array<std::uint64_t, samples> gaps{};
  std::size_t count = 0;
  const std::uint64_t begin = now_ns();
  for (std::uint64_t before = begin; count < samples && before - begin < longest_ns;) {
    const std::uint64_t now = now_ns();
    if (now - before > least_gap_ns) gaps[count++] = now - before;
    before = now;
  }
  // Other work of the machine makes gaps longer, other interrupts are short ones.
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(gaps.begin(), middle, gaps.begin() + static_cast<std::ptrdiff_t>(count));
  return count == 0 ? 0 : *middle;
}

std::uint64_t measure() noexcept {
  timer_t timer{};
  // No target has the ticket 0: the handler does nothing.
  if (!create_timer(thread_id(), 0, timer)) return 0;
  // It repeats, as beats do: to set it anew is a part of the cost.
  const itimerspec times{as_timespec(period_ns), as_timespec(period_ns)};
  timer_settime(timer, 0, &times, nullptr);
  const std::uint64_t gap = interruption();
  timer_delete(timer);
  return gap;
}

// On a thread that has no other beats.
void* measure_here(void* result) noexcept {
  sigset_t beats;
  sigemptyset(&beats);
  sigaddset(&beats, beat_signal());
  pthread_sigmask(SIG_UNBLOCK, &beats, nullptr);
  *static_cast<std::uint64_t*>(result) = measure();
  return nullptr;
}

constexpr std::uint64_t not_measured = UINT64_MAX;
std::atomic<std::uint64_t> measured{not_measured};

}  // namespace

std::chrono::nanoseconds cost_of_beat() noexcept {
  std::uint64_t cost = measured.load(std::memory_order_relaxed);
  if (cost == not_measured) {
    std::uint64_t gap = 0;
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, measure_here, &gap) == 0) pthread_join(thread, nullptr);
    // Afterwards the program has to fetch again what the kernel has displaced from caches.
    cost = gap == 0 ? 0 : gap + gap / 4 + of_rolling_ns;
    measured.store(cost, std::memory_order_relaxed);
  }
  return std::chrono::nanoseconds(cost);
}

std::chrono::nanoseconds affordable_period(std::chrono::nanoseconds asked, double share) noexcept {
  if (share >= 1) return asked;
  const double least = static_cast<double>(cost_of_beat().count()) / share;
  if (least >= static_cast<double>(beats_options::most_period.count())) return beats_options::most_period;
  // In whole microseconds, for people.
  const auto rounded = std::chrono::microseconds(static_cast<std::int64_t>(std::ceil(least / 1000)));
  return std::max<std::chrono::nanoseconds>(asked, rounded);
}

}  // namespace sennit::detail
