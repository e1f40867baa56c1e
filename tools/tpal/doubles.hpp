// SPDX-License-Identifier: Apache-2.0
// Doubles: their operations.
#pragma once

#include "tools/tpal/arithmetic.hpp"
#include "tools/tpal/native/numbers.hpp"
#include "tools/tpal/program.hpp"

#include <cstdint>

namespace tpal {

using tpal_native::bits_of;
using tpal_native::double_of;
using tpal_native::has_integer;
using tpal_native::in_decimal;
using tpal_native::to_double;

inline bool is_of_doubles(operation op) { return op >= operation::double_add; }
inline bool gives_double(operation op) { return is_of_doubles(op) && op <= operation::double_divide; }

// Of an operation that gives a double.
inline double compute(operation op, double a, double b) {
  switch (op) {
    case operation::double_subtract: return a - b;
    case operation::double_multiply: return a * b;
    case operation::double_divide: return a / b;
    default: return a + b;
  }
}

// Of a comparison of doubles.
inline std::int64_t compare(operation op, double a, double b) {
  switch (op) {
    case operation::double_less: return truth(a < b);
    case operation::double_less_equal: return truth(a <= b);
    case operation::double_greater: return truth(a > b);
    case operation::double_greater_equal: return truth(a >= b);
    case operation::double_equal: return truth(a == b);
    default: return truth(a != b);
  }
}

}  // namespace tpal
