// Options of a runtime, with the environment and the machine consulted.
#pragma once

#include <sennit/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sennit::detail {

struct settings {
  unsigned workers;
  std::size_t stack_bytes;
  steal_barrier barrier;  // never automatic
  pin_mode pin;
  std::string topology;
  bool check_contract;
  std::uint64_t beat_ns;  // 0: promotion on demand
};

// The period in nanoseconds. Throws std::invalid_argument that names `what`, if it is none that beats can have.
std::uint64_t beat_ns_of(promotion when, const char* what);

// Throws std::invalid_argument that names the option or the variable, its value, and what it may be.
settings resolve(const runtime_options& options);

}  // namespace sennit::detail
