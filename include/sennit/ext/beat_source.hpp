// SPDX-License-Identifier: Apache-2.0
// beat_source: what sends beats to threads. It is an extension point: Sennit has four of them
// (sennit::beat_source_kind), and beats_options::extension takes one of the program's own.
#pragma once

#include <sennit/detail/config.hpp>

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace sennit::detail {
class beat_target_pool;
}

namespace sennit::ext {

class beat_source;

// The number of the signal of all beats: a free real-time signal, or the signal that SENNIT_BEAT_SIGNAL
// names. It is chosen once, and no runtime's thread blocks it. Throws std::invalid_argument for a bad
// SENNIT_BEAT_SIGNAL.
//
// Example:
//   #include <csignal>
//
//   // For a thread that is to get no beats.
//   bool block_beats() {
//     sigset_t beats;
//     sigemptyset(&beats);
//     sigaddset(&beats, sennit::ext::beat_signal());
//     return pthread_sigmask(SIG_BLOCK, &beats, nullptr) == 0;
//   }
SENNIT_EXPORT int beat_signal();

// One thread that gets beats, as its source sees it. Its memory is never freed, so that a late signal finds
// an ended target.
class SENNIT_EXPORT beat_target {
 public:
  // Called on the target's thread: in signal context with its ucontext, or with null at a poll. So it must
  // be async-signal-safe. Returns false if the beat came at a moment when it could do nothing; the beat is
  // then repeated soon.
  using function = bool (*)(void* ucontext) noexcept;

  // The thread, and the time from one beat to the next.
  pid_t thread() const noexcept { return thread_; }
  std::chrono::nanoseconds period() const noexcept { return period_; }
  // The value (sigval::sival_int) that a signal carries, from which the handler finds the target.
  int ticket() const noexcept;
  // Sends the thread its beat. If the last beat has not arrived yet, the new one counts as missed. Returns
  // false if the kernel does not accept the signal. For sources that call from another thread; one call at a
  // time.
  bool ping() noexcept;
  // Called on the target's thread when a beat has arrived; `missed` further beats came due since the beat
  // before. The handler of the signal calls it, and sources without a signal do.
  void arrive(void* ucontext, std::uint64_t missed) noexcept;
  // False once stop() has been called for the target.
  bool live() const noexcept { return ticket_.load(std::memory_order_relaxed) > 0; }

  // Data of the source: timers, a file descriptor, a count.
  std::array<std::intptr_t, 2> kept{};
  // A descriptor whose signals (fcntl's F_SETSIG) are beats of this thread; -1: none. It is set last, and
  // reset first.
  std::atomic<int> descriptor{-1};

 private:
  friend class detail::beat_target_pool;

  void retry(void* ucontext) noexcept;
  void call(void* ucontext) noexcept;
  void call_again_soon() noexcept;

  std::atomic<int> ticket_{0};  // 0: no thread's
  std::atomic<unsigned> inside_{0};
  std::atomic<bool> under_way_{false};
  unsigned unanswered_ = 0;  // pings since the last beat arrived
  // Attempts of the handler for the latest beat. Atomic, because ThreadSanitizer delays a signal to the next
  // call of the fiber that it interrupted, and that fiber may then be on another thread.
  std::atomic<unsigned> attempts_{0};
  // What beats may take of the thread's time: for each beat so much comes in, and each signal takes the cost.
  std::int64_t income_ns_ = 0;
  std::int64_t cost_ns_ = 0;
  std::atomic<std::int64_t> budget_ns_{0};
  std::atomic<unsigned> patience_{0};  // how many repetitions a beat has at most
  unsigned generation_ = 0;
  pid_t process_ = 0;
  pid_t thread_ = 0;
  std::chrono::nanoseconds period_{0};
  function beat_ = nullptr;
  beat_source* source_ = nullptr;
  bool can_retry_ = false;
  timer_t retry_timer_{};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<std::uint64_t> retries_{0};
};

// Sends beats to threads. One object serves all threads of one sennit::beats, with one period. Its members
// are called one at a time, except arrived(). A signal that it sends must carry the ticket, or come from the
// descriptor.
//
// Example:
//   #include <sennit/beats.hpp>
//
//   // Beats whoever is in its list, whenever it is told to: for a test, say.
//   class by_hand : public sennit::ext::beat_source {
//    public:
//     const char* name() const noexcept override { return "by_hand"; }
//     std::string refusal() override { return {}; }
//     bool start(sennit::ext::beat_target& who) noexcept override {
//       latest_ = &who;
//       return true;
//     }
//     void stop(sennit::ext::beat_target&) noexcept override { latest_ = nullptr; }
//     void rest(sennit::ext::beat_target&) noexcept override {}
//     void wake(sennit::ext::beat_target&) noexcept override {}
//     void beat() { if (latest_ != nullptr) latest_->ping(); }
//
//    private:
//     sennit::ext::beat_target* latest_ = nullptr;
//   };
class beat_source {
 public:
  beat_source() = default;
  beat_source(const beat_source&) = delete;
  beat_source& operator=(const beat_source&) = delete;
  virtual ~beat_source() = default;

  virtual const char* name() const noexcept = 0;
  // Tries the source. Returns why it does not work here, and the remedy; returns an empty string if it
  // works.
  virtual std::string refusal() = 0;

  // From now on who.thread(), which may not be the calling thread, gets beats. Returns false if the system
  // refuses.
  virtual bool start(beat_target& who) noexcept = 0;
  // After it returns no further signal is sent. The thread may have ended, and may be resting.
  virtual void stop(beat_target& who) noexcept = 0;
  // rest(): the thread needs no beats for a while, because it sleeps or is no worker. The other one: the
  // thread needs beats again. The two alternate.
  virtual void rest(beat_target& who) noexcept = 0;
  virtual void wake(beat_target& who) noexcept = 0;

  // Called on the target's thread, in signal context, when a signal of this source has arrived. Returns how
  // many beats have been missed since the one before.
  virtual std::uint64_t arrived(beat_target&, const siginfo_t&) noexcept { return 0; }
};

}  // namespace sennit::ext
