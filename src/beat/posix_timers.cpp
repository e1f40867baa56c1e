// SPDX-License-Identifier: Apache-2.0
#include "beat/sources.hpp"
#include "beat/thread_timer.hpp"
#include "system/nanoseconds.hpp"
#include "system/thread_id.hpp"

#include <signal.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace sennit::detail {

namespace {

// Each thread has two timers, which take turns. When the kernel delivers the signal of a repeating timer, it
// starts the timer again. With one timer, that sets the hardware to a new time twice for each beat. With two
// timers, the next beat's time is already set. On a virtual machine, where each change of the time is an
// exit to the hypervisor, this saves a fifth of a beat's cost.
class posix_timers : public ext::beat_source {
 public:
  const char* name() const noexcept override { return "posix_timers"; }

  // Tries to make all timers of one thread: the two, and the one that repeats beats.
  std::string refusal() override {
    std::array<timer_t, 3> probes{};
    std::size_t made = 0;
    while (made < probes.size() && create_timer(thread_id(), 0, probes[made])) ++made;
    const int error = errno;
    for (std::size_t i = 0; i < made; ++i) timer_delete(probes[i]);
    if (made == probes.size()) return {};
    return refused(
        "timer_create", error,
        "raise the limit of pending signals (ulimit -i), or have the container's seccomp filter let "
        "timer_create(2) pass");
  }

  bool start(ext::beat_target& who) noexcept override {
    timer_t first{};
    timer_t second{};
    if (!create_timer(who.thread(), who.ticket(), first)) return false;
    if (!create_timer(who.thread(), who.ticket(), second)) {
      timer_delete(first);
      return false;
    }
    who.kept = {reinterpret_cast<std::intptr_t>(first), reinterpret_cast<std::intptr_t>(second)};
    wake(who);
    return true;
  }

  void stop(ext::beat_target& who) noexcept override {
    for (const std::intptr_t timer : who.kept) timer_delete(reinterpret_cast<timer_t>(timer));
  }

  void rest(ext::beat_target& who) noexcept override { set(who, 0, 0); }

  void wake(ext::beat_target& who) noexcept override {
    set(who, now_ns(), static_cast<std::uint64_t>(who.period().count()));
  }

  std::uint64_t arrived(ext::beat_target&, const siginfo_t& info) noexcept override {
    return info.si_overrun > 0 ? static_cast<std::uint64_t>(info.si_overrun) : 0;
  }

 private:
  static void set(const ext::beat_target& who, std::uint64_t base_ns, std::uint64_t period_ns) noexcept {
    std::uint64_t turn = 0;
    for (const std::intptr_t timer : who.kept) {
      ++turn;
      const itimerspec times{as_timespec(2 * period_ns),
                             as_timespec(period_ns == 0 ? 0 : base_ns + turn * period_ns)};
      timer_settime(reinterpret_cast<timer_t>(timer), TIMER_ABSTIME, &times, nullptr);
    }
  }
};

}  // namespace

std::unique_ptr<ext::beat_source> make_posix_timers() { return std::make_unique<posix_timers>(); }

}  // namespace sennit::detail
