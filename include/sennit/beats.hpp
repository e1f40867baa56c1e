// beats: threads that are interrupted again and again, for promotion points.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>
#include <sennit/ext/beat_source.hpp>

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace sennit {

class runtime;

// How beats come to threads.
enum class beat_source_kind {
  automatic,     // the first of these that the system allows: posix_timers, perf_events, ping_thread
  posix_timers,  // timers of the kernel, for each thread its own (timer_create(2) with SIGEV_THREAD_ID)
  ping_thread,   // one thread that sleeps, and sends signals to the others
  perf_events,   // the kernel's clock of a thread's own time (perf_event_open(2)): none while it does not run
  polled,        // no signal: the program asks sennit::beat_due()
};

// How beats come. What is left at its default comes from the environment (SENNIT_BEAT), else it is 100 us
// from an automatic source.
struct beats_options {
  static constexpr std::chrono::nanoseconds least_period = std::chrono::microseconds(10);
  static constexpr std::chrono::nanoseconds most_period = std::chrono::seconds(10);

  // From one beat to the next: the heart rate of heartbeat scheduling. 0: not given.
  std::chrono::nanoseconds period{0};
  beat_source_kind source = beat_source_kind::automatic;
  // Whether all workers of `in` get beats while they are at it: its threads, and guests in a region.
  bool workers = true;
  // The workers' runtime. Null: the one whose strand calls, or else the default one, which is then started.
  runtime* in = nullptr;
  // Whether the calling thread gets beats until the end, worker or not.
  bool calling_thread = false;
  // What a beat does, on the thread that gets it, and in signal context: see ext::beat_target::function. Null: what
  // promotion points need, and nothing where there are none.
  ext::beat_target::function on_beat = nullptr;
  // A source of your own instead of `source`. It outlives the beats.
  ext::beat_source* extension = nullptr;
};

// Of one thread.
struct beat_count {
  pid_t thread = 0;
  std::uint64_t asked = 0;      // periods that have passed while it was at work
  std::uint64_t delivered = 0;  // beats that came: at most asked + 1
  std::uint64_t missed = 0;     // those that came due while one was still on its way: they do not add up
  std::uint64_t retries = 0;    // calls again, shortly after a beat that came at the wrong moment
};

// Beats the workers of a runtime, the calling thread or both, for as long as it lives. A worker that sleeps
// is left to sleep. Rainey et al., "Task Parallel Assembly Language for Uncompromising Parallelism" (2021),
// §3.2.
//
// In a thread that gets beats, system calls that SA_RESTART restarts are restarted, and others (poll, nanosleep)
// return EINTR, as with every signal. A thread that blocks the signal gets no beats meanwhile; the runtime's
// own threads do not. A child of fork(2) gets no beats, and an object made before it does nothing there.
// exec(2) ends posix_timers like all timers; with ping_thread and perf_events a signal may be under way and
// end the new program: stop them before, or let SENNIT_BEAT_SIGNAL be URG.
//
// stop(), statistics() and the destructor may be called by any thread, not by on_beat. Several objects may
// beat the same thread. The runtime may end first. A worker that the system refuses to beat gets none,
// and its `asked` stays 0.
//
// Cost: some microseconds a thread to begin and to end. A beat costs 2 to 6 us, on virtual machines up to 20;
// `sennit tune` measures it. No period is refused for that: with one near the cost the thread does little
// else than to handle beats.
//
// Example:
//   #include <cstdio>
//
//   void show_beats() {
//     using namespace std::chrono_literals;
//     const sennit::beats beating({.period = 200us, .workers = false, .calling_thread = true});
//     const auto end = std::chrono::steady_clock::now() + 20ms;
//     while (std::chrono::steady_clock::now() < end) {}
//     for (const sennit::beat_count& c : beating.statistics())
//       std::printf("%d: %llu of %llu\n", static_cast<int>(c.thread),
//                   static_cast<unsigned long long>(c.delivered), static_cast<unsigned long long>(c.asked));
//   }
class SENNIT_EXPORT beats {
 public:
  // Throws std::invalid_argument that names a bad option or variable; std::runtime_error that says why the
  // system refuses the source, or the calling thread, and what would mend that, or that the signal is in use;
  // std::bad_alloc; what runtime::default_runtime() does.
  explicit beats(const beats_options& options = {});
  ~beats();
  beats(const beats&) = delete;
  beats& operator=(const beats&) = delete;

  // No beat begins or is under way once it returns. Idempotent.
  void stop() noexcept;

  std::chrono::nanoseconds period() const noexcept;
  const char* source() const noexcept;
  // Of each thread that has had beats, those that ended included. Cost: a lock, and some nanoseconds a
  // thread.
  std::vector<beat_count> statistics() const;

 private:
  class group;
  const std::unique_ptr<group> group_;
};

namespace detail {

SENNIT_EXPORT extern std::atomic<unsigned> polled_threads;
// On x86-64, ticks; the calling thread's next beat is not due before.
SENNIT_EXPORT extern constinit thread_local ticks next_poll [[gnu::tls_model("initial-exec")]];
SENNIT_EXPORT SENNIT_COLD bool take_polled_beat() noexcept;

}  // namespace detail

// Whether a beat of the source `polled` has come due on this thread since this was last true; on_beat was
// called then. On a thread that gets no beats by polls: false. Beats that begin are noticed within a
// millisecond. Cost: two loads, and where anybody polls, a reading of the clock.
//
// Example:
//   long sum_with_beats(const int* first, const int* last, long& beats_seen) {
//     long sum = 0;
//     for (; first != last; ++first) {
//       sum += *first;
//       if (sennit::beat_due()) ++beats_seen;
//     }
//     return sum;
//   }
SENNIT_INLINE bool beat_due() noexcept {
  if (detail::polled_threads.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  return detail::read_clock() >= detail::next_poll && detail::take_polled_beat();
}

}  // namespace sennit
