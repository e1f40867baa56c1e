// SPDX-License-Identifier: Apache-2.0
// The threads that get beats, and the handler of the signal for beats.
#pragma once

#include <sennit/beats.hpp>
#include <sennit/ext/beat_source.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sennit::detail {

// How much of its time a thread has for beats, and what one costs. A cost of 0: no limit.
struct beat_allowance {
  double share = 1;
  std::int64_t cost_ns = 0;
};

// What a target's beats are like.
struct beat_terms {
  std::chrono::nanoseconds period;
  beat_allowance allowance;
  ext::beat_target::function beat;
};

// Memory for targets. It is never freed: see ext::beat_target. Thread-safety: any thread may take and put.
class beat_target_pool {
 public:
  static constexpr unsigned place_bits = 11;
  static constexpr std::size_t most = std::size_t{1} << place_bits;

  // Returns null if there are too many targets already. The caller has to start the source for the target.
  static ext::beat_target* take(pid_t thread, const beat_terms& terms, ext::beat_source& source) noexcept;
  // Ends a target. After the return no beat begins or is running. The caller then stops the source. Adds the
  // target's counts to `into`.
  static void put(ext::beat_target& ended, beat_count& into) noexcept;
  // For a child of fork(2), in which the thread and its timers have never existed.
  static void forget(ext::beat_target& parents) noexcept;

  static void count(const ext::beat_target& b, beat_count& into) noexcept;

  // The handler of the signal.
  static void on_signal(int number, siginfo_t* info, void* ucontext) noexcept;
};

// The bytes that the handler needs, if the calling thread's alternate signal stack has fewer; else 0.
std::size_t lacking_signal_stack() noexcept;

// Makes the handler receive the signal from now on. Returns an empty string, or the reason and the remedy.
std::string install_beat_handler();

}  // namespace sennit::detail
