// SPDX-License-Identifier: Apache-2.0
// What a strand does when it meets a shut gate, in any construct.
#pragma once

#include "worker/worker.hpp"

#include <sennit/detail/calls.hpp>

namespace sennit::detail {

// Whether the strand must give up at this construct: its region is cancelled.
bool stopped(worker& w) noexcept;

[[noreturn]] void throw_cancelled();

// The strand of `w` has met a shut gate: serves all who shut it. False: the deque has no room for the latest
// frame. The strand may be on another worker afterwards.
bool answer_gates(worker& w, bool pushed = true) noexcept;

// After a pop met the gate, tail being lowered: true if the frame was still in the deque.
bool take_newest(worker& w) noexcept;

// push_shut() for a child of a group. `can_throw`: where its region is cancelled.
push_result spawn_shut(frame& child, const void* group, bool can_throw);

}  // namespace sennit::detail
