// SPDX-License-Identifier: Apache-2.0
// A 64-bit mix function: neighboring arguments give unrelated values, the same on every machine.
#pragma once

#include <cstdint>

namespace gallery {

inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15u;

// What the generator SplitMix64 (Steele, Lea and Flood, 2014) yields next in a state.
// Its next state is one step on.
constexpr std::uint64_t splitmix64(std::uint64_t state) {
  std::uint64_t z = state + splitmix64_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace gallery
