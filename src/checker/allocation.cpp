// SPDX-License-Identifier: Apache-2.0
// The C library's allocation functions, through which the checker learns what a step has allocated. If a
// program defines its own, the program's functions are used instead.
#include "checker/accesses.hpp"

#include <cerrno>
#include <cstddef>

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

void* noted(void* block, std::size_t bytes) noexcept {
  if (!sennit::checker::idle() && block != nullptr) [[unlikely]]
    sennit::checker::note_allocation(block, bytes);
  return block;
}
void forget(void* block) noexcept {
  if (!sennit::checker::idle() && block != nullptr) [[unlikely]]
    sennit::checker::note_release(block);
}

}  // namespace

void sennit::checker::take_allocation() noexcept {}

extern "C" {

[[gnu::weak]] void* malloc(std::size_t n) { return noted(__libc_malloc(n), n); }
[[gnu::weak]] void* calloc(std::size_t n, std::size_t bytes) {
  return noted(__libc_calloc(n, bytes), n * bytes);
}
[[gnu::weak]] void* realloc(void* old, std::size_t n) {
  void* const made = __libc_realloc(old, n);
  if (made != nullptr || n == 0) forget(old);
  return noted(made, n);
}
[[gnu::weak]] void* aligned_alloc(std::size_t alignment, std::size_t n) {
  return noted(__libc_memalign(alignment, n), n);
}
[[gnu::weak]] void* memalign(std::size_t alignment, std::size_t n) {
  return noted(__libc_memalign(alignment, n), n);
}
[[gnu::weak]] int posix_memalign(void** block, std::size_t alignment, std::size_t n) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* const made = noted(__libc_memalign(alignment, n), n);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}
[[gnu::weak]] void free(void* block) {
  forget(block);
  __libc_free(block);
}
}
