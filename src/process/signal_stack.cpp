// SPDX-License-Identifier: Apache-2.0
#include "process/signal_stack.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace sennit::detail {

namespace {

constinit thread_local bool has_signal_stack [[gnu::tls_model("initial-exec")]] = false;

std::size_t signal_stack_bytes() noexcept {
  const long least = sysconf(_SC_SIGSTKSZ);
  constexpr std::size_t for_other_handlers = 64 * 1024;
  return for_other_handlers + (least > 0 ? static_cast<std::size_t>(least) : 0);
}

// Unmapped when its thread ends. A pthread key rather than a thread_local with a destructor:
// the latter would keep a shared object that holds this library from being unloaded.
pthread_key_t signal_stack_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, [](void* memory) {
      stack_t off{};
      off.ss_flags = SS_DISABLE;
      sigaltstack(&off, nullptr);
      munmap(memory, signal_stack_bytes());
    });
    return made;
  }();
  return key;
}

}  // namespace

void prepare_signal_stacks() noexcept { signal_stack_key(); }

// Such threads must not run the library's code at their end.
void leave_signal_stacks() noexcept { pthread_key_delete(signal_stack_key()); }

void ensure_signal_stack() noexcept {
  if (has_signal_stack) return;
  has_signal_stack = true;
  stack_t now{};
  if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return;
  void* const memory =
      mmap(nullptr, signal_stack_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t alternate{};
  alternate.ss_sp = memory;
  alternate.ss_size = signal_stack_bytes();
  sigaltstack(&alternate, nullptr);
  pthread_setspecific(signal_stack_key(), memory);
}

}  // namespace sennit::detail
