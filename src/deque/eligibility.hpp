// Whether a thief may take latent work of a worker: one value, computed under the lock of the deque.
#pragma once

#include "deque/gates.hpp"
#include "deque/promotions.hpp"
#include "deque/strand_here.hpp"
#include "deque/wanted.hpp"

#include <sennit/detail/colors.hpp>

namespace sennit::detail {

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
inline eligibility eligible(const wanted& what, const strand_here& here, const promotions& beat,
                            color_set oldest) noexcept {
  return {.open = !here.strict() && !beat.too_early(),
          .suits = here.runs_for(what) && what.suits(oldest),
          .seen_only = (here.reasons() & observed) != 0};
}

}  // namespace sennit::detail
