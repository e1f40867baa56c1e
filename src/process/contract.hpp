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
// sennit::blocking() begins or ends on the calling thread, which may block meanwhile.
void begin_to_allow_blocking() noexcept;
void end_to_allow_blocking() noexcept;

#else

inline void check_contract() noexcept {}
inline bool in_signal_handler() noexcept { return false; }
inline void begin_to_allow_blocking() noexcept {}
inline void end_to_allow_blocking() noexcept {}

#endif

#if SENNIT_CHECKED

// The innermost construct that the calling strand is in; null: none that is known.
const construct_site*& innermost_site() noexcept;
// Whether the calling strand has called exit().
bool program_exits() noexcept;

#endif

}  // namespace sennit::detail
