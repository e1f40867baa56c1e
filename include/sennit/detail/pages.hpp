// Memory in large pages.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>

namespace sennit::detail {

// Asks the kernel for pages of 2 MiB in [memory, memory + bytes), where that is more than a few of them.
SENNIT_EXPORT void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace sennit::detail
