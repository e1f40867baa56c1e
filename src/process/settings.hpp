// SPDX-License-Identifier: Apache-2.0
// Options of a runtime, with the environment and the machine consulted.
#pragma once

#include "process/environment.hpp"

#include <sennit/runtime.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sennit::detail {

struct settings {
  unsigned workers;
  std::size_t stack_bytes;
  steal_barrier barrier;  // never automatic
  pin_mode pin;
  std::string topology;
  bool check_contract;
  std::uint64_t beat_ns;      // 0: promotion on demand
  std::uint64_t watchdog_ns;  // 0: none watches
};

// The period in nanoseconds. Throws std::invalid_argument that names `what`, if it is none that beats can
// have.
std::uint64_t beat_ns_of(promotion when, const char* what);

// Throws std::invalid_argument that names the option or the variable, its value, and what it may be.
settings resolve(const runtime_options& options);

// Chooses the number of the signal that beats come with, unless it has been chosen: one that nobody handles
// yet. Throws std::invalid_argument for a bad SENNIT_BEAT_SIGNAL, chosen or not.
int choose_beat_signal();
// Which one has been chosen.
int beat_signal() noexcept;

}  // namespace sennit::detail
