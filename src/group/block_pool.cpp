// SPDX-License-Identifier: Apache-2.0
#include "system/spare_blocks.hpp"
#include "worker/worker.hpp"

#include <sennit/detail/group/block_pool.hpp>

#include <cstddef>
#include <new>
#include <utility>

namespace sennit::detail {

// Where groups lie in groups, such pieces are made and freed all the time.
void block_pool::grow() {
  static_assert(first_piece_bytes == spare_blocks::bytes);
  worker* const here = pieces_ == nullptr ? worker::current() : nullptr;
  void* memory = here != nullptr ? here->spare().take() : nullptr;
  if (memory == nullptr) memory = ::operator new(piece_bytes_);
  // What is left of the last piece is too small, and lost until release().
  pieces_ = ::new (memory) piece{pieces_};
  begin_ = static_cast<std::byte*>(memory) + unit;
  end_ = static_cast<std::byte*>(memory) + piece_bytes_;
  if (piece_bytes_ < 8 * first_piece_bytes) piece_bytes_ *= 2;
}

void block_pool::release_pieces() noexcept {
  // The first one lies at the end of the list.
  while (pieces_->next != nullptr) {
    piece* const next = pieces_->next;
    ::operator delete(std::exchange(pieces_, next));
  }
  void* const first = std::exchange(pieces_, nullptr);
  worker* const here = worker::current();
  if (here == nullptr || !here->spare().keep(first)) ::operator delete(first);
  piece_bytes_ = first_piece_bytes;
}

}  // namespace sennit::detail
