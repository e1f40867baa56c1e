// SPDX-License-Identifier: Apache-2.0
// beats: periodic interrupts of threads, for promotion points.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/polled_beats.hpp>
#include <sennit/ext/beat_source.hpp>

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sennit {

class runtime;

// How beats reach threads.
enum class beat_source_kind {
  // On x86-64 the first of these that the system allows: posix_timers, perf_events, ping_thread. On other CPUs polled, as no
  // signal can take a promotion point there: see SENNIT_PROMOTION_POINT.
  automatic,
  posix_timers,  // timers of the kernel, one for each thread (timer_create(2) with SIGEV_THREAD_ID)
  ping_thread,   // one thread that sleeps, and sends signals to the others
  perf_events,  // the kernel's clock of a thread's own time (perf_event_open(2)); no beats while the thread does not run
  polled,  // no signal: the program calls sennit::beat_due()
};

// Members left at their defaults come from the environment (SENNIT_BEAT, SENNIT_BEAT_SHARE). Without these
// variables the period is 100 us, the source is automatic, and the share is 0.05.
struct beats_options {
  // Bounds of `period`.
  static constexpr std::chrono::nanoseconds least_period = std::chrono::microseconds(10);
  static constexpr std::chrono::nanoseconds most_period = std::chrono::seconds(10);

  // The time from one beat to the next: the heart rate of heartbeat scheduling. 0: not given.
  std::chrono::nanoseconds period{0};
  beat_source_kind source = beat_source_kind::automatic;
  // Whether all workers of `in` get beats while they are in the runtime: its own threads, and guests in a
  // region.
  bool workers = true;
  // The runtime of the workers. Null: the calling strand's runtime, or else the default runtime, which is
  // then started.
  runtime* in = nullptr;
  // Whether the calling thread gets beats while the object lives, even if it is no worker.
  bool calling_thread = false;
  // What a beat calls, on the thread that gets it and in signal context: see ext::beat_target::function.
  // Null: what promotion points need; without promotion points, nothing.
  ext::beat_target::function on_beat = nullptr;
  // A source of the program's own, used instead of `source`. It must outlive the beats.
  ext::beat_source* extension = nullptr;
  // How much of a thread's time beats may take. Where beats at `period` would take more, they come at a longer
  // period, and are repeated less often. From above 0 to 1; 1: no limit. Sources without a signal have none.
  // 0: not given.
  double most_share = 0;
};

// The beats of one thread.
struct beat_count {
  pid_t thread = 0;
  std::chrono::nanoseconds period{0};  // at which the beats come: see beats_options::most_share
  std::uint64_t asked = 0;             // periods that passed while the thread was at work
  std::uint64_t delivered = 0;         // beats that arrived: at most asked + 1
  // Beats that came due before the one before had arrived; they are not made up for.
  std::uint64_t missed = 0;
  std::uint64_t retries = 0;  // repeated calls, shortly after a beat that arrived at an unsuitable moment
};

// Interrupts the workers of a runtime, the calling thread, or both, for as long as the object lives (Rainey
// et al., "Task Parallel Assembly Language for Uncompromising Parallelism", 2021, §3.2). A sleeping worker
// is not woken.
//
// Beats are signals. A system call that SA_RESTART restarts is restarted; another one (poll, nanosleep)
// returns EINTR. A thread that blocks the signal gets no beats meanwhile; the runtime's own threads do not
// block it. A child of fork(2) gets no beats, and an object made before the fork does nothing in the child.
// exec(2) ends posix_timers, as all timers. With ping_thread and perf_events, a signal that was sent before
// exec(2) may arrive in the new program and end it: call stop() before exec(2), or set SENNIT_BEAT_SIGNAL to
// URG.
//
// Thread-safety: any thread may call stop(), statistics() and the destructor, but on_beat must not. Several
// objects may interrupt the same thread. The runtime may end first. If the system refuses beats for a
// worker, the worker gets none and its `asked` stays 0.
//
// Cost: some microseconds a thread to begin and to end. A beat costs 2 to 6 us, and up to 20 us on virtual
// machines. The first object of a process measures that, in about 3 ms. No period is refused as too short: it is
// lengthened until beats take at most `most_share` of a thread's time.
//
// Example:
//   #include <cstdio>
//
//   void show_beats() {
//     using namespace std::chrono_literals;
//     const sennit::beats_options how{
//         .period = 200us, .source = sennit::beat_source_kind::posix_timers, .workers = false, .calling_thread = true};
//     const sennit::beats beating(how);
//     const auto end = std::chrono::steady_clock::now() + 20ms;
//     while (std::chrono::steady_clock::now() < end) {}
//     for (const sennit::beat_count& c : beating.statistics())
//       std::printf("%d: %llu of %llu\n", static_cast<int>(c.thread),
//                   static_cast<unsigned long long>(c.delivered), static_cast<unsigned long long>(c.asked));
//   }
class SENNIT_EXPORT beats {
 public:
  // Throws std::invalid_argument, which names a bad option or variable. Throws std::runtime_error, which
  // gives the reason and the remedy, if the system refuses the source or the calling thread, or if the
  // signal is in use. Throws std::bad_alloc, and what runtime::default_runtime() throws.
  explicit beats(const beats_options& options = {});
  ~beats();
  beats(const beats&) = delete;
  beats& operator=(const beats&) = delete;

  // After it returns no beat begins or is running. It may be called again.
  void stop() noexcept;

  // At which the beats come. It may be longer than the period that was asked for: see beats_options::most_share.
  std::chrono::nanoseconds period() const noexcept;
  const char* source() const noexcept;
  // The counts of each thread that has had beats, including threads that have ended. Cost: a lock, and some
  // nanoseconds a thread.
  std::vector<beat_count> statistics() const;
  // For people: how many beats were delivered, and a line for each promotion point of the process with its
  // function, its line and how often it was taken. Those that were never taken come last. A latent_join has line 0, and
  // counts a call twice that it gave away while its first one went on: once for that, and once for the wait. Thread-safety: that of
  // statistics(); not while a module with promotion points is unloaded. Cost: microseconds for each promotion point.
  std::string report() const;

 private:
  class group;
  const std::unique_ptr<group> group_;
};

// Whether a beat of the source `polled` has come due on this thread since beat_due() last returned true. If
// so, on_beat has been called. Returns false on a thread without polled beats. A thread notices within a
// millisecond that its beats have begun. Thread-safety: any thread may call it. Cost: two loads; if any
// thread polls, also a reading of the clock.
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
#if defined(__x86_64__)
  return detail::any_polled_beats() && detail::read_clock() >= detail::next_poll &&
         detail::take_polled_beat();
#else
  // Elsewhere the compiler keeps the address of a thread's variable, and a strand may go on on another thread.
  return detail::any_polled_beats() && detail::polled_beat_due();
#endif
}

}  // namespace sennit
