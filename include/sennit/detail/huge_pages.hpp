// SPDX-License-Identifier: Apache-2.0
// Pages of 2 MiB for large memory that is written at many places at once.
#pragma once

#include <sennit/detail/config.hpp>

#include <cstddef>

namespace sennit::detail {

// Asks the kernel for such pages in [memory, memory + bytes), where that is more than a few of them.
SENNIT_EXPORT void prefer_huge_pages(void* memory, std::size_t bytes) noexcept;

}  // namespace sennit::detail
