// Which sanitizer this is built with, and its interface.
#pragma once

#include <sennit/detail/config.hpp>

#if SENNIT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif SENNIT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace sennit::detail {

// Where a local variable would be without the fake stacks that ASan has for those whose use after return it is to find; any other
// address as it is.
inline const void* on_real_stack(const void* address) noexcept {
#if SENNIT_ASAN
  void* first = nullptr;
  void* last = nullptr;
  void* const fake = __asan_get_current_fake_stack();
  void* const frame = fake != nullptr
                          ? __asan_addr_is_in_fake_stack(fake, const_cast<void*>(address), &first, &last)
                          : nullptr;
  return frame != nullptr ? frame : address;
#else
  return address;
#endif
}

}  // namespace sennit::detail
