// SPDX-License-Identifier: Apache-2.0
// A schedule in the format of Perfetto and chrome://tracing.
#pragma once

#include <sennit/schedule.hpp>

#include <string>
#include <string_view>

namespace command {

// One process, with a thread for each worker: complete events for what a worker ran, asynchronous events for
// pauses, and arrows from the victim of a steal to the thief, and from the end of a pause to where the
// strand continues. Throws gallery::input_error if the times are not known.
std::string trace_events(const sennit::schedule& s, std::string_view name);
// The remark in the message about a file with these events.
inline constexpr std::string_view trace_remark = "; open it in https://ui.perfetto.dev or chrome://tracing.";

}  // namespace command
