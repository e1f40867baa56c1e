// SPDX-License-Identifier: Apache-2.0
// Random programs that use their stack, in sense and nonsense.
#pragma once

#include <cstdint>
#include <string>

namespace tpal {

struct random_stacks {
  std::uint64_t seed = 0;
  int cases = 1;
  bool jumps_to_registers = false;

  // The input `what` says which of the cases is run; the output is `a`, a digest of all that the case has read from its stack.
  // A case is some blocks that jump to each other until their fuel is used up. No two instructions of cases are in one line.
  std::string source() const;
};

}  // namespace tpal
