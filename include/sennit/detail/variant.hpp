// SPDX-License-Identifier: Apache-2.0
// A program refers to a symbol that exists only in the variant of the library for which the program is
// built. If another variant is linked, the linker names the missing symbol. The cost is a word of constant
// data, and no instruction.
#pragma once

#include <sennit/detail/config.hpp>

#if SENNIT_CHECKED && SENNIT_TSAN
#define SENNIT_VARIANT_TAG sennit_built_checked_for_fsanitize_thread_needs_its_own_library
#elif SENNIT_CHECKED && SENNIT_ASAN
#define SENNIT_VARIANT_TAG sennit_built_checked_for_fsanitize_address_needs_its_own_library
#elif SENNIT_CHECKED
#define SENNIT_VARIANT_TAG sennit_built_with_SENNIT_CHECKED_needs_library_sennit_checked
#elif SENNIT_TSAN
#define SENNIT_VARIANT_TAG sennit_built_with_fsanitize_thread_needs_library_sennit_tsan
#elif SENNIT_ASAN
#define SENNIT_VARIANT_TAG sennit_built_with_fsanitize_address_needs_library_sennit_asan
#else
#define SENNIT_VARIANT_TAG sennit_built_without_sanitizers_needs_library_sennit
#endif

extern "C" SENNIT_EXPORT const char SENNIT_VARIANT_TAG;

namespace sennit::detail {

[[gnu::used]] static constexpr const char* variant_tag = &SENNIT_VARIANT_TAG;

}  // namespace sennit::detail
