// SPDX-License-Identifier: Apache-2.0
// Free blocks of memory, each of which holds the address of the next one.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace sennit::detail {

// It belongs to one thread at a time. The blocks come from ::operator new.
class block_chain {
 public:
  block_chain() = default;
  block_chain(const block_chain&) = delete;
  block_chain& operator=(const block_chain&) = delete;
  ~block_chain() { clear(); }

  std::size_t count() const noexcept { return count_; }
  void push(void* memory) noexcept {
    first_ = ::new (memory) block{first_};
    ++count_;
  }
  // Null if there is none.
  void* pop() noexcept {
    if (first_ == nullptr) return nullptr;
    --count_;
    return std::exchange(first_, first_->next);
  }
  void clear() noexcept {
    while (void* const memory = pop()) ::operator delete(memory);
  }

 private:
  struct block {
    block* next;
  };
  block* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace sennit::detail
