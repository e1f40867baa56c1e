// What a beat does to the thread that it reaches: the strand goes on in the copies of its functions in which
// promotion points are jumps. docs/design/rollforward.md.
#pragma once

namespace sennit::detail {

// For a signal handler that was given `ucontext`, of the thread it runs on. Sees to it that the interrupted
// code takes its next promotion point, or that a caller of it does as soon as it gets there. Where neither is
// in a table, or cannot be moved right now, the beat is pending: the source of beats is to try again soon.
// True if a promotion point will be taken, false if the beat is pending. Async-signal-safe, no lock, no
// memory; errno stays. About 50 ns in marked code, 1 us for each frame it has to unwind, `most_frames` at
// most.
bool roll_forward(void* ucontext) noexcept;

inline constexpr int most_frames = 64;

// Is there a beat on this thread that roll_forward() could not place, or that has been lost on its way since?
// Cleared by roll_forward() when it succeeds. Async-signal-safe.
bool beat_is_pending() noexcept;

// Whether there is any code with promotion points. Async-signal-safe; a load.
bool any_marked_code() noexcept;

// Lets the unwinder do what it does on its first use and must not in a handler.
void prepare_to_roll_forward() noexcept;

}  // namespace sennit::detail
