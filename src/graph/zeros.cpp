// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/graph/zeros.hpp>
#include <sennit/numa_array.hpp>

#include <cstring>
#include <new>

namespace sennit::detail {

namespace {

constexpr std::size_t most_from_heap = 64 << 10;
constexpr std::align_val_t line{64};

}  // namespace

void* reserve_zeros(std::size_t bytes) {
  if (bytes > most_from_heap) return reserve_pages(bytes, page_size::huge);
  void* const memory = ::operator new(bytes, line, std::nothrow);
  if (memory == nullptr) fail_for_memory();
  return std::memset(memory, 0, bytes);
}

void return_zeros(void* memory, std::size_t bytes) noexcept {
  if (bytes > most_from_heap) return return_pages(memory, bytes);
  ::operator delete(memory, line);
}

}  // namespace sennit::detail
