// SPDX-License-Identifier: Apache-2.0
// Events that workers look for while they have nothing else: sennit/poller.hpp. For the whole process.
#pragma once

#include <atomic>
#include <string>

namespace sennit {
class poller;
}

namespace sennit::detail {

// Whether events are awaited. A hint.
bool events_awaited() noexcept;
// Looks for events, unless another thread does just now. Returns how many have come.
unsigned poll_events() noexcept;
// A worker that falls asleep asks whether it is to look now and then. False: another one does, or no event is awaited.
bool begin_event_watch() noexcept;
void end_event_watch() noexcept;
// What is awaited, a line for each.
std::string awaited_events();

}  // namespace sennit::detail
