// SPDX-License-Identifier: Apache-2.0
// Where the constructs of a steal tree are in the program's code: addresses while the program runs, and files
// with offsets in a saved schedule.
#pragma once

#include "schedule/steal_tree.hpp"

#include <sennit/detail/config.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace sennit::detail {

// steal::site of a loaded tree: an offset in the file of the module with this number, from 1. 0: an address in
// this process.
constexpr unsigned module_shift = 48;
constexpr std::uint64_t module_of_site(std::uint64_t site) noexcept { return site >> module_shift; }
constexpr std::uint64_t offset_of_site(std::uint64_t site) noexcept {
  return site & ((std::uint64_t{1} << module_shift) - 1);
}
constexpr std::uint64_t site_in_module(std::uint64_t module, std::uint64_t offset) noexcept {
  return module << module_shift | offset;
}
inline constexpr std::uint64_t most_modules = std::uint64_t{1} << 14;

// The sites of a tree, each once, in serial order.
struct code_sites {
  std::vector<code_module> modules;
  std::vector<std::uint64_t> places;  // of modules
  std::unordered_map<std::uint64_t, std::uint32_t>
      numbers;  // of the tree's sites: in `places`, from 1; 0: not known

  std::uint32_t number(std::uint64_t site) const {
    const auto found = numbers.find(site);
    return found == numbers.end() ? 0 : found->second;
  }
};
SENNIT_EXPORT code_sites sites_in(const steal_tree& tree);

}  // namespace sennit::detail
