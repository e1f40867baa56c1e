// SPDX-License-Identifier: Apache-2.0
// A permit for the calling strand.
#pragma once

namespace sennit {
class limit;
}

namespace sennit::detail {

// Returns once the permit is the caller's. The strand waits for it, and its worker does something else.
void enter_in_strand(limit& l) noexcept;

}  // namespace sennit::detail
