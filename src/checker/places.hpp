// SPDX-License-Identifier: Apache-2.0
// The places of code in the source.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sennit::checker {

// A function and a line of the source.
struct place {
  std::string function;
  std::string line;
};
// For each address of code: its place, and the places into which it is inlined.
std::vector<std::vector<place>> places_of(std::span<const void* const> code);

}  // namespace sennit::checker
