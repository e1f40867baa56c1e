// Where code stands in the source.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sennit::checker {

// Functions and lines of the source.
struct place {
  std::string function;
  std::string line;
};
// Of each address in the code: its place, and those that it is inlined into.
std::vector<std::vector<place>> places_of(std::span<const void* const> code);

}  // namespace sennit::checker
