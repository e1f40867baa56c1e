// Which sanitizer this is built with, and its interface.
#pragma once

#include <sennit/detail/config.hpp>

#if SENNIT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif SENNIT_TSAN
#include <sanitizer/tsan_interface.h>
#endif
