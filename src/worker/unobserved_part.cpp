// SPDX-License-Identifier: Apache-2.0
#include "worker/unobserved_part.hpp"

#include "deque/slots.hpp"
#include "stack/strand_state.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/worker_tls.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>

namespace sennit::detail {

// The region of the part before, unless it is another's and children may still be in it.
bool unobserved_part::find_region(region_state& around, schedule_hooks& by) noexcept {
  if (region_ && has_children_) {
    // As it is: their strands read it.
    if (region_->state.outer == &around) return true;
    cursor_->keep(std::move(region_));
    has_children_ = false;
  }
  if (!region_) region_.reset(new (std::nothrow) hidden_region);
  if (!region_) return false;
  region_state& region = region_->state;
  region.observed_by = &by;
  region.hidden = true;
  // Children that its strands spawn in groups from outside belong to no region that ends before them.
  region.implied = true;
  region.outer = &around;
  region.controls = around.controls;
  return true;
}

bool unobserved_part::begin(frame& pushed) noexcept { return begin_at(&pushed, nullptr); }

bool unobserved_part::begin_at(frame* pushed, const whereabouts* around) noexcept {
  worker& here = *worker::current();
  fiber& strand = here.running();
  cursor_ = current_tls().cursor;
  if (!find_region(*strand.innermost->region, cursor_->by())) return false;
  frame_ = pushed;
  around_ = around;
  const void* const place = pushed != nullptr ? static_cast<const void*>(pushed) : &scope_;
  scope_ = {&region_->state, load_tail(), strand.innermost, &strand, strand.spawns, place};
  begins_here(here);
  exchange_cursor(nullptr);
  strand.unobserved = this;
  strand.innermost = &scope_;
  here.frames().enter(&scope_);
  return true;
}

void unobserved_part::begins_here(worker& here) noexcept {
  home_ = &here;
  epoch_ = here.frames().epoch();
}

void unobserved_part::go_on_with_right() noexcept {
  worker& here = *worker::current();
  const std::lock_guard guard(here.frames().lock());
  scope_.first = load_tail();
  begins_here(here);
}

// Under the lock: whether all that was pushed in it, and not popped, is in this deque.
bool unobserved_part::is_whole(worker& here) const noexcept {
  const bool stayed =
      here.running().innermost == &scope_ && home_ == &here && epoch_ == here.frames().epoch();
  return stayed && here.frames().oldest() <= scope_.first;
}

void unobserved_part::look_at_latest() noexcept {
  worker& here = *worker::current();
  if (unobserved_part* const part = here.running().unobserved) part->look_again(here);
}

void unobserved_part::look_again(worker& here) noexcept {
  const bool is_stretch = frame_ == nullptr;
  if (is_stretch ? !cursor_->by().has_left_alone_for_long(*cursor_) : !cursor_->by().is_overdue(*cursor_))
    return;
  if (count_forks(here)) {
    here.frames().enter(&scope_);
  } else if (is_stretch && may_end(here)) {
    end_now(here);
  }
}

unobserved_part* unobserved_part::stretch_here() noexcept {
  worker* const here = worker::current();
  if (here == nullptr) return nullptr;
  fiber& strand = here->running();
  unobserved_part* const part = strand.unobserved;
  return part != nullptr && part->frame_ == nullptr && strand.innermost == &part->scope_ ? part : nullptr;
}

void unobserved_part::begin_between(trace_cursor& cursor) noexcept {
  if (!cursor.is_complete()) return;
  unobserved_part* const part = cursor.by().leaves_alone(cursor);
  if (part != nullptr && !part->begin_at(nullptr, cursor.level().of)) cursor.by().hears_again(cursor);
}

void unobserved_part::end_stretch() noexcept {
  if (unobserved_part* const part = stretch_here()) part->end_now(*worker::current());
}

void unobserved_part::end_stretch_around(const frame& popped) noexcept {
  unobserved_part* const part = stretch_here();
  if (part != nullptr && part->around_ == &const_cast<frame&>(popped).where())
    part->end_now(*worker::current());
}

void unobserved_part::end_long_stretch() noexcept {
  unobserved_part* const part = stretch_here();
  if (part == nullptr || !part->cursor_->by().has_left_alone_for_long(*part->cursor_)) return;
  worker& here = *worker::current();
  if (part->may_end(here)) part->end_now(here);
}

void unobserved_part::take_in(std::uint64_t spawned) noexcept {
  unobserved_part* const part = stretch_here();
  if (part == nullptr || spawned > part->scope_.spawns_before) return;
  worker& here = *worker::current();
  {
    const std::lock_guard guard(here.frames().lock());
    part->scope_.first = std::min(part->scope_.first, load_tail());
    part->scope_.spawns_before = spawned - 1;
  }
  here.frames().enter(&part->scope_);
}

void unobserved_part::end_stretch_if_possible() noexcept {
  unobserved_part* const part = stretch_here();
  if (part == nullptr) return;
  worker& here = *worker::current();
  if (part->may_end(here)) part->end_now(here);
}

bool unobserved_part::hears_of_loop(std::uintptr_t site, std::optional<bool> known_long) noexcept {
  unobserved_part* const part = stretch_here();
  if (part == nullptr) return false;
  schedule_hooks& by = part->cursor_->by();
  const bool may_be_long = known_long ? *known_long : by.may_be_long(*part->cursor_, site);
  if (!may_be_long && !(any_gate_shut() && by.has_left_alone_for_long(*part->cursor_))) return false;
  worker& here = *worker::current();
  if (!part->may_end(here)) return false;
  part->end_now(here);
  return true;
}

void unobserved_part::end_stretch_after(std::uint64_t spawned) noexcept {
  unobserved_part* const part = stretch_here();
  if (part != nullptr && spawned <= part->scope_.spawns_before) part->end_now(*worker::current());
}

// No loop of the strand is under way that was not told of, nor a fork whose branch a thief may take.
bool unobserved_part::may_end(worker& here) noexcept {
  if (here.running().loops != 0) return false;
  const std::lock_guard guard(here.frames().lock());
  const slot* const tail = load_tail();
  for (const slot* at = std::max<const slot*>(scope_.first, here.frames().oldest()); at < tail; ++at)
    if (branch_with_state_in(*at) == nullptr) return false;
  return true;
}

// What is left in the deque, children, is the observed strand's from here on. Where each is nobody knows.
void unobserved_part::give_positions(worker& here) noexcept {
  const std::lock_guard guard(here.frames().lock());
  const slot* const tail = load_tail();
  for (const slot* at = std::max<const slot*>(scope_.first, here.frames().oldest()); at < tail; ++at)
    if (frame* const child = branch_with_state_in(*at))
      child->where() = {.position = 0, .plan = nullptr, .within = true};
}

void unobserved_part::end_now(worker& here) noexcept {
  give_positions(here);
  end();
  cursor_->by().hears_again(*cursor_);
}

// Counts those around the frame that was pushed last. False: there are none.
bool unobserved_part::count_forks(worker& here) noexcept {
  const auto most = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, load_tail() - 1 - scope_.first));
  if (most == 0 || !cursor_->reserve(most)) return false;
  cursor_->by().will_begin_late(*cursor_, most);
  // No thief takes one of them meanwhile: its strand would be in the hidden region, which this part may leave before that ends.
  const std::lock_guard guard(here.frames().lock());
  if (!is_whole(here)) return false;
  const slot* const pushed = load_tail() - 1;
  slot* at = scope_.first;
  for (; at < pushed && is_plain_branch(*at); ++at) {
    frame& around = branch_in(*at);
    (void)cursor_->push(around.where());
    cursor_->by().begins_late(*cursor_, around.where());
    frame_ = &around;
  }
  const bool any = at != scope_.first;
  scope_.first = at;
  return any;
}

void unobserved_part::end() noexcept {
  worker& here = *worker::current();
  fiber& strand = here.running();
  has_children_ = has_children_ || strand.spawns != scope_.spawns_before;
  // Children of a group from outside, which the right branch has spawned. They belong to the hidden region.
  if (frame_ != nullptr && load_tail() > scope_.first) here.relocate();
  strand.unobserved = nullptr;
  strand.innermost = scope_.outer;
  here.frames().enter(scope_.outer);
  exchange_cursor(cursor_);
}

unobserved_part* unobserved_part::of(const frame& popped) noexcept {
  worker* const here = worker::current();
  unobserved_part* const part = here != nullptr ? here->running().unobserved : nullptr;
  return part != nullptr && part->frame_ == &popped ? part : nullptr;
}

}  // namespace sennit::detail
