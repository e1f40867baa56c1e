// SPDX-License-Identifier: Apache-2.0
#include "stack/fiber.hpp"

#include "stack/float_environment.hpp"
#include "stack/strand_state.hpp"
#include "system/sanitizers.hpp"

#include <sennit/detail/assert.hpp>

#include <boost/context/detail/fcontext.hpp>
#include <cxxabi.h>

#include <utility>

namespace sennit::detail {

namespace context = boost::context::detail;

// The globals' address is that of the running thread, and the ABI's declaration says `const`:
// the compiler would reuse it after a switch. A call it cannot see through asks anew.
[[gnu::noinline]] exception_state& current_exceptions() noexcept {
  void* globals = abi::__cxa_get_globals();
  asm volatile("" : "+r"(globals));
  return *static_cast<exception_state*>(globals);
}

// On the stack of the fiber that is left, and read on the other one.
struct fiber::passage {
  fiber& from;
  fiber& to;
  void (*then)(fiber&, void*) noexcept;
  void* argument;

  // The first thing that runs on the stack of `to`.
  static void arrive(context::transfer_t transfer) noexcept {
    const passage& p = *static_cast<passage*>(transfer.data);
#if SENNIT_ASAN
    __sanitizer_finish_switch_fiber(p.to.sanitizer_, &p.from.stack_bottom_, &p.from.stack_size_);
#endif
    exception_state& globals = current_exceptions();
    p.from.exceptions_ = globals;
    globals = p.to.exceptions_;
    p.from.views_ = exchange_views(p.to.views_);
    p.from.cursor_ = exchange_cursor(p.to.cursor_);
    p.from.setting_ = exchange_setting(p.to.setting_);
    p.to.find_gate();
    p.from.context_ = transfer.fctx;
    // Publishes p.from: p may be gone when it returns.
    p.then(p.from, p.argument);
  }
};

struct fiber_entry {
  static void start(context::transfer_t transfer) noexcept {
    void (*const entry)() noexcept = static_cast<fiber::passage*>(transfer.data)->to.entry_;
    fiber::passage::arrive(transfer);
    entry();
  }
};

void fiber::find_gate() noexcept {
  worker_tls& tls = current_tls();
  gate = &tls.limit;
  tls.gate = &gate;
}

fiber::fiber() noexcept {
#if SENNIT_TSAN
  sanitizer_ = __tsan_get_current_fiber();
#endif
}

fiber::fiber(std::size_t stack_bytes, void (*entry)() noexcept) noexcept
    : stack_(stack::reserve(stack_bytes)), entry_(entry) {
  if (!stack_) return;
  context_ = context::make_fcontext(stack_.top(), stack_.size(), &fiber_entry::start);
  stack_bottom_ = stack_.bottom();
  stack_size_ = stack_.size();
#if SENNIT_TSAN
  sanitizer_ = __tsan_create_fiber(0);
#endif
}

#if SENNIT_ASAN
// The tool frees the fake stack of a fiber that leaves for good. Ours end while they are suspended: to the
// tool, the fiber runs for a moment here. Instrumented, this function would use the fake stack it frees.
[[gnu::noinline, gnu::no_sanitize_address]] void fiber::end_fake_stack() noexcept {
  void* here = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_start_switch_fiber(&here, stack_bottom_, stack_size_);
  __sanitizer_finish_switch_fiber(sanitizer_, &bottom, &size);
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
  __sanitizer_finish_switch_fiber(here, nullptr, nullptr);
}
#endif

fiber::~fiber() {
#if SENNIT_ASAN
  if (entry_ != nullptr && sanitizer_ != nullptr) end_fake_stack();
#elif SENNIT_TSAN
  if (entry_ != nullptr && sanitizer_ != nullptr) __tsan_destroy_fiber(sanitizer_);
#endif
}

void fiber::switch_to(fiber& to, void (*then)(fiber&, void*) noexcept, void* argument) noexcept {
  SENNIT_ASSERT(&to != this);
  SENNIT_ASSERT(to.context_ != nullptr);  // it is suspended, and nobody else resumes it
  passage p{*this, to, then, argument};
#if SENNIT_ASAN
  __sanitizer_start_switch_fiber(&sanitizer_, to.stack_bottom_, to.stack_size_);
#elif SENNIT_TSAN
  __tsan_switch_to_fiber(to.sanitizer_, 0);
#endif
  const kept_float_environment kept;
  passage::arrive(context::jump_fcontext(std::exchange(to.context_, nullptr), &p));
}

}  // namespace sennit::detail
