// SPDX-License-Identifier: Apache-2.0
// The primitive operations, on integers of 64 bits that wrap around.
#pragma once

#include "tools/tpal/native/numbers.hpp"
#include "tools/tpal/program.hpp"

#include <cstdint>

namespace tpal {

// Zero is true, as `if-jump` has it: Rainey et al., 2021, Fig. 2. Precondition: no division by zero.
inline std::int64_t truth(bool holds) { return holds ? 0 : 1; }

inline std::int64_t compute(operation op, std::int64_t a, std::int64_t b) {
  using tpal_native::wrap;
  const std::uint64_t x = tpal_native::bits(a);
  const std::uint64_t y = tpal_native::bits(b);
  switch (op) {
    case operation::add: return wrap(x + y);
    case operation::subtract: return wrap(x - y);
    case operation::multiply: return wrap(x * y);
    case operation::divide: return tpal_native::quotient(a, b);
    case operation::remainder: return tpal_native::rest(a, b);
    case operation::less: return truth(a < b);
    case operation::less_equal: return truth(a <= b);
    case operation::greater: return truth(a > b);
    case operation::greater_equal: return truth(a >= b);
    case operation::equal: return truth(a == b);
    case operation::not_equal: return truth(a != b);
    case operation::bit_and: return wrap(x & y);
    case operation::bit_or: return wrap(x | y);
    case operation::bit_xor: return wrap(x ^ y);
    case operation::shift_left: return wrap(x << (y & 63U));
    case operation::shift_right: return a >> (y & 63U);
    default: return 0;  // an operation of doubles
  }
}

}  // namespace tpal
