// SPDX-License-Identifier: Apache-2.0
// Small blocks of memory that one strand at a time allocates and frees.
#pragma once

#include <sennit/detail/config.hpp>

#include <array>
#include <cstddef>
#include <new>

namespace sennit::detail {

// A freed block is the next one of its size. The first few are within the pool; the others come in pieces
// that grow, and go back all together. What is large or strictly aligned is allocated singly.
class SENNIT_EXPORT block_pool {
 public:
  block_pool() = default;
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool() { release(); }

  // Throws std::bad_alloc.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    if (bytes > largest || alignment > alignof(std::max_align_t)) [[unlikely]]
      return ::operator new(bytes, std::align_val_t(alignment));
    const std::size_t kind = (bytes - 1) / unit;
    if (block* const freed = freed_[kind]) [[likely]] {
      freed_[kind] = freed->next;
      return freed;
    }
    const std::size_t rounded = (kind + 1) * unit;
    if (static_cast<std::size_t>(end_ - begin_) < rounded) grow();
    std::byte* const made = begin_;
    begin_ += rounded;
    return made;
  }
  void free(void* freed, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > largest || alignment > alignof(std::max_align_t)) [[unlikely]] {
      ::operator delete(freed, std::align_val_t(alignment));
      return;
    }
    const std::size_t kind = (bytes - 1) / unit;
    freed_[kind] = ::new (freed) block{freed_[kind]};
  }
  // All blocks have been freed: gives their memory back.
  void release() noexcept {
    freed_ = {};
    begin_ = nearby_.data();
    end_ = begin_ + nearby_.size();
    if (pieces_ != nullptr) release_pieces();
  }

 private:
  struct block {
    block* next;
  };
  struct piece {
    piece* next;
  };
  static constexpr std::size_t unit = 64;
  static constexpr std::size_t largest = 8 * unit;
  static constexpr std::size_t first_piece_bytes = 8192;

  void grow();
  void release_pieces() noexcept;

  std::array<block*, largest / unit> freed_{};
  piece* pieces_ = nullptr;
  std::size_t piece_bytes_ = first_piece_bytes;
  alignas(std::max_align_t) std::array<std::byte, 8 * unit> nearby_;
  std::byte* begin_ = nearby_.data();
  std::byte* end_ = begin_ + nearby_.size();
};

}  // namespace sennit::detail
