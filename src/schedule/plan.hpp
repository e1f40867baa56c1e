// SPDX-License-Identifier: Apache-2.0
// A steal tree in the form that a strand follows: lists of steps. Each list has a step at both ends whose
// position is beyond all positions. Pure.
#pragma once

#include "schedule/steal_tree.hpp"

#include <cstdint>
#include <vector>

namespace sennit::detail {

struct step {
  static constexpr std::uint64_t beyond = ~std::uint64_t{0};

  std::uint64_t at = beyond;
  const step* inside = nullptr;  // the list of the steps inside it
  const steal* of = nullptr;
  std::uint64_t loop = 0;  // the size of the loop that this step cuts, or else is in
};

class plan {
 public:
  // The tree must outlive the plan.
  explicit plan(const steal_tree& tree);

  const step* root() const noexcept { return root_; }
  std::uint32_t roles() const noexcept { return roles_; }

 private:
  const step* add(const std::vector<steal>& list, std::uint64_t loop);

  std::vector<step> steps_;  // never grows, because pointers refer to its steps
  const step* root_;
  std::uint32_t roles_;
};

}  // namespace sennit::detail
