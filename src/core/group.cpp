#include "core/constructs.hpp"
#include "core/course.hpp"
#include "core/failure.hpp"
#include "core/float_environment.hpp"
#include "core/runtime_core.hpp"
#include "core/views.hpp"
#include "core/worker.hpp"

#include <sennit/detail/calls.hpp>
#include <sennit/detail/group.hpp>
#include <sennit/join.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace sennit::detail {

#if SENNIT_EXCEPTIONS

namespace {

bool stopped() noexcept {
  worker* const w = worker::current();
  return w != nullptr && stopped(*w);
}

}  // namespace

#endif

group_state::group_state(bool can_throw) noexcept
    : can_throw_(can_throw), unwinding_(std::uncaught_exceptions()) {
  if (worker* const w = worker::current()) {
    place_ = w;
    epoch_ = w->frames().epoch();
    top_ = load_tail();
  }
}

// Whether the deque is as the group left it, so that a push goes on top of its children and a pop takes the newest.
// The strand's frames may have left it meanwhile (it was suspended, say), and others may lie on top.
bool group_state::on_top() const noexcept {
  worker* const w = worker::current();
  return w != nullptr && w == place_ && epoch_ == w->frames().epoch() && top_ == load_tail();
}

void group_state::spawn(group_member& child) {
#if SENNIT_EXCEPTIONS
  try {
    push_or_list(child);
  } catch (...) {
    child.end_(child);
    throw;
  }
#else
  push_or_list(child);
#endif
  if (load_views() != nullptr) child.before_ = exchange_views(nullptr);
  child.order_ = ++spawned_;
  child.previous_ = std::exchange(newest_, &child);
}

void group_state::push_or_list(group_member& child) {
  const bool pushed = on_top();
  if (pushed) {
    child.on_deque_ = true;
    // A child that was taken at once is as good as pushed, even if its region turns out to be cancelled.
    if (push(child)) {
      top_ = load_tail();
      return;
    }
    if (spawn_shut(child, can_throw_) != push_result::apart) {
      note_counted(child);
      top_ = load_tail();
      return;
    }
    child.on_deque_ = false;  // the deque is full
  }
  // Its course, if it has one, knows of a child that was pushed.
  list(child, pushed);
}

void group_state::list(group_member& child, bool counted) {
  if (worker* const w = worker::current()) {
#if SENNIT_EXCEPTIONS
    if (can_throw_ && stopped()) throw sennit::cancelled();
#endif
    child.depart(w->frames().innermost()->region);
    note_counted(child);
    if (course* const strand = current_words().strand; strand != nullptr && !counted) {
      if (const donee away = observe_spawn(*strand, child); away.to != nullptr) {
        child.away().number = away.number;
        away.to->take_in(child);
        return;
      }
    }
    w->frames().list_branch(child);
    w->announce_work();
    return;
  }
  if (lender_ == nullptr) {
    lender_ = &admit_to_default();
    capture_float_environment(outside_);
  }
  child.depart(&outside_);
  lender_->frames().list(child);
  lender_->announce_work();
}

// A strand may make a group outside an observed region and wait for it inside: the region's course knows of
// those children only that were spawned there.
void group_state::note_counted(group_member& child) noexcept {
  child.counted_by_ = current_words().strand;
  if (child.counted_by_ != nullptr) ++child.counted_by_->children;
}

void group_state::wait() {
  if (newest_ == nullptr) return;
  // They come after those of all children.
  view* const latest = exchange_views(nullptr);
  if (worker::current() != nullptr) {
    collect();
  } else {
    auto inside = [this] { collect(); };
    // Without the means for a region, children that nobody has taken run here, on the thread's own stack.
    if (!attempt<std::exception>([&] { run_region(nullptr, inside); })) collect();
  }
  append_views(latest);
  report();
}

void group_state::collect() noexcept {
  worker* const place = worker::current();
  // Other frames lie on top of the children in the deque: have them moved to where children can be taken singly.
  if (place != nullptr && !on_top()) place->relocate();
  // What children of an outside thread have begun is for that thread, too.
  if (place != nullptr && lender_ != nullptr) place->frames().admit_also(&outside_);
  group_member* kept = nullptr;
  std::intptr_t away = 0;
  while (newest_ != nullptr) {
    group_member& child = *std::exchange(newest_, newest_->previous_);
    if (child.counted_by_ != nullptr) --child.counted_by_->children;
    child.ran_here_ = take_back(child);
    if (child.ran_here_) {
      run_here(child);
      child.views_ = exchange_views(nullptr);
      if (child.before_ == nullptr && child.views_ == nullptr) {
        child.end_(child);
        continue;
      }
    } else {
      ++away;
    }
    child.previous_ = std::exchange(kept, &child);
  }
  course* const strand = place != nullptr ? current_words().strand : nullptr;
  if (strand != nullptr) {
    // The wait is a construct, too.
    whereabouts where{};
    if (strand->push(where)) (void)strand->by().reached(*strand, where);
    strand->pop();
    wait_observed(
        *strand, where, [&] { return worker::wait(done_, away); },
        [&](pause waited) { strand->by().regrouped(*strand, where, waited); });
  } else {
    worker::wait(done_, away);
  }
  // In the order of spawning.
  while (kept != nullptr) {
    group_member& child = *std::exchange(kept, kept->previous_);
    append_views(child.before_);
    append_views(child.ran_here_ ? child.views_ : child.away().views);
    if (!child.ran_here_) {
      record(child);
      if (course* const counted = child.counted_by_) counted->by().joined_child(*counted, child);
    }
    child.end_(child);
  }
  std::construct_at(&done_);
}

bool group_state::take_back(group_member& child) noexcept {
  if (!child.on_deque_ || !on_top()) return deque::reclaim(child);
  const bool mine = pop() || take_newest(*worker::current()) || deque::reclaim(child);
  top_ = load_tail();
  return mine;
}

void group_state::run_here(group_member& child) noexcept {
  if (failure_ && failed_ < child.order_) return;
#if SENNIT_EXCEPTIONS
  if (can_throw_ && stopped()) {
    dropped_ = true;
    return;
  }
  try {
    call_here(child);
  } catch (const sennit::cancelled&) {
    dropped_ = true;
  } catch (...) {
    keep_earliest(std::current_exception(), child.order_);
  }
#else
  call_here(child);
#endif
}

void group_state::call_here(group_member& child) {
  course* const strand = current_words().strand;
  if (strand == nullptr) {
    child.run_here_(child);
  } else if (strand == child.counted_by_) {
    const level_within inside(*strand, child.where());
    child.run_here_(child);
  } else {
    const level_apart inside(*strand);
    child.run_here_(child);
  }
}

void group_state::record(group_member& child) noexcept {
  departure& away = child.away();
  if (away.result == outcome::dropped) dropped_ = true;
  if (away.result == outcome::thrown) keep_earliest(std::exchange(away.failure, nullptr), child.order_);
}

void group_state::keep_earliest(std::exception_ptr failure, std::uint64_t order) noexcept {
  if (failure_ && failed_ < order) return;
  failure_ = std::move(failure);
  failed_ = order;
}

void group_state::report() {
  arena_.release();
  if (lender_ != nullptr) lender_->core().dismiss_guest(*lender_);
  lender_ = nullptr;
  [[maybe_unused]] std::exception_ptr failure = std::exchange(failure_, nullptr);
  [[maybe_unused]] const bool dropped = std::exchange(dropped_, false);
#if SENNIT_EXCEPTIONS
  if (failure) std::rethrow_exception(std::move(failure));
  if (dropped) throw sennit::cancelled();
#endif
}

void group_state::end() {
#if SENNIT_EXCEPTIONS
  if (std::uncaught_exceptions() > unwinding_) {
    try {
      wait();
    } catch (...) {  // one exception is on its way already
    }
    return;
  }
#endif
  wait();
}

}  // namespace sennit::detail
