// SPDX-License-Identifier: Apache-2.0
// What the tests of beats share.
#pragma once

#include "../process/support.hpp"

#include <sennit/beats.hpp>
#include <sennit/sennit.hpp>

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <ostream>
#include <string>

namespace beats_test {

using namespace std::chrono_literals;
using process::apart;
using process::ending;
using process::ExitedWith;
using process::WasKilledBy;
using sennit::beat_count;
using sennit::beat_source_kind;
using sennit::beats;
using sennit::beats_options;

inline constexpr beat_source_kind with_signals[] = {
    beat_source_kind::posix_timers, beat_source_kind::perf_events, beat_source_kind::ping_thread};

inline std::string name(beat_source_kind kind) {
  switch (kind) {
    case beat_source_kind::automatic: return "automatic";
    case beat_source_kind::posix_timers: return "posix_timers";
    case beat_source_kind::ping_thread: return "ping_thread";
    case beat_source_kind::perf_events: return "perf_events";
    case beat_source_kind::polled: return "polled";
  }
  return "";
}

inline std::string reason_against(const beats_options& options) {
  try {
    const beats made(options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

// Whether the kernel has it: perf_events are often forbidden.
inline bool works(beat_source_kind kind) {
  return reason_against({.period = 100ms, .source = kind, .workers = false, .calling_thread = true}).empty();
}

// A little work, and a chance for tools that keep signals back until the program calls something.
inline void work_a_little() {
  for (volatile int i = 0; i < 2000;) i = i + 1;
  if (process::sanitized) usleep(1);
}

// Works until the condition holds; false if that takes too long.
template <class Condition>
bool work_until(Condition condition) {
  const auto last = process::clock::now() + process::patience / 3;
  while (!condition()) {
    if (process::clock::now() > last) return false;
    work_a_little();
  }
  return true;
}

inline std::uint64_t delivered(const beats& b) {
  std::uint64_t sum = 0;
  for (const beat_count& c : b.statistics()) sum += c.delivered;
  return sum;
}

// Beats that have come to the calling thread.
inline thread_local volatile std::uint64_t beats_here = 0;
inline bool count_beat(void*) noexcept {
  beats_here = beats_here + 1;
  return true;
}

}  // namespace beats_test

namespace sennit {

inline void PrintTo(beat_source_kind kind, std::ostream* out) { *out << beats_test::name(kind); }

}  // namespace sennit
