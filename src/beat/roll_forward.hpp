// SPDX-License-Identifier: Apache-2.0
// What a beat does on its thread: the strand continues in the second copies of its functions, in which
// promotion points are jumps. docs/design/rollforward.md.
#pragma once

namespace sennit::detail {

// Call it in a signal handler, with the handler's `ucontext`. Makes the interrupted code take its next
// promotion point, or a caller of that code when the thread returns to the caller. If neither is in a table,
// or neither can be moved at present, the beat is pending, and the source of beats should try again soon.
//
// Returns true if a promotion point will be taken, false if the beat is pending. Async-signal-safe; uses no
// lock and no memory; preserves errno. Cost: about 50 ns in marked code, and 1 us for each frame that it
// unwinds, at most `most_frames`.
bool roll_forward(void* ucontext) noexcept;

inline constexpr int most_frames = 64;

// Whether there are second copies at all. Elsewhere promotion points ask for beats, of the source `polled`.
#if defined(__x86_64__)
inline constexpr bool rolls_forward = true;
#else
inline constexpr bool rolls_forward = false;
#endif

// Whether this thread has a beat that roll_forward() could not place, or that has been lost since. A
// successful roll_forward() clears it. Async-signal-safe.
bool beat_is_pending() noexcept;

// Whether any code has promotion points. Async-signal-safe; a load.
bool any_marked_code() noexcept;

}  // namespace sennit::detail
