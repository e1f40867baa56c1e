// SPDX-License-Identifier: Apache-2.0
#include "system/barrier.hpp"

#include "system/relax.hpp"

#include <sennit/detail/config.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace sennit::detail {

namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

// These belong to the process, as its barriers do. A plugin with its own copy of the library has its own,
// which serve only that copy.
std::mutex running;                      // held while a barrier runs
std::atomic<barriers::ticket> begun{0};  // under `running`; read without it
std::atomic<barriers::ticket> ended{0};  // the same

// A filter of system calls was installed after the runtime had begun. Without barriers two workers might run one branch.
[[noreturn]] void refused() noexcept {
  std::fputs("sennit: the system refuses membarrier(), which it allowed as the runtime began: install "
             "filters of system "
             "calls before, or set SENNIT_BARRIER=fence\n",
             stderr);
  std::abort();
}

}  // namespace

bool membarrier_available() noexcept {
  // Registered once in a process. The kernel keeps the registration across fork.
  static const bool available = [] {
    const long commands = membarrier(MEMBARRIER_CMD_QUERY);
    return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
           membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  }();
  return available;
}

barriers::ticket barriers::now() const noexcept {
  // ORD[D45] seq_cst: all that this thread has stored is in memory before `begun` is read. A barrier that is
  // not counted in the ticket begins after that. Model: models/barrier.pml.
#if SENNIT_TSAN && !SENNIT_EXPLORED
  return begun.fetch_add(0, std::memory_order_seq_cst);  // TSan knows no fences
#else
  // ORD[D45] seq_cst: the same.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return begun.load(std::memory_order_relaxed);
#endif
}

void barriers::settle(ticket since) noexcept {
  // ORD[D45] acquire: what other threads had stored before the fences of a barrier that has ended; pairs with
  // the release below. Model: models/barrier.pml.
  if (ended.load(std::memory_order_acquire) > since) return;
  // A barrier is short, so spinning pays.
  for (int i = 0; !running.try_lock(); ++i) {
    // ORD[D45] acquire: as above.
    if (ended.load(std::memory_order_acquire) > since) return;
    if (i == 64) {
      running.lock();
      break;
    }
    relax();
  }
  const std::lock_guard guard(running, std::adopt_lock);
  const ticket number = begun.load(std::memory_order_relaxed) + 1;
  // A barrier that began after the ticket has ended, because its thread held the lock.
  if (number > since + 1) return;
  // ORD[D45] Before the kernel's fences, the first of which is this thread's own; a thread whose ticket does
  // not count this barrier had stored before. Model: models/barrier.pml.
  begun.store(number, std::memory_order_relaxed);
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) refused();
  // ORD[D45] release: see above.
  ended.store(number, std::memory_order_release);
  issued_.fetch_add(1, std::memory_order_relaxed);
  interrupts_.fetch_add(static_cast<std::uint64_t>(std::max(0, reach_.load(std::memory_order_relaxed))),
                        std::memory_order_relaxed);
}

void barriers::hold_for_fork() noexcept { running.lock(); }
void barriers::let_go_after_fork() noexcept { running.unlock(); }

}  // namespace sennit::detail
