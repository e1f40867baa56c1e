// SPDX-License-Identifier: Apache-2.0
#include "fork/answer.hpp"
#include "fork/views.hpp"
#include "observe/trace_cursor.hpp"
#include "policy/keeping.hpp"
#include "system/nanoseconds.hpp"
#include "worker/runtime_core.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/failure.hpp>
#include <sennit/detail/pipeline/strand.hpp>

#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace sennit::detail {

namespace {

constexpr std::size_t items_for_each_worker = 4;

}  // namespace

bool pipeline_state::is_observed() noexcept {
  trace_cursor* const cursor = current_tls().cursor;
  return cursor != nullptr && cursor->by().keeps_positions();
}

std::size_t pipeline_state::default_most_alive() noexcept {
  return items_for_each_worker * worker::current()->core().worker_count();
}

pipeline_state::~pipeline_state() {
  while (unused_frames_ != nullptr) delete std::exchange(unused_frames_, unused_frames_->older);
}

void pipeline_state::run() {
  count(1);
  std::intptr_t counts = 0;
  {
    pipeline_strand own(*this);
    go_on(own, nullptr);
    counts = own.counts();
  }
  // ORD[D72] acquire: what all strands did; pairs with the release in leave(). If some are still at work, the
  // last of them says so through done_. No other strand needs what this one did.
  if (at_work_.fetch_sub(counts, std::memory_order_acquire) != counts) worker::wait(done_, 1);
  append_views(std::exchange(views_, nullptr));
}

fiber* pipeline_frame::run_elsewhere(frame& base) noexcept {
  auto& self = static_cast<pipeline_frame&>(base);
  pipeline_state& whole = self.whole_;
  std::intptr_t counts = 0;
  const bool keeps = whole.begin_elsewhere();
  {
    pipeline_strand own(whole);
    whole.go_on(own, self.work);
    counts = own.counts();
  }
  if (keeps) worker::current()->frames().promotions().keep_no_longer();
  return whole.leave(self, counts);
}

bool pipeline_state::begin_elsewhere() noexcept {
  const std::uint64_t now = now_ns();
  const std::uint64_t abandoned = abandoned_ns_.exchange(0, std::memory_order_relaxed);
  lost_.fetch_sub(1, std::memory_order_relaxed);
  const std::uint64_t keep = policy::keep_for(keep_ns_.load(std::memory_order_relaxed),
                                              abandoned != 0 && abandoned < now ? now - abandoned : 0);
  keep_ns_.store(keep, std::memory_order_relaxed);
  if (keep < policy::shortest_keep_ns) return false;
  worker::current()->frames().promotions().keep(now, now + keep);
  return true;
}

void pipeline_state::lost(std::intptr_t frames) noexcept {
  if (lost_.fetch_add(frames, std::memory_order_relaxed) + frames > 0)
    abandoned_ns_.store(now_ns(), std::memory_order_relaxed);
}

fiber* pipeline_state::leave(pipeline_frame& own, std::intptr_t counts) noexcept {
  leave_branch(own);
  {
    view* const added = own.stolen().views;
    const std::lock_guard guard(lock_);
    views_ = chain_views(added, views_);
    own.older = std::exchange(unused_frames_, &own);
  }
  // ORD[D72] acq_rel: release publishes what this strand did to run(), by way of those that leave after it;
  // acquire passes on what those that left before it did. Pairs with itself and with run().
  return at_work_.fetch_sub(counts, std::memory_order_acq_rel) == counts ? done_.finish() : nullptr;
}

void pipeline_state::fail(std::uint64_t number, std::exception_ptr why) noexcept {
  const std::lock_guard guard(lock_);
  if (number < failed_with_) {
    failed_with_ = number;
    failure_ = std::move(why);
  }
  if (fails_before(number)) return;
  first_failed_.store(number, std::memory_order_relaxed);
}

void pipeline_state::cancel() noexcept {
  const std::lock_guard guard(lock_);
  first_failed_.store(0, std::memory_order_relaxed);
}

void pipeline_state::throw_failure() {
  if (first_failed_.load(std::memory_order_relaxed) == none) return;
#if SENNIT_EXCEPTIONS
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
#endif
  throw_cancelled();
}

pipeline_item* pipeline_state::take_item() noexcept {
  if (unused_ == nullptr) {
    std::uintptr_t seen = 0;
    // ORD[D71] release: what the source did; pairs with the acquire in give_back(). Model: models/turns.pml.
    if (given_back_.compare_exchange_strong(seen, source_waits, std::memory_order_release,
                                            std::memory_order_relaxed))
      return nullptr;
    // ORD[D71] acquire: the items as they were given back. Model: models/turns.pml.
    unused_ = reinterpret_cast<pipeline_item*>(given_back_.exchange(0, std::memory_order_acquire));
  }
  return std::exchange(unused_, unused_->next);
}

bool pipeline_state::give_back(pipeline_item& item) noexcept {
  std::uintptr_t seen = given_back_.load(std::memory_order_relaxed);
  for (;;) {
    const bool source = seen == source_waits;
    item.next = source ? nullptr : reinterpret_cast<pipeline_item*>(seen);
    // ORD[D71] acq_rel: release publishes that the item is free to take_item(); acquire: what the source did.
    // Model: models/turns.pml.
    if (given_back_.compare_exchange_weak(seen, source ? 0 : reinterpret_cast<std::uintptr_t>(&item),
                                          std::memory_order_acq_rel, std::memory_order_relaxed))
      return source;
  }
}

bool pipeline_state::push_met_gate(pipeline_frame& pushed) noexcept {
  bool is_pushed = false;
  const bool went = attempt<std::exception>([&] {
    is_pushed = (can_throw_ ? push_shut(pushed) : ending_late::push_shut(pushed)) != push_result::not_pushed;
  });
  if (!went) cancel();
  return is_pushed;
}

bool pipeline_state::take_newest_back() noexcept { return take_newest(*worker::current()); }

void pipeline_state::answer() noexcept {
  if (can_throw_ && stopped(*worker::current())) cancel();
}

pipeline_frame* pipeline_state::take_frame() noexcept {
  {
    const std::lock_guard guard(lock_);
    if (pipeline_frame* const unused = unused_frames_) {
      unused_frames_ = std::exchange(unused->older, nullptr);
      return unused;
    }
  }
  return new (std::nothrow) pipeline_frame(*this);
}

void pipeline_state::give_frames_back(pipeline_frame* frames) noexcept {
  if (frames == nullptr) return;
  pipeline_frame* last = frames;
  while (last->older != nullptr) last = last->older;
  const std::lock_guard guard(lock_);
  last->older = std::exchange(unused_frames_, frames);
}

}  // namespace sennit::detail
