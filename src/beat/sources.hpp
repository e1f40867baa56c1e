// SPDX-License-Identifier: Apache-2.0
// The library's own sources of beats.
#pragma once

#include <sennit/beats.hpp>
#include <sennit/ext/beat_source.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace sennit::detail {

std::unique_ptr<ext::beat_source> make_posix_timers();
std::unique_ptr<ext::beat_source> make_ping_thread(std::chrono::nanoseconds period);
std::unique_ptr<ext::beat_source> make_perf_events();
std::unique_ptr<ext::beat_source> make_polled();

// "what: message of the error; remedy".
std::string refused(const char* what, int error, const char* remedy);

}  // namespace sennit::detail
