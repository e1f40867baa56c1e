// SPDX-License-Identifier: Apache-2.0
#include "checker/splice_check.hpp"

#include "checker/accesses.hpp"
#include "splice/call_stack.hpp"
#include "splice/checking.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/effects_access.hpp>
#include <sennit/detail/failure.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace sennit::checker {

namespace {

using detail::arrival;
using detail::call_stack;

// The splices that are running, found by the stack of their strand: within a step, a strand may move to
// another thread.
struct under_way {
  // All relaxed: a strand that finds its own stack here has written these values itself, and other strands
  // only compare. While one of the bounds has the value for "no splice", no strand finds this one.
  std::atomic<std::uintptr_t> bottom{UINTPTR_MAX};
  std::atomic<std::uintptr_t> top{0};
  std::atomic<splice_check*> check{nullptr};
};
constexpr std::size_t most_splices = 64;
constinit std::array<under_way, most_splices> slots;
constinit std::mutex slots_lock;

thread_local splice_check* check_of_call = nullptr;

// Not inlined: the strand may be on another thread at each call.
[[gnu::noinline]] splice_check*& check_on_this_thread() noexcept {
  splice_check** here = &check_of_call;
  asm volatile("" : "+r"(here));
  return *here;
}

std::uintptr_t number(const volatile void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

under_way* slot_of(std::uintptr_t frame) noexcept {
  for (under_way& s : slots) {
    if (frame < s.top.load(std::memory_order_relaxed) && frame >= s.bottom.load(std::memory_order_relaxed))
      return &s;
  }
  return nullptr;
}

// Variables with one instance for each thread.
bool is_thread_local(std::uintptr_t address, std::size_t bytes) noexcept {
  struct sought {
    std::uintptr_t first;
    std::uintptr_t last;
  } where{address, address + bytes};
  auto look = [](dl_phdr_info* module, std::size_t, void* data) {
    const auto& at = *static_cast<const sought*>(data);
    if (module->dlpi_tls_data == nullptr) return 0;
    const std::uintptr_t begin = number(module->dlpi_tls_data);
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type == PT_TLS && begin <= at.first && at.last <= begin + segment.p_memsz) return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(look, &where) != 0;
}

// Where the library's headers write forks.
bool is_deque(std::uintptr_t address) noexcept {
  detail::worker* const w = detail::worker::current();
  return w != nullptr && address >= number(w->frames().bottom()) && address <= number(detail::load_tail());
}

bool holds(const call_stack* s, std::uintptr_t address, std::size_t bytes) noexcept {
  return s != nullptr && address >= number(s->memory().bottom()) &&
         address + bytes <= number(s->memory().top());
}

struct walked_stack {
  fault* to;
  std::uintptr_t top;
  const void* from;
};
_Unwind_Reason_Code note_caller(_Unwind_Context* at, void* data) {
  auto& walked = *static_cast<walked_stack*>(data);
  fault& f = *walked.to;
  const std::uintptr_t behind = _Unwind_GetIP(at);
  const void* const code = reinterpret_cast<const void*>(behind - 1);
  if (behind == 0 || _Unwind_GetCFA(at) > walked.top || f.depth == fault::most_callers)
    return _URC_END_OF_STACK;
  // The checker's own frames come first.
  if (f.depth > 1 || walked.from == nullptr) {
    f.callers[f.depth++] = code;
  } else if (code == walked.from) {
    walked.from = nullptr;
  }
  return _URC_NO_REASON;
}

}  // namespace

splice_check::splice_check() {
  const detail::stack& memory = detail::worker::current()->running().memory();
  const std::uintptr_t here = number(__builtin_frame_address(0));
  const std::lock_guard guard(slots_lock);
  under_way* slot = slot_of(here);
  if (slot == nullptr) {
    slot = std::find_if(slots.begin(), slots.end(), [](const under_way& s) {
      return s.check.load(std::memory_order_relaxed) == nullptr;
    });
    if (slot == slots.end()) {
      detail::fail<std::runtime_error>(
          "sennit: the effect checker checks at most 64 splices at the same time");
    }
  }
  slot_ = static_cast<std::size_t>(slot - slots.data());
  around_ = slot->check.load(std::memory_order_relaxed);
  stack_bottom_ = number(memory.bottom());
  stack_top_ = number(memory.top());
  slot->check.store(this, std::memory_order_relaxed);
  slot->bottom.store(stack_bottom_, std::memory_order_relaxed);
  slot->top.store(stack_top_, std::memory_order_relaxed);
  splices_checked.fetch_add(1, std::memory_order_relaxed);
}

splice_check::~splice_check() {
  const std::lock_guard guard(slots_lock);
  under_way& slot = slots[slot_];
  slot.check.store(around_, std::memory_order_relaxed);
  if (around_ == nullptr) {
    slot.top.store(0, std::memory_order_relaxed);
    slot.bottom.store(UINTPTR_MAX, std::memory_order_relaxed);
  }
  splices_checked.fetch_sub(1, std::memory_order_relaxed);
}

splice_check* splice_check::of_step(std::uintptr_t frame) noexcept {
  under_way* const slot = slot_of(frame);
  if (slot == nullptr) return nullptr;
  splice_check* const check = slot->check.load(std::memory_order_relaxed);
  return check != nullptr && frame < check->step_frame_ ? check : nullptr;
}

splice_check* splice_check::of_call() noexcept {
  splice_check* const check = check_on_this_thread();
  return check != nullptr && holds(call_stack::running(), number(__builtin_frame_address(0)), 1) ? check
                                                                                                 : nullptr;
}

// --- The order of the loop.

template <class F>
auto splice_check::outside(checked_call& c, F&& f) {
  checked_call* const before = std::exchange(call_, &c);
  splice_check* const outer = std::exchange(check_on_this_thread(), this);
  const auto result = f();
  check_on_this_thread() = outer;
  call_ = before;
  report_faults();
  return result;
}

void splice_check::run(std::uint32_t first, std::uint32_t count,
                       void (*begin)(const void*, std::uint32_t, detail::spliced_call&), const void* object,
                       detail::splice_log* log, splice_report& report) {
  log_ = log;
  // A body that declares nothing has run when it was begun. That is its right place in the order if all
  // bodies before it have run, too.
  bool in_turn = true;
  for (std::uint32_t i = 0; i < count && !(in_turn && i > 0 && roots_.back()->failure); ++i) {
    checked_call& root = *roots_.emplace_back(std::make_unique<checked_call>());
    root.iteration = i;
    outside(root, [&] { return detail::begin_root(begin, object, first + i, root), true; });
    in_turn = in_turn && detail::accept_as_run(root);
  }
  all_begun_ = true;
  for (const early_read& read : early_) {
    if (others_write(*read.by, read.where)) {
      add_fault(rule::outside, 0, nullptr, false, read.where, read.where.last - read.where.first, read.after);
    }
  }
  report_faults();
  std::exception_ptr failure;
  for (const auto& root : roots_) {
    if (failure) {
      root->kind->drop(*root);
      continue;
    }
    walk(*root);
    failure = root->failure;
  }
  report.steps += steps_;
#if SENNIT_EXCEPTIONS
  if (failure) std::rethrow_exception(failure);
#endif
}

void splice_check::walk(checked_call& c) {
  for (;;) {
    switch (outside(c, [&] { return c.kind->advance(c); })) {
      case arrival::step:
      case arrival::slice: run_step(c); break;
      case arrival::sequence: walk_parts(c); break;
      case arrival::end: return;
    }
  }
}

void splice_check::walk_parts(checked_call& c) {
  std::optional<effects> follows;
  if (c.afterwards != nullptr) follows = *c.afterwards;
  for (std::uint32_t i = 0;; ++i) {
    auto part = std::make_unique<checked_call>();
    part->around = &c;
    part->iteration = c.iteration;
    part->index = i;
    if (!next_part(c, *part)) break;
    c.parts.push_back(std::move(part));
  }
  for (const auto& part : c.parts) {
    if (c.failure) {
      part->kind->drop(*part);
    } else {
      walk(*part);
      c.failure = part->failure;
      if (c.failure) c.own.take(part->own);
    }
  }
  c.parts.clear();
  c.follows = std::move(follows);
}

bool splice_check::next_part(checked_call& whole, checked_call& part) {
  return outside(part, [&] {
#if SENNIT_EXCEPTIONS
    // The existing calls will then not be walked.
    try {
      return whole.kind->next_part(whole, part, part.index);
    } catch (...) {
      whole.failure = std::current_exception();
      return false;
    }
#else
    return whole.kind->next_part(whole, part, part.index);
#endif
  });
}

// Not inlined: everything below its frame belongs to the step.
[[gnu::noinline]] void splice_check::run_step(checked_call& c) {
  ++steps_;
  call_ = &c;
  set_limits();
  step_frame_ = number(__builtin_frame_address(0));
#if SENNIT_EXCEPTIONS
  try {
    c.kind->run(c);
  } catch (...) {
    c.failure = std::current_exception();
    // The exception, and what is in it, belong to the functions that it is thrown through.
    c.own.take(step_own_);
  }
#else
  c.kind->run(c);
#endif
  step_frame_ = 0;
  if (log_ != nullptr && !c.failure) log_->note(c);
  report_faults();
  step_own_.clear();
}

void splice_check::set_limits() {
  limits_.clear();
  accepted_[0] = accepted_[1] = {};
  limits_.push_back({rule::step, 0, call_->now});
  unsigned out = 0;
  for (const checked_call* c = call_; c != nullptr; c = c->around, ++out) {
    if (c->follows) limits_.push_back({rule::afterwards, out, &*c->follows});
    if (c != call_ || !c->one_step || c->rest != nullptr) limits_.push_back({rule::call, out, &c->all});
  }
}

// --- Accesses.

bool splice_check::is_own(std::uintptr_t address, std::size_t bytes) const noexcept {
  return (address >= stack_bottom_ && address + bytes <= step_frame_) || step_own_.have(address, bytes) ||
         holds(detail::stack_of(*call_), address, bytes) || call_->own.have(address, bytes) ||
         is_deque(address) || is_thread_local(address, bytes);
}

void splice_check::in_step(std::uintptr_t address, std::size_t bytes, bool written, const void* after) {
  const bytes_of where{address, address + bytes};
  bytes_of& accepted = accepted_[written ? 1 : 0];
  if (around_ == nullptr && accepted.first <= where.first && where.last <= accepted.last) return;
  bytes_of around = {0, UINTPTR_MAX};
  bool allowed = true;
  bool by_hull = false;
  for (const limit& l : limits_) {
    const bytes_of missing = missing_in(*l.allowed, where, written, &around, &by_hull);
    if (missing.none()) continue;
    allowed = false;
    // A read of data that no code writes need not wait.
    const bool harmless = !written && !written_by_hull_.overlap(missing.first, missing.last) &&
                          std::none_of(roots_.begin(), roots_.end(),
                                       [&](const auto& root) { return is_written(root->all, missing); });
    if (harmless) continue;
    if (is_own(address, bytes)) break;
    add_fault(l.what, l.calls_out, l.allowed, written, missing, bytes, after);
    break;
  }
  if (allowed) accepted = around;
  if (by_hull) {
    note_region_by_hull();
    const bool own =
        (address >= stack_bottom_ && where.last <= step_frame_) || step_own_.have(address, bytes);
    if (allowed && written && !own) written_by_hull_.add(where.first, where.last);
  }
  if (around_ != nullptr) around_->in_step(address, bytes, written, after);
}

void splice_check::in_call(std::uintptr_t address, std::size_t bytes, bool written, const void* after) {
  const bytes_of where{address, address + bytes};
  if (holds(call_stack::running(), address, bytes) || call_->own.have(address, bytes)) return;
  if (written) {
    if (!is_thread_local(address, bytes)) add_fault(rule::outside, 0, nullptr, true, where, bytes, after);
  } else if (!all_begun_) {
    // This number is enough to find the place.
    if (early_.size() < 4096) early_.push_back({where, after, call_});
  } else if (others_write(*call_, where)) {
    add_fault(rule::outside, 0, nullptr, false, where, bytes, after);
  }
}

void splice_check::allocated_in_step(std::uintptr_t block, std::size_t bytes) {
  step_own_.add(block, bytes);
  if (around_ != nullptr) around_->allocated_in_step(block, bytes);
}

void splice_check::released(std::uintptr_t block) {
  step_own_.remove(block);
  for (checked_call* c = call_; c != nullptr; c = c->around) c->own.remove(block);
  if (around_ != nullptr) around_->released(block);
}

// The bytes that are in no region, from the first to the last. Reduces `accepted` to the bytes in the same
// contiguous region.
splice_check::bytes_of splice_check::missing_in(const effects& allowed, bytes_of where, bool written,
                                                bytes_of* accepted, bool* by_hull) {
  if (allowed.is_everything()) return {};
  bool any = false;
  for (std::uint32_t i = 0; i < detail::effects_access::size(allowed); ++i) {
    const detail::region_view a = detail::effects_access::region(allowed, i);
    if (written && !a.written) continue;
    if (a.has(where.first, where.last - where.first)) {
      *by_hull = *by_hull || !a.exact();
      const hull all = a.contiguous() ? a.where : hull{where.first, where.last};
      *accepted = {std::max(accepted->first, all.first), std::min(accepted->last, all.last)};
      return {};
    }
    any = any || (a.where.first < where.last && where.first < a.where.last);
  }
  if (!any || where.last - where.first == 1) return where;
  // One region may have a part of the bytes, and another region the rest.
  *accepted = {};
  const std::uintptr_t middle = where.first + (where.last - where.first) / 2;
  const bytes_of low = missing_in(allowed, {where.first, middle}, written, accepted, by_hull);
  const bytes_of high = missing_in(allowed, {middle, where.last}, written, accepted, by_hull);
  *accepted = {};
  if (low.none()) return high;
  if (high.none()) return low;
  return {low.first, high.last};
}

// Bytes in the hull of a region without known addresses may belong to no element. Of such bytes, only those
// that have been written count.
bool splice_check::is_written(const effects& by, bytes_of where) {
  for (std::uint32_t i = 0; i < detail::effects_access::size(by); ++i) {
    const detail::region_view a = detail::effects_access::region(by, i);
    if (!a.written || !a.exact()) continue;
    const bytes_of both{std::max(where.first, a.where.first), std::min(where.last, a.where.last)};
    if (a.contiguous() && !both.none()) return true;
    for (std::uintptr_t at = both.first; at < both.last; ++at) {
      if (a.has(at, 1)) return true;
    }
  }
  return false;
}

bool splice_check::others_write(const checked_call& reader, bytes_of where) const {
  for (const auto& root : roots_) {
    if (root->iteration != reader.iteration && is_written(root->all, where)) return true;
  }
  for (const checked_call* c = &reader; c->around != nullptr; c = c->around) {
    for (const auto& part : c->around->parts) {
      if (part.get() != c && is_written(part->all, where)) return true;
    }
  }
  return false;
}

void splice_check::add_fault(rule broken, unsigned calls_out, const effects* has, bool written,
                             bytes_of missing, std::size_t bytes, const void* after) {
  // An address within the call instruction: the instruction behind it may belong to another line.
  const void* const code = static_cast<const char*>(after) - 1;
  const position lies = position_of(missing.first, missing.last, written, has);
  for (fault& f : faults_) {
    if (f.callers[0] != code || f.broken != broken || f.written != written || f.has != has || f.lies != lies)
      continue;
    f.first = std::min(f.first, missing.first);
    f.last = std::max(f.last, missing.last);
    ++f.accesses;
    return;
  }
  fault& f = faults_.emplace_back(
      fault{broken, written, calls_out, has, lies, missing.first, missing.last, bytes, 1, {code}, 1});
  walked_stack callers{&f, step_frame_ != 0 ? step_frame_ : UINTPTR_MAX, code};
  _Unwind_Backtrace(note_caller, &callers);
}

void splice_check::report_faults() { report(std::exchange(faults_, {})); }

}  // namespace sennit::checker
