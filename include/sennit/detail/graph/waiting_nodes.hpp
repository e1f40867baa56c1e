// SPDX-License-Identifier: Apache-2.0
// The lists of nodes that wait for others.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/graph/growing.hpp>
#include <sennit/detail/graph/node.hpp>

#include <atomic>
#include <cstdint>

namespace sennit::detail {

class waiting_nodes {
 public:
  using supply = numbering::supply;  // a strand's
  enum class outcome { made, listed, done };

  // Adds n to the list of the nodes that wait for a node with this state. `made`: n is the first.
  outcome wait_for(node_state& state, node_number n, supply& numbers) {
    auto list = successors(state);
    // ORD[D24] acquire: what the node did, if it is computed; pairs with the exchange in compute().
    std::uint64_t seen = list.load(std::memory_order_acquire);
    if (seen == 0) {
      // ORD[D24] release: how many n waits for; acquire, on failure, as above. Pairs with the exchange in
      // compute(). Model: models/graph.pml.
      if (list.compare_exchange_strong(seen, std::uint64_t{n} + 1, std::memory_order_release,
                                       std::memory_order_acquire))
        return outcome::made;
    }
    if (seen == computed) return outcome::done;
    const std::uint32_t l = numbers.next(numbers_, [&](std::uint32_t i) { links_.ensure(i); });
    do {
      links_[l] = {.node = n, .next = static_cast<std::uint32_t>(seen >> 32)};
      // ORD[D24] release: the link, and how many n waits for; acquire, on failure, as above. Pairs with the
      // exchange in compute(). Model: models/graph.pml.
      if (list.compare_exchange_weak(seen, std::uint64_t{l} << 32 | static_cast<std::uint32_t>(seen),
                                     std::memory_order_release, std::memory_order_acquire))
        return outcome::listed;
    } while (seen != computed);
    return outcome::done;
  }
  link operator[](std::uint32_t l) noexcept { return links_[l]; }

 private:
  growing<link> links_;
  numbering numbers_;
};

}  // namespace sennit::detail
