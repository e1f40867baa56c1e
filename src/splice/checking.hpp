// SPDX-License-Identifier: Apache-2.0
// The interface for the effect checker, which runs splices in place of the splicer.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <cstdint>

namespace sennit::detail {

class call_stack;

// Runs calls first ... first + count - 1 of a splice, each begun by `begin`. Notes the order of their steps
// in the log, unless that is null. Throws the exception of the first call that throws.
using calls_runner = void(std::uint32_t first, std::uint32_t count,
                          void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                          splice_log* log, splice_report& report);

// Null: the splicer runs splices. It is set before main(), and read once for all calls that are interleaved.
SENNIT_EXPORT extern constinit calls_runner* instead_of_splicer;

// Begins a root. If that throws, the exception is the call's failure.
SENNIT_EXPORT void begin_root(void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                              std::uint32_t i, spliced_call& root);
// For a call that has been begun. Returns true if its function declared nothing, and so has run completely,
// at the right place in the order; the call then does not fail.
SENNIT_EXPORT bool accept_as_run(spliced_call& c) noexcept;
// For a call that has been begun: the stack of its function; null if the function has none, or none any
// more.
SENNIT_EXPORT call_stack* stack_of(spliced_call& c) noexcept;

}  // namespace sennit::detail
