// SPDX-License-Identifier: Apache-2.0
// Whether a thief may take latent work of a worker: one value, computed under the lock of the deque.
#pragma once

#include <sennit/detail/colors.hpp>

namespace sennit::detail {

class promotions;
class strand_here;
struct wanted;

// A frame that is eligible may still be out of reach: deque::claim() says so.
struct eligibility {
  // Any worker that asks may take frames: the schedule of the strand's region allows that, and the beat has come.
  bool open = false;
  // The strand's region and the colors of the oldest frame are among those that the thief wants.
  bool suits = false;
  // A frame can be taken only if the trace cursor has noted it.
  bool seen_only = false;

  explicit operator bool() const noexcept { return open && suits; }
};

// Whether a thief that wants `what` may take a frame of the strand that runs here. `oldest`: the colors of the oldest
// frame.
eligibility eligible(const wanted& what, const strand_here& here, promotions& beat,
                     color_set oldest) noexcept;

}  // namespace sennit::detail
