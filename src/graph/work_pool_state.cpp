// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"
#include "fork/views.hpp"
#include "policy/colored_steals.hpp"
#include "policy/patience.hpp"
#include "system/nanoseconds.hpp"
#include "system/relax.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/work_pool_state.hpp>

#include <sched.h>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace sennit::detail {

void work_pool_state::fail(std::exception_ptr why) noexcept {
  const std::lock_guard guard(merging_);
  if (failure_ == nullptr) failure_ = std::move(why);
  stop();
}

void work_pool_state::throw_failure() {
#if SENNIT_EXCEPTIONS
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
#endif
  throw_cancelled();
}

bool work_pool_state::cancelled() noexcept {
  if (can_throw_ && detail::stopped(*worker::current())) stop();
  return stopped();
}

void work_pool_state::answer() noexcept {
  // In an observed region, what is done where would depend on who happens to wait.
  if (current_tls().cursor == nullptr) (void)answer_gates(*worker::current());
}

queue_part* work_pool_state::cut(const item_range& range) noexcept {
  queue_part* const part = queue_part::make_at_hand(*this, run_part_, range);
  // Before anybody can run it, and end.
  if (part != nullptr) at_work_.fetch_add(1, std::memory_order_relaxed);
  return part;
}

worker* work_pool_state::claim_idle(color_kind of, color_set colors) noexcept {
  runtime_core& core = worker::current()->core();
  core.coloring().remove_idle(of, colors);
  const region_state* const region = worker::current()->frames().innermost()->region;
  const unsigned count = core.numbered_workers();
  for (unsigned i = 0; i < count; ++i) {
    worker& other = core.numbered(i);
    if ((color_of(other, of) & colors) == 0 || !other.frames().wish().now().admits(region)) continue;
    if (!other.claim_idle()) continue;
    core.coloring().add_idle(of, colors);  // there may be more
    return &other;
  }
  return nullptr;
}

const std::atomic<color_set>& work_pool_state::idle_colors(color_kind of) noexcept {
  return worker::current()->core().coloring().idle(of);
}

color_set work_pool_state::color_of(const worker& w, color_kind of) noexcept {
  return color_bit(w.core().color_of(w, of));
}

color_set work_pool_state::own_color(color_kind of) noexcept {
  return current_tls().cursor != nullptr ? all_colors : color_of(*worker::current(), of);
}

color_set work_pool_state::bits_of_neighbors(worker* w, color_kind of) noexcept {
  if (current_tls().cursor != nullptr) return all_colors;
  const worker& one = w != nullptr ? *w : *worker::current();
  return one.core().bits_of_neighbors(one, of);
}

void work_pool_state::ran_out(double patience, std::uint64_t own, std::uint64_t items,
                              std::uint64_t took_ns) noexcept {
  if (const std::uint64_t wait = policy::ns_for_own_color(patience, own, items, took_ns); wait != 0)
    worker::current()->take_own_only_until(now_ns() + wait);
}

frame* work_pool_state::join(const posted_work& run, worker& by) noexcept {
  if (stopped()) return nullptr;
  void* const room = by.at_hand().take(sizeof(queue_part));
  if (room == nullptr) return nullptr;
  std::intptr_t at_work = at_work_.load(std::memory_order_relaxed);
  // Once nobody is at work, the strand that began the pool may end it. Relaxed: the lock of the runs orders what it wrote.
  do {
    if (at_work == 0) {
      by.at_hand().give_back(room, sizeof(queue_part));
      return nullptr;
    }
  } while (!at_work_.compare_exchange_weak(at_work, at_work + 1, std::memory_order_relaxed));
  auto* const strand = ::new (room) queue_part(*this, run_part_, {});
  strand->mark_stolen(run.region_).colors = all_colors;
  return strand;
}

const void* work_pool_state::stack_here() noexcept { return current_tls().gate; }

std::uint64_t work_pool_state::now_ns() noexcept { return detail::now_ns(); }

void work_pool_state::pause_for_others(unsigned attempt) noexcept {
  using policy::patience;
  constexpr unsigned others = 1;  // it looks at one queue
  constexpr unsigned rounds = patience::spin_rounds(others) + patience::yield_rounds(others);
  if (patience::search(others).after(attempt % rounds) == patience::step::spin) {
    relax();
  } else {
    sched_yield();
  }
}

void work_pool_state::donate(queue_part& part, color_set colors, worker& to) noexcept {
  at_work_.fetch_add(1, std::memory_order_relaxed);
  const scope& here = *worker::current()->frames().innermost();
  part.mark_stolen(here.region, here.strand).colors = colors;
  to.take_in(part);
}

void work_pool_state::donate_for(frame_with_state& part, worker& to, bool kept) noexcept {
  at_work_.fetch_add(1, std::memory_order_relaxed);
  const scope& here = *worker::current()->frames().innermost();
  part.mark_stolen(here.region, here.strand).kept = kept;
  to.take_in(part);
}

void work_pool_state::begin_again() noexcept {
  at_work_.store(1, std::memory_order_relaxed);
  std::construct_at(&done_);
}

fiber* work_pool_state::leave(frame& part) noexcept {
  leave_branch(part);
  if (view* const added = part.stolen().views; added != nullptr) {
    view* last = added;
    while (last->next != nullptr) last = last->next;
    const std::lock_guard guard(merging_);
    last->next = std::exchange(views_, added);
  }
  // ORD[D23] acq_rel: release publishes what this part did to await_all(), by way of those that leave after
  // it; acquire passes on what those that left before it did. Pairs with itself and with await_all().
  return at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1 ? done_.finish() : nullptr;
}

void work_pool_state::await_all() noexcept {
  // ORD[D23] acq_rel: acquire: what all parts did; pairs with the release in leave(). If some are still at work, the
  // last of them says so through done_. Release: what this strand did, for is_alone().
  if (at_work_.fetch_sub(1, std::memory_order_acq_rel) != 1) worker::wait(done_, 1);
  append_views(std::exchange(views_, nullptr));
}

}  // namespace sennit::detail
