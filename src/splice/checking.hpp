// The door for the effect checker, which runs splices in the splicer's place.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/detail/splice/spliced_call.hpp>
#include <sennit/splice.hpp>

#include <cstdint>

namespace sennit::detail {

class call_stack;

// Runs calls first ... first + count - 1 of a splice, each begun by `begin`, notes the order of their steps
// in a log that is not null, and throws what the first of the calls throws that does.
using calls_runner = void(std::uint32_t first, std::uint32_t count,
                          void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                          splice_log* log, splice_report& report);

// Null: the splicer does. Set before main(), and read once for all calls that are spliced together.
SENNIT_EXPORT extern constinit calls_runner* instead_of_splicer;

// Begins a root; what that throws is the call's failure.
SENNIT_EXPORT void begin_root(void (*begin)(const void*, std::uint32_t, spliced_call&), const void* object,
                              std::uint32_t i, spliced_call& root);
// Of a call that has been begun. True: it is of a function that has declared nothing, and so has been run, in
// its turn; it does not fail for that, then.
SENNIT_EXPORT bool accept_as_run(spliced_call& c) noexcept;
// Of a call that has been begun: the stack of its function; null if it has none, or none any more.
SENNIT_EXPORT call_stack* stack_of(spliced_call& c) noexcept;

}  // namespace sennit::detail
