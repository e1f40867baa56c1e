// SPDX-License-Identifier: Apache-2.0
#include "beat/sources.hpp"
#include "process/settings.hpp"
#include "system/thread_id.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace sennit::detail {

namespace {

// The kernel queues a signal for each overflow, even if the signal before has not arrived. If the queue is
// full, the kernel sends SIGIO, which ends the program. So an event may overflow only this number of times,
// and gets more when its signals arrive.
constexpr int allowance = 64;
constexpr int refill = allowance / 2;
// More than is ever spent.
constexpr std::intptr_t resting = 1 << 20;

// The kernel's software clock of a thread's own time. Each thread has an event whose counter overflows once
// a period; the kernel then sends a signal. A software clock, because a virtual machine may have no hardware
// counters, and because its unit is the nanosecond.
class perf_events : public ext::beat_source {
 public:
  const char* name() const noexcept override { return "perf_events"; }

  std::string refusal() override {
    const int probe = open(thread_id(), std::chrono::milliseconds(100));
    if (probe < 0) {
      return refused(
          "perf_event_open", errno,
          "set kernel.perf_event_paranoid to 2 or less, or give CAP_PERFMON, and have the container's "
          "seccomp filter let perf_event_open(2) pass");
    }
    close(probe);
    return {};
  }

  bool start(ext::beat_target& who) noexcept override {
    const int event = open(who.thread(), who.period());
    if (event < 0) return false;
    const f_owner_ex owner{F_OWNER_TID, who.thread()};
    who.kept = {event, 0};
    if (fcntl(event, F_SETOWN_EX, &owner) != 0 || fcntl(event, F_SETSIG, beat_signal()) != 0 ||
        fcntl(event, F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
      close(event);
      return false;
    }
    // ORD[D44] release: the descriptor as it is kept; pairs with the acquire in on_signal().
    who.descriptor.store(event, std::memory_order_release);
    ioctl(event, PERF_EVENT_IOC_REFRESH, allowance);
    return true;
  }

  void stop(ext::beat_target& who) noexcept override {
    who.descriptor.store(-1, std::memory_order_relaxed);
    close(event_of(who));
  }

  void rest(ext::beat_target& who) noexcept override {
    // First, so that no handler in between enables the event again.
    spent(who).fetch_sub(resting, std::memory_order_relaxed);
    ioctl(event_of(who), PERF_EVENT_IOC_DISABLE, 0);
  }

  void wake(ext::beat_target& who) noexcept override {
    const std::intptr_t used = spent(who).exchange(0, std::memory_order_relaxed) + resting;
    if (used > 0) {
      ioctl(event_of(who), PERF_EVENT_IOC_REFRESH, static_cast<int>(used));
    } else {
      ioctl(event_of(who), PERF_EVENT_IOC_ENABLE, 0);
    }
  }

  std::uint64_t arrived(ext::beat_target& who, const siginfo_t&) noexcept override {
    if (spent(who).fetch_add(1, std::memory_order_relaxed) + 1 == refill) {
      spent(who).store(0, std::memory_order_relaxed);
      ioctl(event_of(who), PERF_EVENT_IOC_REFRESH, refill);
    }
    return 0;
  }

 private:
  static int event_of(const ext::beat_target& who) noexcept { return static_cast<int>(who.kept[0]); }
  // What has been spent of the allowance since it was last refilled; while the thread rests, minus
  // `resting`.
  static std::atomic_ref<std::intptr_t> spent(ext::beat_target& who) noexcept {
    return std::atomic_ref<std::intptr_t>(who.kept[1]);
  }

  static int open(pid_t thread, std::chrono::nanoseconds period) noexcept {
    perf_event_attr event{};
    event.size = sizeof event;
    event.type = PERF_TYPE_SOFTWARE;
    event.config = PERF_COUNT_SW_TASK_CLOCK;
    event.sample_period = static_cast<std::uint64_t>(period.count());
    event.wakeup_events = 1;
    event.disabled = 1;
    long made = syscall(SYS_perf_event_open, &event, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (made < 0 && (errno == EACCES || errno == EPERM)) {
      event.exclude_kernel = 1;  // so beats are missed while the thread is in the kernel
      made = syscall(SYS_perf_event_open, &event, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return static_cast<int>(made);
  }
};

}  // namespace

std::unique_ptr<ext::beat_source> make_perf_events() { return std::make_unique<perf_events>(); }

}  // namespace sennit::detail
