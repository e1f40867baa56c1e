// SPDX-License-Identifier: Apache-2.0
#include "deque/listed_frames.hpp"

#include "deque/mailbox.hpp"
#include "system/nanoseconds.hpp"

#include <sennit/detail/assert.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

namespace sennit::detail {

namespace {

// So many frames of a list are looked at for one that is wanted, unless the thief insists: a list may be long, and the
// lock is held.
constexpr unsigned listed_in_view = 64;

bool has_no_holder(frame& f) noexcept { return f.stolen().holder.load(std::memory_order_relaxed) == nullptr; }

}  // namespace

void listed_frames::add(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(has_no_holder(f));
  f.stolen().holder.store(this, std::memory_order_relaxed);
  listed_.append(f);
}

void listed_frames::add_first(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(has_no_holder(f));
  f.stolen().holder.store(this, std::memory_order_relaxed);
  listed_.put_first(f);
}

frame* listed_frames::take_first(const wanted& what) noexcept {
  if (!listed_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  frame* const first = listed_.oldest();
  if (first == nullptr || !first->stolen().resumes || !suits(what, *first)) return nullptr;
  return take_oldest(what, false);
}

void listed_frames::add_branch(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  append(f);
}

void listed_frames::append(frame& f) noexcept {
  SENNIT_ASSERT(has_no_holder(f));
  f.stolen().holder.store(this, std::memory_order_relaxed);
  (here_.strict() ? withheld_ : listed_).append(f);
}

frame* listed_frames::take(const wanted& what, bool insist) noexcept {
  if (!listed_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  return take_oldest(what, insist);
}

frame* listed_frames::take_promoted(const wanted& what, bool insist) noexcept {
  frame* const listed = take_oldest(what, insist);
  return listed != nullptr || !insist ? listed : take_open_donation(what);
}

frame* listed_frames::take_oldest(const wanted& what, bool all) noexcept {
  frame* const taken = oldest(what, all);
  if (taken == nullptr) return nullptr;
  SENNIT_ASSERT(taken->stolen().holder.load(std::memory_order_relaxed) == this);
  listed_.unlink(*taken);
  taken->stolen().holder.store(nullptr, std::memory_order_relaxed);
  return taken;
}

frame* listed_frames::oldest(const wanted& what, bool all) const noexcept {
  frame* f = listed_.oldest();
  if (what.within == nullptr && what.colors == all_colors) return f;
  for (unsigned looked_at = 0; f != nullptr; f = frame_list::after(*f)) {
    if (suits(what, *f)) return f;
    if (what.within != nullptr && ++looked_at == listed_in_view && !all) return nullptr;
  }
  return nullptr;
}

// Whether the thief may have the listed frame.
bool listed_frames::suits(const wanted& what, frame& listed) const noexcept {
  const stolen_state& stolen = listed.stolen();
  if (!what.suits(stolen.colors)) return false;
  // A strand that its thread has left for good is in no hurry to end, but may have nobody else.
  return what.admits(stolen.region) || (stolen.is_strand && abandoned_);
}

unsigned listed_frames::count(unsigned most) const noexcept {
  unsigned found = has_open_donation({}) ? 1 : 0;
  for (frame* f = listed_.oldest(); f != nullptr && found < most; f = frame_list::after(*f)) ++found;
  return found;
}

bool listed_frames::donate(frame& f) noexcept {
  const std::lock_guard guard(lock_);
  SENNIT_ASSERT(has_no_holder(f));  // nobody can have it back
  f.stolen().donated = true;
  donated_.append(f);
  return open_to_others(f);
}

frame* listed_frames::take_donated(worker& by) noexcept {
  if (!donated_.any()) return nullptr;
  const std::lock_guard guard(lock_);
  frame* const taken = donation_for(by);
  if (taken == nullptr) return nullptr;
  SENNIT_ASSERT(taken->stolen().donated);
  donated_.unlink(*taken);
  return taken;
}

bool listed_frames::has_donation(worker& by) noexcept {
  if (!donated_.any()) return false;
  const std::lock_guard guard(lock_);
  return donation_for(by) != nullptr;
}

frame* listed_frames::donation_for(worker& by) const noexcept {
  frame* f = donated_.oldest();
  while (f != nullptr && !may_begin(by, *f)) f = frame_list::after(*f);
  if (f == nullptr) tell_of_vain_look(by);
  return f;
}

void listed_frames::tell_of_vain_look(worker& by) const noexcept {
  schedule_hooks* told = nullptr;
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    const stolen_state& stolen = f->stolen();
    schedule_hooks* const hooks = stolen.number != nowhere ? hooks_of(stolen.region) : nullptr;
    if (hooks != nullptr && hooks != told) hooks->none_may_begin(by);
    told = hooks;
  }
}

bool listed_frames::may_begin(worker& by, frame& donated) const noexcept {
  const stolen_state& stolen = donated.stolen();
  if (!wish_.now().admits(stolen.region)) return false;
  return stolen.number == nowhere || hooks_of(stolen.region)->may_begin(by, stolen.number);
}

// The worker is too busy to begin with the frame, unless the frame or its schedule's hooks insist on that worker. Or the worker's
// thread has left, or is one of another region, and to insist would not help.
bool listed_frames::open_to_others(frame& donated) const noexcept {
  const schedule_hooks* const by = hooks_of(donated.stolen().region);
  return abandoned_ || !wish_.now().admits(donated.stolen().region) ||
         (here_.innermost() != nullptr && !donated.stolen().kept && (by == nullptr || !by->strict()));
}

frame* listed_frames::open_donation(const wanted& what) const noexcept {
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    if (open_to_others(*f) && what.suits(f->stolen().colors) && what.admits(f->stolen().region)) return f;
  }
  return nullptr;
}

// The time from which on a donation is open to others who may have it at all, where the hooks say one.
std::uint64_t listed_frames::opens_ns(frame& donated) const noexcept {
  const stolen_state& stolen = donated.stolen();
  schedule_hooks* const by = hooks_of(stolen.region);
  const bool private_at_first = by != nullptr && !by->strict() && !abandoned_ && stolen.number != nowhere;
  return private_at_first ? by->opens_ns(stolen.number) : 0;
}

std::uint64_t listed_frames::donation_opens_ns() noexcept {
  if (!donated_.any()) return 0;
  const std::lock_guard guard(lock_);
  std::uint64_t first = 0;
  for (frame* f = donated_.oldest(); f != nullptr; f = frame_list::after(*f)) {
    const std::uint64_t opens = open_to_others(*f) ? opens_ns(*f) : 0;
    if (opens != 0 && (first == 0 || opens < first)) first = opens;
  }
  return first;
}

frame* listed_frames::take_open_donation(const wanted& what) noexcept {
  frame* const taken = open_donation(what);
  if (taken == nullptr || opens_ns(*taken) > now_ns()) return nullptr;
  SENNIT_ASSERT(taken->stolen().donated);
  donated_.unlink(*taken);
  return taken;
}

listed_frames::found listed_frames::look() const noexcept {
  found all;
  for (const frame_list* list : {&listed_, &withheld_, &donated_}) {
    for (frame* f = list->oldest(); f != nullptr; f = frame_list::after(*f)) {
      if (all.frames++ == 0) all.oldest_opener = f->stolen().opener;
    }
  }
  return all;
}

bool listed_frames::reclaim(frame& f) noexcept {
  if (f.state() == nullptr) return true;  // kept for its strand, for want of memory
  if (!reclaim_listed(f)) return false;
  end_state(f);
  return true;
}

bool listed_frames::reclaim_listed(frame& f) noexcept {
  if (mailbox* const box = f.stolen().box; box != nullptr && box->withdraw(f)) return true;
  listed_frames* const holder = f.stolen().holder.load(std::memory_order_relaxed);
  if (holder == nullptr) return false;
  const std::lock_guard guard(holder->lock_);
  // Claimed meanwhile; and maybe listed again, by the claimer.
  if (f.stolen().holder.load(std::memory_order_relaxed) != holder) return false;
  SENNIT_ASSERT(f.stolen().list == &holder->listed_ || f.stolen().list == &holder->withheld_);
  f.stolen().list->unlink(f);
  f.stolen().holder.store(nullptr, std::memory_order_relaxed);
  return true;
}

void end_state(frame& f) noexcept {
  if (!f.stolen().allocated) return;
  std::destroy_at(f.state());
  ::operator delete(f.state());  // a block of a reserve
  f.set_state(nullptr);
}

}  // namespace sennit::detail
