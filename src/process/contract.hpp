// SPDX-License-Identifier: Apache-2.0
// What the checked variant looks at where a construct begins or its strand may change threads: a strand holds
// no lock then, because it may come out on another thread, and no construct is in a signal handler.
// docs/guide/debugging.md has the rules.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/construct_site.hpp>

// Sanitizers replace the functions of the C library that this replaces.
#if SENNIT_CHECKED && !SENNIT_ASAN && !SENNIT_TSAN
#define SENNIT_SEES_LOCKS 1
#else
#define SENNIT_SEES_LOCKS 0
#endif

namespace sennit::detail {

// Whether this build of the library can see the program's locks.
constexpr bool can_check_contract() noexcept { return SENNIT_SEES_LOCKS != 0; }

#if SENNIT_SEES_LOCKS

// Ends the program with a message if the calling thread holds a lock of pthreads (a std::mutex is one), or
// runs a signal handler.
void check_contract() noexcept;
// Whether the calling thread runs a signal handler that the program has set.
bool in_signal_handler() noexcept;

#else

inline void check_contract() noexcept {}
inline bool in_signal_handler() noexcept { return false; }

#endif

#if SENNIT_CHECKED

// The function that knows the construct that the calling strand is in. There is one object, made when the
// library is loaded.
struct known_sites {
  // Null: none that is known.
  using innermost = const construct_site* (*)() noexcept;
  explicit known_sites(innermost find) noexcept;
};

#endif

}  // namespace sennit::detail
