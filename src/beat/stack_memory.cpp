// SPDX-License-Identifier: Apache-2.0
#include "beat/stack_memory.hpp"

#include "beat/general_registers.hpp"
#include "worker/worker.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sennit::detail {

namespace {

constexpr std::uintptr_t page = 4096;
// Below the stack pointer, as functions may use it without saying so (psABI 3.2.2): there are the registers
// that a function has just popped.
constexpr std::uintptr_t red_zone = 128;
// Of system calls in one walk: so many pages are looked at.
constexpr unsigned most_looks = 256;

std::uintptr_t address_of(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

stack_memory::stack_memory(std::uintptr_t stack_pointer) noexcept
    : begin_(stack_pointer - red_zone), seen_(begin_ & ~(page - 1)), end_(UINTPTR_MAX) {
  const std::uintptr_t record = address_of(__builtin_thread_pointer());
  if (stack_pointer < record) end_ = record;
  worker* const w = worker::current();
  if (w == nullptr || !w->running().memory()) return;
  const stack& of_fiber = w->running().memory();
  if (begin_ < address_of(of_fiber.bottom()) || stack_pointer >= address_of(of_fiber.top())) return;
  seen_ = end_ = address_of(of_fiber.top());
}

bool stack_memory::has(std::uintptr_t address, std::size_t bytes) noexcept {
  const bool inside = address % sizeof(std::uintptr_t) == 0 && address >= begin_ && address <= end_ &&
                      bytes <= end_ - address;
  if (!inside) return false;
  while (seen_ < address + bytes) {
    if (++looks_ > most_looks || !readable(seen_)) return false;
    seen_ += page;
  }
  return true;
}

// The kernel copies the mask before it finds that there is no such operation.
bool readable(std::uintptr_t address) noexcept {
  const int kept = errno;
  constexpr int no_operation = -1;
  constexpr std::size_t kernels_mask = 8;
  const long result = syscall(SYS_rt_sigprocmask, no_operation, address, nullptr, kernels_mask);
  const bool fault = result != 0 && errno == EFAULT;
  errno = kept;
  return !fault;
}

SENNIT_GENERAL_REGISTERS std::uintptr_t load_word(const std::uintptr_t* word) noexcept {
  return *static_cast<const volatile std::uintptr_t*>(word);
}

SENNIT_GENERAL_REGISTERS void store_word(std::uintptr_t* word, std::uintptr_t value) noexcept {
  *static_cast<volatile std::uintptr_t*>(word) = value;
}

}  // namespace sennit::detail
