// SPDX-License-Identifier: Apache-2.0
// Which threads run a signal handler of the program, in the checked variant: it stands between the kernel and
// the handlers.
#include "process/contract.hpp"

#if SENNIT_SEES_LOCKS

#include "system/replaced_function.hpp"

#include <signal.h>

#include <atomic>
#include <cstdint>

namespace {

// What the program has set.
struct handler {
  std::atomic<void*> function;
  std::atomic<int> flags;
};
constinit handler handlers[NSIG]{};

// A handler that runs: `frame` is an address on its stack.
struct running_handler {
  std::uintptr_t frame;
  running_handler* outer;
};
constinit thread_local running_handler* innermost [[gnu::tls_model("initial-exec")]] = nullptr;

int real_sigaction(int number, const struct sigaction* wanted, struct sigaction* before) noexcept {
  using function = int(int, const struct sigaction*, struct sigaction*);
  static const auto real = sennit::detail::replaced_function<function>("sigaction");
  return real(number, wanted, before);
}

void call_handler(int number, siginfo_t* info, void* context) noexcept {
  const handler& set = handlers[number];
  void* const function = set.function.load(std::memory_order_relaxed);
  running_handler here{reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), innermost};
  innermost = &here;
  if ((set.flags.load(std::memory_order_relaxed) & SA_SIGINFO) != 0) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(function)(number, info, context);
  } else {
    reinterpret_cast<void (*)(int)>(function)(number);
  }
  innermost = here.outer;
}

bool is_function(void (*handler)(int)) noexcept { return handler != SIG_DFL && handler != SIG_IGN; }

// What the kernel is told instead of what the program wants: call_handler(), which calls the program's
// function.
struct sigaction with_call_handler(const struct sigaction& wanted, handler& set) noexcept {
  struct sigaction now = wanted;
  if (!is_function(wanted.sa_handler)) return now;
  // Before the kernel knows of it: the signal may come at once.
  set.function.store(reinterpret_cast<void*>(wanted.sa_handler), std::memory_order_relaxed);
  set.flags.store(wanted.sa_flags, std::memory_order_relaxed);
  now.sa_sigaction = &call_handler;
  now.sa_flags |= SA_SIGINFO;
  return now;
}

bool has_call_handler(const struct sigaction& known) noexcept {
  return (known.sa_flags & SA_SIGINFO) != 0 && known.sa_sigaction == &call_handler;
}

}  // namespace

extern "C" {

SENNIT_EXPORT int sigaction(int number, const struct sigaction* wanted, struct sigaction* before) noexcept {
  if (number <= 0 || number >= NSIG) return real_sigaction(number, wanted, before);
  handler& set = handlers[number];
  void* const old_function = set.function.load(std::memory_order_relaxed);
  const int old_flags = set.flags.load(std::memory_order_relaxed);
  struct sigaction now{};
  if (wanted != nullptr) now = with_call_handler(*wanted, set);
  const int result = real_sigaction(number, wanted != nullptr ? &now : nullptr, before);
  if (result != 0) {
    set.function.store(old_function, std::memory_order_relaxed);
    set.flags.store(old_flags, std::memory_order_relaxed);
    return result;
  }
  if (before != nullptr && has_call_handler(*before)) {
    before->sa_handler = reinterpret_cast<void (*)(int)>(old_function);
    before->sa_flags = old_flags;
  }
  return 0;
}

SENNIT_EXPORT void (*signal(int number, void (*wanted)(int)) noexcept)(int) {
  struct sigaction now{};
  struct sigaction before{};
  now.sa_handler = wanted;
  now.sa_flags = SA_RESTART;
  return sigaction(number, &now, &before) == 0 ? before.sa_handler : SIG_ERR;
}
}

namespace sennit::detail {

bool in_signal_handler() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // One that was left by a jump has its frame below ours, or on another stack: the stack that it ran on has
  // no room for both.
  constexpr std::uintptr_t reach = std::uintptr_t{256} << 20;
  while (innermost != nullptr && (here > innermost->frame || innermost->frame - here > reach)) {
    innermost = nullptr;
  }
  return innermost != nullptr;
}

}  // namespace sennit::detail

#endif
