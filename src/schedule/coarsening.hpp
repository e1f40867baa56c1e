// SPDX-License-Identifier: Apache-2.0
// How many steals of a schedule have to stay for its workers to be busy. Pure.
#pragma once

#include "schedule/steal_tree.hpp"

#include <cstddef>

namespace sennit::detail {

// The smallest number of outermost steals, from `least` on, with which each worker has nearly as much to do as in the
// whole tree: three quarters of that time. If the tree has no times, with which each worker has a steal that has one in
// the tree.
std::size_t steals_that_keep_busy(const steal_tree& tree, std::size_t least);

}  // namespace sennit::detail
