// A steal tree in words.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <string>

namespace sennit::detail {

std::string text(const steal_tree& tree);

// "fork 3", "loop 0 of 1000": what a node is and where in its list, without what happened there.
SENNIT_EXPORT std::string name_of(const steal& node);

}  // namespace sennit::detail
