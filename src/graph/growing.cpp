// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/growing.hpp>

#include <limits>

namespace sennit::detail {

std::uint32_t numbering::take_block() {
  const std::uint64_t first = blocks_.fetch_add(1, std::memory_order_relaxed) * block;
  if (first >= std::numeric_limits<std::uint32_t>::max() - block) fail_for_memory();
  return static_cast<std::uint32_t>(first);
}

}  // namespace sennit::detail
