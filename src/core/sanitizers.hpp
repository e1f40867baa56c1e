// Which sanitizer this is built with, and its interface.
#pragma once

#include <sennit/detail/config.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define SENNIT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SENNIT_ASAN 1
#endif
#endif

#if defined(SENNIT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif SENNIT_TSAN
#include <sanitizer/tsan_interface.h>
#endif
