// SPDX-License-Identifier: Apache-2.0
// A steal tree as text.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <string>

namespace sennit::detail {

std::string text(const steal_tree& tree);

// "fork 3", "loop 0 of 1000": the kind of a node and its position in its list, without its events.
SENNIT_EXPORT std::string name_of(const steal& node);

}  // namespace sennit::detail
