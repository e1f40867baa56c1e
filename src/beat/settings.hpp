// SENNIT_BEAT, and the names of the sources.
#pragma once

#include <sennit/beats.hpp>

#include <chrono>

namespace sennit::detail {

struct beat_settings {
  std::chrono::nanoseconds period;
  beat_source_kind source;
};

// With the environment consulted for what the program leaves open. Throws std::invalid_argument that names
// the option or the variable, its value, and what it may be.
beat_settings resolve(const beats_options& options);

}  // namespace sennit::detail
