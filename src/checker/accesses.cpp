// SPDX-License-Identifier: Apache-2.0
#include "checker/accesses.hpp"

#include "checker/flow_check.hpp"
#include "checker/report.hpp"
#include "checker/splice_check.hpp"
#include "splice/checking.hpp"

#include <utility>

namespace sennit::checker {

constinit std::atomic<unsigned> splices_checked{0};

namespace {

thread_local bool busy = false;

// The checker does not examine its own accesses and allocations.
class reentry_guard {
 public:
  reentry_guard() noexcept : outermost_(!std::exchange(flag(), true)) {}
  ~reentry_guard() {
    if (outermost_) flag() = false;
  }
  reentry_guard(const reentry_guard&) = delete;
  reentry_guard& operator=(const reentry_guard&) = delete;
  bool outermost() const noexcept { return outermost_; }

 private:
  [[gnu::noinline]] static bool& flag() noexcept {
    bool* here = &busy;
    asm volatile("" : "+r"(here));
    return *here;
  }
  const bool outermost_;
};

std::uintptr_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

void run_checked(std::uint32_t first, std::uint32_t count,
                 void (*begin)(const void*, std::uint32_t, detail::spliced_call&), const void* object,
                 detail::splice_log* log, splice_report& report) {
  splice_check check;
  check.run(first, count, begin, object, log, report);
}

}  // namespace

void examine(const volatile void* address, std::size_t bytes, bool written, const void* after) noexcept {
  const reentry_guard guard;
  if (!guard.outermost() || bytes == 0) return;
  if (splice_check* const step = splice_check::of_step(number(__builtin_frame_address(0)))) {
    step->in_step(number(address), bytes, written, after);
  } else if (splice_check* const call = splice_check::of_call()) {
    call->in_call(number(address), bytes, written, after);
  }
}

void note_allocation(const void* block, std::size_t bytes) noexcept {
  const reentry_guard guard;
  if (!guard.outermost()) return;
  if (splice_check* const step = splice_check::of_step(number(__builtin_frame_address(0)))) {
    step->allocated_in_step(number(block), bytes);
  } else if (splice_check* const call = splice_check::of_call()) {
    call->allocated_in_call(number(block), bytes);
  }
}

void note_release(const void* block) noexcept {
  const reentry_guard guard;
  if (!guard.outermost()) return;
  if (splice_check* const step = splice_check::of_step(number(__builtin_frame_address(0)))) {
    step->released(number(block));
  } else if (splice_check* const call = splice_check::of_call()) {
    call->released(number(block));
  }
}

void install() noexcept {
  take_allocation();
  detail::checks_tasks = check_flow;
  if (std::exchange(detail::instead_of_splicer, run_checked) == nullptr) conclude_at_exit();
}

}  // namespace sennit::checker
