// A schedule in the format that Perfetto and chrome://tracing read.
#pragma once

#include <sennit/schedule.hpp>

#include <string>
#include <string_view>

namespace command {

// One process, with a thread for each worker: complete events for what it ran, asynchronous ones for pauses,
// and arrows from whom something was taken and to where a strand goes on. Throws gallery::input_error if the
// times are not known.
std::string trace_events(const sennit::schedule& s, std::string_view name);
// What is said of a file with them.
inline constexpr std::string_view trace_remark = "; open it in https://ui.perfetto.dev or chrome://tracing.";

}  // namespace command
