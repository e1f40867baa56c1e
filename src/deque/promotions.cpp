// SPDX-License-Identifier: Apache-2.0
#include "deque/promotions.hpp"

#include "deque/strand_here.hpp"
#include "observe/trace_cursor.hpp"
#include "system/reserve.hpp"

#include <new>

namespace sennit::detail {

promoted promotions::promote(const slot* at, color_set colors, parting how, reserve& memory) noexcept {
  promoted of;
  if (divisible* const work = divisible_in(*at)) {
    const taken_part got = work->take_part(how);
    if (got.part != nullptr) got.part->mark_stolen(here_.region_of(at), here_.strand()).colors = colors;
    of = {.frame = got.part,
          .stays = got.left != remains::nothing,
          .too_little = got.left == remains::too_little};
  } else {
    frame* const branch = mark_stolen(at, colors, memory);
    of = {.frame = branch, .stays = branch == nullptr, .no_memory = branch == nullptr};
  }
  if (of.frame != nullptr) made_one();
  return of;
}

// The branch in the slot; null without memory for its state. Then only its strand can have the branch.
frame* promotions::mark_stolen(const slot* at, color_set colors, reserve& memory) const noexcept {
  region_state* const region = here_.region_of(at);
  if (frame_with_state* const branch = branch_with_state_in(*at)) {
    branch->mark_stolen(region, here_.strand()).colors = colors;
    return branch;
  }
  frame& branch = branch_in(*at);
  static_assert(alignof(stolen_state) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static_assert(sizeof(stolen_state) <= reserve::small_bytes);
  void* const room = memory.take(sizeof(stolen_state));
  branch.set_state(room != nullptr ? ::new (room) stolen_state(region, here_.strand()) : nullptr);
  if (room == nullptr) return nullptr;
  branch.stolen().allocated = true;
  branch.stolen().colors = colors;
  branch.leave_slot();
  return &branch;
}

// The time that was set first may be over while the strand is not late: what is known then decides.
bool promotions::schedule_lets() noexcept {
  schedule_hooks* const by = here_.innermost() != nullptr ? hooks_of(here_.innermost()->region) : nullptr;
  if (by == nullptr) return true;
  const std::uint64_t opens = by->frames_open_ns(kept_since_ns_.load(std::memory_order_relaxed));
  if (opens <= now_ns()) return true;
  kept_until_ns_.store(opens, std::memory_order_relaxed);
  return false;
}

void promotions::made_one() noexcept {
  made_.store(made_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (on_demand()) return;
  beats_.promoted(now_ns());
  next_ns_.store(beats_.next_ns(), std::memory_order_relaxed);
}

}  // namespace sennit::detail
