#include "system/failure.hpp"

#include <sennit/numa_array.hpp>

#include <sys/mman.h>

namespace sennit::detail {

void* reserve_pages(std::size_t bytes, page_size size) {
  // Not from malloc, which may return memory that has been touched before.
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail_for_memory();
  // A hint to the kernel. By default, the first write to a page of 4 KiB must not place 2 MiB.
  madvise(memory, bytes, size == page_size::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return memory;
}

void return_pages(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

}  // namespace sennit::detail
