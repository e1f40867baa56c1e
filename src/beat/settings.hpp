// SPDX-License-Identifier: Apache-2.0
// SENNIT_BEAT and SENNIT_BEAT_SHARE, and the names of the sources.
#pragma once

#include <sennit/beats.hpp>

#include <chrono>

namespace sennit::detail {

struct beat_settings {
  std::chrono::nanoseconds period;  // as asked for
  beat_source_kind source;
  double most_share;
};

// Fills what the program leaves open from the environment. Throws std::invalid_argument, which names the
// option or the variable, its value, and the allowed values.
beat_settings resolve(const beats_options& options);

}  // namespace sennit::detail
