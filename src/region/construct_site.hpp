// SPDX-License-Identifier: Apache-2.0
// In the checked variant: the construct that a strand is in.
#pragma once

#include <sennit/detail/construct_site.hpp>

#if SENNIT_CHECKED

namespace sennit::detail {

// The innermost construct that the calling strand is in; null: none that is known.
const construct_site*& innermost_site() noexcept;

}  // namespace sennit::detail

#endif
