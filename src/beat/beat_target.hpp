// The threads that get beats, and the handler of the signal that their beats come with.
#pragma once

#include <sennit/beats.hpp>
#include <sennit/ext/beat_source.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

namespace sennit::detail {

// Memory for them. It is never given back: see ext::beat_target. Any thread may take and put.
class beat_target_pool {
 public:
  static constexpr unsigned place_bits = 11;
  static constexpr std::size_t most = std::size_t{1} << place_bits;

  // Null: there are so many already. Its source is yet to be started.
  static ext::beat_target* take(pid_t thread, std::chrono::nanoseconds period,
                                ext::beat_target::function beat, ext::beat_source& source) noexcept;
  // Ends it: no beat begins any more, and none is under way. Then its source is stopped. Adds what it
  // counted.
  static void put(ext::beat_target& ended, beat_count& into) noexcept;
  // In a child of fork(2), where the thread and its timers never were.
  static void forget(ext::beat_target& parents) noexcept;

  static void count(const ext::beat_target& b, beat_count& into) noexcept;

  // The handler of the signal.
  static void on_signal(int number, siginfo_t* info, void* ucontext) noexcept;
};

// Has the handler take the signal from now on. Empty, or why not and what to do.
std::string install_beat_handler();

}  // namespace sennit::detail
