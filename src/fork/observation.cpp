// SPDX-License-Identifier: Apache-2.0
#include "fork/observation.hpp"

#include "stack/strand_state.hpp"
#include "worker/unobserved_part.hpp"
#include "worker/worker.hpp"

namespace sennit::detail {

donee observe_spawn(trace_cursor& cursor, whereabouts& child, const void* group) noexcept {
  return count_push(cursor, child, {.what = construct::kind::child, .group = group});
}

level_within::level_within(trace_cursor& cursor, const whereabouts& where, position size) noexcept
    : cursor_(cursor), where_(where), size_(size) {
  if (cursor_.descend()) cursor_.by().follow(cursor_, where_);
}

level_within::~level_within() {
  unobserved_part::end_stretch();
  cursor_.site = 0;
  if (cursor_.pop()) cursor_.by().kept(cursor_, where_, size_);
  unobserved_part::begin_between(cursor_);
}

unrecorded_level::unrecorded_level(trace_cursor& cursor) noexcept
    : cursor_(cursor), began_(*worker::current()) {
  (void)cursor_.descend();
}

unrecorded_level::~unrecorded_level() {
  unobserved_part::end_stretch();
  if (cursor_.pop()) cursor_.by().dropped(cursor_);
  // What follows is the region's own, and nothing that was kept says that the strand has moved.
  if (worker::current() != &began_ && cursor_.by().keeps_positions())
    worker::current()->donate_strand(began_, nowhere);
}

}  // namespace sennit::detail
