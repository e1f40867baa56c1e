// SPDX-License-Identifier: Apache-2.0
// Memory that a thread has freed and will soon need again.
#pragma once

#include "system/block_chain.hpp"

#include <sennit/detail/config.hpp>

#include <cstddef>

namespace sennit::detail {

// Blocks of one size, at most so many. malloc gives those at the end of the heap back to the system, and takes them again
// with the next call: both cost more than what most callers do with the block. It belongs to one thread at a time.
class spare_blocks {
 public:
  static constexpr std::size_t bytes = 8192;
  // Sanitizers follow a block only through malloc.
  static constexpr std::size_t most = SENNIT_ASAN || SENNIT_TSAN ? 0 : 64;

  // Null if there is none.
  void* take() noexcept { return kept_.pop(); }
  // False: there are enough.
  bool keep(void* block) noexcept {
    if (kept_.count() >= most) return false;
    kept_.push(block);
    return true;
  }
  void trim() noexcept { kept_.clear(); }

 private:
  block_chain kept_;
};

}  // namespace sennit::detail
