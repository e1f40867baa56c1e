#include "core/failure.hpp"

#include <sennit/detail/graph_dense.hpp>
#include <sennit/detail/graph_values.hpp>
#include <sennit/detail/growing.hpp>

#include <stdexcept>
#include <string>

namespace sennit::detail {

std::uint32_t numbering::take_block() {
  const std::uint64_t first = blocks_.fetch_add(1, std::memory_order_relaxed) * block;
  if (first >= most_nodes - block) fail_for_memory();
  return static_cast<std::uint32_t>(first);
}

std::uint32_t count_of_nodes(const std::uint64_t* extents, std::size_t rank) {
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (extents[d] > most_nodes || (count *= extents[d]) > most_nodes) {
      fail<std::length_error>("sennit: a dense graph has at most 2^32 - 2 nodes; hash the keys of one that "
                              "is found only in part");
    }
  }
  return static_cast<std::uint32_t>(count);
}

void throw_key_outside(const std::string& key, const std::uint32_t* extents, std::size_t rank) {
  std::string box;
  for (std::size_t d = 0; d < rank; ++d) box += (d == 0 ? "" : " x ") + std::to_string(extents[d]);
  fail<std::out_of_range>("sennit: the key " + key + " is not in the dense graph's extents, " + box);
}

void throw_value_freed() {
  fail<std::logic_error>("sennit: a node reads the value of one that has none any more: it is no "
                         "predecessor, or was freed when all nodes that "
                         "were known to read it had been computed, before this one was created");
}

}  // namespace sennit::detail
