// Doubles: their operations, and how they are written.
#pragma once

#include "tools/tpal/arithmetic.hpp"
#include "tools/tpal/program.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tpal {

inline double double_of(std::int64_t bits) { return std::bit_cast<double>(bits); }
inline std::int64_t bits_of(double d) { return std::bit_cast<std::int64_t>(d); }

// The shortest text that is read as the same double, and as no integer.
inline std::string in_decimal(double d) {
  if (std::isnan(d)) return "nan";
  char text[32];
  std::string word(text, std::to_chars(text, text + sizeof text, d).ptr);
  return word.find_first_of(".einf") == std::string::npos ? word + ".0" : word;
}

// The whole word, which may be an integer, too.
inline std::optional<double> to_double(std::string_view word) {
  double d = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), d);
  if (error != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
  return d;
}

// Rounded towards zero; nothing for what has no integer of 64 bits.
inline std::optional<std::int64_t> to_integer(double d) {
  constexpr double most = 9223372036854775808.0;
  if (!(d >= -most && d < most)) return std::nullopt;
  return static_cast<std::int64_t>(d);
}

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
