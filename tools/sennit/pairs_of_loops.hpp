// SPDX-License-Identifier: Apache-2.0
// The loops of two steal trees that are at the same position, and who ran their parts in each.
#pragma once

#include "schedule/loop_parts.hpp"
#include "schedule/steal_tree.hpp"

#include <functional>
#include <vector>

namespace command {

using parts_of_two = std::function<void(const std::vector<sennit::detail::part_of_loop>&,
                                        const std::vector<sennit::detail::part_of_loop>&)>;

// Calls found() for each loop that is in one of the trees at least, and has one length, if it is known who ran it in
// both. If a tree has not the loop, nobody took a part of it there, and the strand that came to it ran it. Not known:
//
//  after a taken branch  whether the loop is in the branch or behind its join, if there are no times
//  in a group's child    who ran it, if nobody took the child: some strand did during the wait
//  in an iteration       is no loop of its own here
void for_each_pair_of_loops(const sennit::detail::steal_tree& a, const sennit::detail::steal_tree& b,
                            const parts_of_two& found);

}  // namespace command
