// SPDX-License-Identifier: Apache-2.0
// Names for the branches of a program's run, by which a later run knows them again.
#pragma once

#include <cstdint>

namespace sennit::sim {

// A name follows from the name of the construct around and from the branch's number in it, so it is the same in each run, on
// any worker. Two branches of a run of 10^7 have one name with a probability of some 10^-6 (the finalizer of splitmix64).
constexpr std::uint64_t name_of_branch(std::uint64_t around, std::uint64_t number) noexcept {
  std::uint64_t x = around ^ (number + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace sennit::sim
