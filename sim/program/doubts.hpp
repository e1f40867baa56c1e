// SPDX-License-Identifier: Apache-2.0
// What of a program that a trace tells of is missing there, estimated, or disturbed by the system.
#pragma once

#include "program/program.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sennit::sim {

struct doubts {
  std::uint64_t unfinished_bodies = 0;
  std::uint64_t forks_without_right = 0;
  std::uint64_t loops_without_iterations = 0;
  std::uint64_t edges_without_node = 0;
  std::uint64_t graphs_told_in_part = 0;
  std::uint64_t graphs_like_others = 0;
  // Loops and forks of which only some were measured.
  std::uint64_t brief_constructs = 0;
  std::uint64_t brief_measured = 0;
  picoseconds estimated = 0;
  // Leaves of a loop that took far longer than the others.
  struct held_up {
    std::uint64_t leaves = 0;
    double excess_ms = 0;
  };
  std::map<std::uint32_t, held_up> held_up_at;  // by sites of the program
};

// For the user.
std::vector<std::string> sentences_of(const doubts& all, const program& of);

}  // namespace sennit::sim
