// SPDX-License-Identifier: Apache-2.0
// The random numbers of the NAS Parallel Benchmarks (Bailey et al., RNR-94-007, 2.3): x := 5^13 x mod 2^46.
#pragma once

#include <cstdint>

namespace gallery {

class nas_random {
 public:
  // The next one, from 0 to 1.
  double next() {
    state_ = state_ * 1220703125 % (std::uint64_t{1} << 46);
    return static_cast<double>(state_) * 0x1p-46;
  }

 private:
  std::uint64_t state_ = 314159265;
};

}  // namespace gallery
