// SPDX-License-Identifier: Apache-2.0
// The sanitizer of this build, and the interface of that sanitizer.
#pragma once

#include <sennit/detail/config.hpp>

#if SENNIT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif SENNIT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace sennit::detail {

// Whether the address is that of a local variable of the calling fiber on ASan's fake stack, where ASan puts
// variables to detect their use after return.
inline bool on_fake_stack([[maybe_unused]] const void* address) noexcept {
#if SENNIT_ASAN
  void* first = nullptr;
  void* last = nullptr;
  void* const fake = __asan_get_current_fake_stack();
  return fake != nullptr &&
         __asan_addr_is_in_fake_stack(fake, const_cast<void*>(address), &first, &last) != nullptr;
#else
  return false;
#endif
}

}  // namespace sennit::detail
