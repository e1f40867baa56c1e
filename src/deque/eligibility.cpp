// SPDX-License-Identifier: Apache-2.0
#include "deque/eligibility.hpp"

#include "deque/gates.hpp"
#include "deque/promotions.hpp"
#include "deque/strand_here.hpp"
#include "deque/wanted.hpp"

namespace sennit::detail {

eligibility eligible(const wanted& what, const strand_here& here, promotions& beat,
                     color_set oldest) noexcept {
  return {.open = !here.strict() && beat.due(),
          .suits = here.runs_for(what) && what.suits(oldest),
          .seen_only = (here.reasons() & observed) != 0};
}

}  // namespace sennit::detail
