// beat_source: what beats threads. An extension point: Sennit brings four of them (sennit::beat_source_kind),
// and beats_options::extension takes one of yours.
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

// The number of the signal that all beats come with: a real-time one that is free, or what SENNIT_BEAT_SIGNAL
// says. It is chosen once, and not blocked in the threads of any runtime. Throws std::invalid_argument for a
// bad SENNIT_BEAT_SIGNAL.
SENNIT_EXPORT int beat_signal();

// One thread that gets beats, as its source sees it. Its memory stays, so that a signal that comes late finds
// it ended rather than gone.
class SENNIT_EXPORT beat_target {
 public:
  // Called on that thread: in signal context with its ucontext, or null at a poll. So it must be
  // async-signal-safe. False: the beat came where nothing can be done about it; once more, soon.
  using function = bool (*)(void* ucontext) noexcept;

  pid_t thread() const noexcept { return thread_; }
  std::chrono::nanoseconds period() const noexcept { return period_; }
  // The value (sigval::sival_int) that a signal carries, so that the handler knows whose beat it is.
  int ticket() const noexcept;
  // Sends the thread its beat, unless the last one has not arrived yet: then that counts as missed. False:
  // the kernel does not take the signal. For sources that call from another thread; one call at a time.
  bool ping() noexcept;
  // On that thread: a beat is there, and `missed` others were due since the one before. Called by the
  // handler of the signal, and by sources without one.
  void arrive(void* ucontext, std::uint64_t missed) noexcept;
  // Whether stop() has not been called for it.
  bool live() const noexcept { return ticket_.load(std::memory_order_relaxed) > 0; }

  // The source's own: timers, a file descriptor, a count.
  std::array<std::intptr_t, 2> kept{};
  // A descriptor whose signals (fcntl's F_SETSIG) are beats of this thread; -1: none. Set last, and taken
  // back first.
  std::atomic<int> descriptor{-1};

 private:
  friend class detail::beat_target_pool;

  void retry(void* ucontext) noexcept;
  void call(void* ucontext) noexcept;
  void call_again_soon() noexcept;

  std::atomic<int> ticket_{0};  // 0: nobody's
  std::atomic<unsigned> inside_{0};
  std::atomic<bool> under_way_{false};
  unsigned unanswered_ = 0;  // pings since then
  // Of the handler's, at the latest beat. Atomic, as ThreadSanitizer puts a signal off to the next call of the
  // fiber that it met, on whichever thread that fiber is by then.
  std::atomic<unsigned> attempts_{0};
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

// Has beats come to threads. One object serves all threads of one sennit::beats, with one period; its members
// are called one at a time, except arrived(). A signal that it has sent has to carry the ticket, or come from
// the descriptor.
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
  // Why it does not work here, and what would mend that; empty if it works. Tries it.
  virtual std::string refusal() = 0;

  // Has who.thread(), which may be another than the calling one, get beats from now on. False: the system
  // refuses.
  virtual bool start(beat_target& who) noexcept = 0;
  // No further signal is sent once it returns. The thread may have ended, and may be resting.
  virtual void stop(beat_target& who) noexcept = 0;
  // It needs no beats for a while, as it sleeps or is no worker; it is back. By turns.
  virtual void rest(beat_target& who) noexcept = 0;
  virtual void wake(beat_target& who) noexcept = 0;

  // A signal of this source has come: on the thread that gets the beat, in signal context. What it returns is how many
  // beats have been missed since the last.
  virtual std::uint64_t arrived(beat_target&, const siginfo_t&) noexcept { return 0; }
};

}  // namespace sennit::ext
