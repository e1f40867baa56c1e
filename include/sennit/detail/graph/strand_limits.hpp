// SPDX-License-Identifier: Apache-2.0
// The limits of the node that a strand of a run has.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/limited_work.hpp>
#include <sennit/detail/graph/node.hpp>

#include <utility>

namespace sennit::detail {

// Limited: the nodes of the run may have limits.
template <bool Limited>
class strand_limits {
 public:
  // Whether the node that is next has waited for a permit, and has it: it must not be put off.
  bool is_admitted() const noexcept { return is_admitted_; }
  // Returns false if the node waits for a permit. `find`: puts the node's limits into an item_limits.
  template <class Find>
  bool enter(limited_work& all, node_number n, const Find& find) {
    if (!std::exchange(is_admitted_, false)) find(of_node_);
    return all.enter(n, of_node_);
  }
  // Returns the node that goes on next in this strand; `nobody` if there is none.
  node_number leave(limited_work& all) noexcept {
    limited_work::waiting_item* const admitted = all.leave(of_node_);
    return admitted != nullptr ? take(all, *admitted) : nobody;
  }
  node_number take(limited_work& all, limited_work::waiting_item& admitted) noexcept {
    is_admitted_ = true;
    return static_cast<node_number>(all.take(admitted, of_node_));
  }
  void drop(limited_work& all) noexcept { all.drop(of_node_); }

 private:
  item_limits of_node_;  // that is running, or is the next
  bool is_admitted_ = false;
};

template <>
class strand_limits<false> {
 public:
  static constexpr bool is_admitted() noexcept { return false; }
};

}  // namespace sennit::detail
