// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/stack_overflow.hpp"

#include "process/fork_child.hpp"
#include "process/signal_stack.hpp"
#include "worker/worker.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace sennit::detail {

namespace {

struct handled {
  int signal;
  struct sigaction before;
};
handled handlers[] = {{SIGSEGV, {}}, {SIGBUS, {}}};
bool installed = false;  // under no_fork, as are the handlers

void say(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void say_number(std::size_t n) noexcept {
  char digits[20];
  char* first = std::end(digits);
  do {
    *--first = static_cast<char>('0' + n % 10);
    n /= 10;
  } while (n != 0);
  say({first, std::end(digits)});
}

void pass_on(handled& h, siginfo_t* info, void* context) noexcept {
  if ((h.before.sa_flags & SA_SIGINFO) != 0) {
    h.before.sa_sigaction(h.signal, info, context);
  } else if (h.before.sa_handler != SIG_DFL && h.before.sa_handler != SIG_IGN) {
    h.before.sa_handler(h.signal);
  } else {
    // The faulting instruction runs again and meets the default action; a signal that was sent is sent again.
    signal(h.signal, SIG_DFL);
    if (info->si_code <= 0) raise(h.signal);
  }
}

// Where the stack of the code that met the fault ended; null: not known.
const char* end_of_stack([[maybe_unused]] void* context) noexcept {
#if defined(__x86_64__)
  return reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.sp);
#else
  return nullptr;
#endif
}

// A pointer that has left what it was made for may come to the guard, too: from below, where the stack has room.
bool overflowed(const stack& memory, const void* address, void* context) noexcept {
  const char* const middle = static_cast<const char*>(memory.top()) - memory.size() / 2;
  return memory.guards(address) && end_of_stack(context) < middle;
}

void on_fault(int number, siginfo_t* info, void* context) noexcept {
  worker* const w = worker::current();
  if (w != nullptr && overflowed(w->running().memory(), info->si_addr, context)) {
    // In MiB, or KiB below one.
    const std::size_t kilobytes = w->running().memory().size() >> 10;
    say("sennit: stack overflow: a strand needed more than the ");
    say_number(kilobytes < 1024 ? kilobytes : kilobytes >> 10);
    say(kilobytes < 1024 ? " KiB" : " MiB");
    say(" of stack that its fiber has.\n"
        "sennit: set a larger one with SENNIT_STACK (4G, say: what is not touched costs nothing) or "
        "runtime_options::stack_bytes.\n");
  }
  // Relaxed: see call_stack.
  if (const auto of_calls = overflow_of_calls.load(std::memory_order_relaxed)) {
    if (const char* const text = of_calls(info->si_addr)) say(text);
  }
  for (handled& h : handlers) {
    if (h.signal == number) pass_on(h, info, context);
  }
}

}  // namespace

constinit std::atomic<const char* (*)(const void*) noexcept> overflow_of_calls{nullptr};

void install_overflow_handler() noexcept {
  const no_fork guard;
  if (installed) return;
  installed = true;
  prepare_signal_stacks();  // now: a guard of a static object must not be held at a fork
  for (handled& h : handlers) {
    struct sigaction ours{};
    ours.sa_sigaction = &on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(h.signal, &ours, &h.before);
  }
}

void remove_overflow_handler() noexcept {
  const no_fork guard;
  if (!installed) return;
  installed = false;
  leave_signal_stacks();
  for (const handled& h : handlers) {
    struct sigaction now{};
    sigaction(h.signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &on_fault)
      sigaction(h.signal, &h.before, nullptr);
  }
}

}  // namespace sennit::detail
