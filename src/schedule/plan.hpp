// A steal tree in the form in which a strand follows it: lists of steps between two that are beyond all positions. Pure.
#pragma once

#include "schedule/steal_tree.hpp"

#include <cstdint>
#include <vector>

namespace sennit::detail {

struct step {
  static constexpr std::uint64_t beyond = ~std::uint64_t{0};

  std::uint64_t at = beyond;
  const step* inside = nullptr;  // a list
  const steal* of = nullptr;
};

class plan {
 public:
  // Follows the tree as long as that exists.
  explicit plan(const steal_tree& tree);

  const step* root() const noexcept { return root_; }
  std::uint32_t roles() const noexcept { return roles_; }

 private:
  const step* add(const std::vector<steal>& list);

  std::vector<step> steps_;  // never grows: steps are pointed at
  const step* root_;
  std::uint32_t roles_;
};

}  // namespace sennit::detail
