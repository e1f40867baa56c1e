// A schedule in the format that Perfetto and chrome://tracing read.
#pragma once

#include <sennit/schedule.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace command {

// One process, with a thread for each worker: complete events for what it ran, asynchronous ones for pauses,
// and arrows from whom something was taken and to where a strand goes on. Throws gallery::input_error if the
// times are not known.
std::string trace_events(const sennit::schedule& s, std::string_view name);
// The same to a file, and says so. Throws gallery::input_error if that cannot be written, too.
void write_trace(const sennit::schedule& s, std::string_view name, const std::filesystem::path& file);

}  // namespace command
