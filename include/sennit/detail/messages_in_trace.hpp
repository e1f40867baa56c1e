// SPDX-License-Identifier: Apache-2.0
// What integrations tell the trace of a process that exchanges messages with others. docs/guide/tracing.md has the events.
#pragma once

#include <sennit/detail/config.hpp>
#include <sennit/named.hpp>

#include <cstdint>
#include <string_view>

namespace sennit::detail {

struct message_in_trace {
  bool sent;  // else received
  int peer;   // a rank of all
  int tag;
  std::uint64_t bytes;
};

// Nanoseconds since the trace began; 0: there is none. Precondition: may_be_traced(), as for all of these.
SENNIT_EXPORT SENNIT_COLD std::uint64_t time_in_trace() noexcept;
// A message is sent now, or has come.
SENNIT_EXPORT SENNIT_COLD void trace_message(const message_in_trace& message) noexcept;
// The calling strand has waited since then for what comes from outside.
SENNIT_EXPORT SENNIT_COLD void trace_outside_wait(std::string_view what, std::uint64_t since) noexcept;
// This process is one of several. `ahead_ns`: what the steady clock of rank 0 shows, less what that of this process shows.
SENNIT_EXPORT SENNIT_COLD void trace_rank(unsigned rank, unsigned ranks, std::int64_t ahead_ns) noexcept;

}  // namespace sennit::detail
