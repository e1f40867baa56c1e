// SPDX-License-Identifier: Apache-2.0
#include "beat/beat_target.hpp"
#include "process/fork_child.hpp"
#include "process/settings.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace sennit {

namespace {

// Another handler may leave by siglongjmp(3), or by the cancellation of the thread. From within the handler of beats, that
// would leave a beat that never ends, and stop() would wait for it forever.
sigset_t all_but_faults() noexcept {
  sigset_t all;
  std::memset(&all, 0xff, sizeof all);  // sigfillset(3) leaves out the signal of pthread_cancel(3)
  // The kernel ends the program if a fault meets a blocked signal.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
  return all;
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &detail::beat_target_pool::on_signal;
}

// At the end of the program, or when the shared object with the library is unloaded. A beat that arrives
// later then does nothing; the signal's default action would end the process.
struct handler_end {
  ~handler_end() {
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    if (is_ours(now)) signal(number, SIG_IGN);
  }
  int number;
};

}  // namespace

int ext::beat_signal() { return detail::choose_beat_signal(); }

std::size_t detail::lacking_signal_stack() noexcept {
  // The walk through frames, and what the kernel puts there, which depends on the CPU's vector registers.
  constexpr std::size_t of_handler = 8 * 1024;
  const long of_kernel = sysconf(_SC_MINSIGSTKSZ);
  const std::size_t least = of_handler + static_cast<std::size_t>(std::max(of_kernel, 0L));
  stack_t now{};
  const bool has_one = sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0;
  return has_one && now.ss_size < least ? least : 0;
}

std::string detail::install_beat_handler() {
  const int number = choose_beat_signal();
  const no_fork guard;
  struct sigaction now{};
  sigaction(number, nullptr, &now);
  if (is_ours(now)) return {};
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) {
    return "signal " + std::to_string(number) +
           " has another handler already; set SENNIT_BEAT_SIGNAL to the number of one that nothing uses";
  }
  // The handler must fit even at the end of a strand's stack, so workers have a separate stack for signals.
  struct sigaction ours{};
  ours.sa_sigaction = &beat_target_pool::on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ours.sa_mask = all_but_faults();
  sigaction(number, &ours, nullptr);
  static const handler_end last{number};
  return {};
}

}  // namespace sennit
