// Options of a runtime, with the environment and the machine consulted.
#pragma once

#include <sennit/runtime.hpp>

#include <cstddef>
#include <string>

namespace sennit::detail {

struct settings {
  unsigned workers;
  std::size_t stack_bytes;
  steal_barrier barrier;  // never automatic
  pin_mode pin;
  std::string topology;
  bool check_contract;
};

// Throws std::invalid_argument that names the option or the variable, its value, and what it may be.
settings resolve(const runtime_options& options);

}  // namespace sennit::detail
