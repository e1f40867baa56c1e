#include "core/barrier.hpp"

#include "core/failure.hpp"

#include <sennit/detail/config.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

namespace sennit::detail {

namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

bool membarrier_available() noexcept {
  // Registered once a process; the kernel keeps it across fork.
  static const bool available = [] {
    const long commands = membarrier(MEMBARRIER_CMD_QUERY);
    return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
           membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  }();
  return available;
}

void membarrier_all() noexcept { membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

steal_barrier resolve(steal_barrier asked) {
  if (asked == steal_barrier::membarrier && !membarrier_available()) {
    fail<std::invalid_argument>("sennit: barrier=membarrier (SENNIT_BARRIER or runtime_options::barrier) was "
                                "asked for, but the kernel refuses "
                                "the expedited membarrier; use `automatic` or `fence`");
  }
  if (asked != steal_barrier::automatic) return asked;
  // ThreadSanitizer does not model a barrier that other threads are made to execute;
  // it understands the fence variant.
  if (SENNIT_TSAN) return steal_barrier::fence;
  return membarrier_available() ? steal_barrier::membarrier : steal_barrier::fence;
}

}  // namespace sennit::detail
