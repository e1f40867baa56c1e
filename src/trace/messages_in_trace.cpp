// SPDX-License-Identifier: Apache-2.0
// Messages of a process that is one of several.
#include "trace/tracer.hpp"

#include <sennit/detail/messages_in_trace.hpp>

namespace sennit::detail {

std::uint64_t time_in_trace() noexcept {
  const tracer* const all = tracer::current(0);
  return all != nullptr ? all->now() : 0;
}

void trace_message(const message_in_trace& message) noexcept {
  if (tracer* const all = tracer::current(0)) all->tell_message(message);
}

void trace_outside_wait(std::string_view what, std::uint64_t since) noexcept {
  if (tracer* const all = tracer::current(0)) all->tell_outside_wait(what, since);
}

void trace_rank(unsigned rank, unsigned ranks, std::int64_t ahead_ns) noexcept {
  if (tracer* const all = tracer::current(0)) all->tell_rank(rank, ranks, ahead_ns);
}

}  // namespace sennit::detail
