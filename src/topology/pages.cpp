// SPDX-License-Identifier: Apache-2.0
#include <sennit/detail/failure.hpp>
#include <sennit/detail/huge_pages.hpp>
#include <sennit/numa_array.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace sennit::detail {

void* reserve_pages(std::size_t bytes, page_size size) {
  // Not from malloc, which may return memory that has been touched before.
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_for_memory();
  // A hint to the kernel. By default, the first write to a page of 4 KiB must not place 2 MiB.
  madvise(memory, bytes, size == page_size::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return memory;
}

void prefer_huge_pages(void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t worth_a_call = std::size_t{4} << 20;
  if (bytes < worth_a_call) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  // Only a hint: without such pages everything works as before.
  madvise(reinterpret_cast<void*>(first), (begin + bytes - first) / page * page, MADV_HUGEPAGE);
}

void return_pages(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

}  // namespace sennit::detail
