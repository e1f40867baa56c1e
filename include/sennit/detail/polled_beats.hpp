// SPDX-License-Identifier: Apache-2.0
// Beats for which code asks.
#pragma once

#include <sennit/detail/clock.hpp>
#include <sennit/detail/config.hpp>

#include <atomic>

namespace sennit::detail {

SENNIT_EXPORT extern std::atomic<unsigned> polled_threads;
// The earliest time of the calling thread's next beat, in ticks.
SENNIT_EXPORT extern constinit thread_local ticks next_poll [[gnu::tls_model("initial-exec")]];
SENNIT_EXPORT SENNIT_COLD bool take_polled_beat() noexcept;

SENNIT_INLINE bool any_polled_beats() noexcept { return polled_threads.load(std::memory_order_relaxed) != 0; }

// As beat_due(), in code that may be on another thread by now: the compiler sees no address of a thread-local.
SENNIT_EXPORT [[gnu::noinline]] bool polled_beat_due() noexcept;

}  // namespace sennit::detail
