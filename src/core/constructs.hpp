// What the slow paths of the constructs have in common.
#pragma once

#include "core/worker.hpp"

namespace sennit::detail {

// Whether the strand is to give up at this construct: its region is cancelled.
bool stopped(worker& w) noexcept;

[[noreturn]] void throw_cancelled();

// For the strand of `w`, which met a shut gate: serves whoever shut it. False: the deque has no room for the latest frame.
// The strand may be on another worker afterwards.
bool answer_gates(worker& w) noexcept;

// After a pop met the gate, tail being lowered: true if the frame was still in the deque.
bool take_newest(worker& w) noexcept;

}  // namespace sennit::detail
