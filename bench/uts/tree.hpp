// SPDX-License-Identifier: Apache-2.0
// A binomial tree nobody can balance in advance: a node has eight children with a probability just below one
// in eight, else none, and only its own 64 bits say which. tree.rs is the same tree.
#pragma once

#include <cstdint>

namespace uts {

constexpr std::uint64_t fanout = 8;

// The generator of the sequence splitmix64, seeded with the parent.
inline std::uint64_t child(std::uint64_t parent, std::uint64_t index) {
  std::uint64_t z = parent + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline const std::uint64_t root = child(200 - 0x9e3779b97f4a7c15u, 0);

// 0.124875 of the range: on average 0.999 children a node, so subtrees range from one node to millions.
inline bool inner(std::uint64_t node) { return node < 2303537166204480258u; }

}  // namespace uts
