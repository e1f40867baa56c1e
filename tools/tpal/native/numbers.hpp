// SPDX-License-Identifier: Apache-2.0
// Numbers: the command and the native code that it makes compute, read and print them alike.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tpal_native {

using number = std::int64_t;

inline double double_of(number bits) { return std::bit_cast<double>(bits); }
inline number bits_of(double d) { return std::bit_cast<number>(d); }
inline number bits_of(number n) { return n; }

// Integers wrap around.
inline number wrap(std::uint64_t bits) { return static_cast<number>(bits); }
inline std::uint64_t bits(number n) { return static_cast<std::uint64_t>(n); }

// Precondition: b is not 0. The smallest number divided by -1 is no number of 64 bits: it wraps.
inline number quotient(number a, number b) { return b == -1 ? wrap(-bits(a)) : a / b; }
inline number rest(number a, number b) { return b == -1 ? 0 : a % b; }

// Whether it has an integer of 64 bits, rounded towards zero.
inline bool has_integer(double d) {
  constexpr double most = 9223372036854775808.0;
  return d >= -most && d < most;
}

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

}  // namespace tpal_native
