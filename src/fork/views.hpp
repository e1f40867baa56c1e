// SPDX-License-Identifier: Apache-2.0
// The views of the strand that runs on the calling thread: what it has added to reducers since it began.
#pragma once

#include <sennit/detail/fork/view.hpp>
#include <sennit/detail/worker_tls.hpp>

#include <cstdint>

namespace sennit::detail {

// What the strand has added to reducers since it last took its values. Children that it spawned unqueued stay
// with it.
view* take_values() noexcept;

// The rank of the last child that the list has.
std::uint64_t last_child(view* list) noexcept;

// Both as one list, without combining anything.
view* chain_views(view* earlier, view* later) noexcept;

// Both as one list, the values of each reducer combined. The operations that it calls may fork.
view* merge_views(view* earlier, view* later) noexcept;

// Appends what a strand that comes after the running one has added; ends `right`, or takes it over.
void append_views(view* right) noexcept;
// The same for a strand's whole list, which has one view of a reducer: in time of its length where the running
// strand has added to few.
void append_strand(view* right) noexcept;

// Whether a child of the region that the strand of this list has spawned unqueued is still to end.
bool any_open(const view* list, const region_state& region) noexcept;
// Moves open unqueued children from a region's list to the thread that entered the region. This thread runs no
// strand. From now on they count as spawned by the thread.
void hand_to_thread(view*& list) noexcept;

}  // namespace sennit::detail
