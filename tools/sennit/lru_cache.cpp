// SPDX-License-Identifier: Apache-2.0
#include "tools/sennit/lru_cache.hpp"

#include <algorithm>

namespace command {

lru_cache::lru_cache(std::uint32_t lines, std::uint32_t room)
    : room_(std::max(room, 1U)),
      before_(std::size_t{lines} + 1, nowhere),
      after_(std::size_t{lines} + 1, nowhere) {
  before_[lines] = after_[lines] = lines;
}

}  // namespace command
