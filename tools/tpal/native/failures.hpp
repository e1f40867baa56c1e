// SPDX-License-Identifier: Apache-2.0
// What native code says where something has no meaning.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tpal_native {
namespace {

extern const char* const file;
extern const bool is_function;  // that C++ calls; else a program

// The line is 0 if no line is at fault.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(int line, const char* what) {
  const std::string place = line == 0 ? file : file + (":" + std::to_string(line));
  if (is_function) throw std::runtime_error(place + ": " + what);
  std::fprintf(stderr, "%s: error: %s\n", place.c_str(), what);
  std::fflush(stdout);
  std::_Exit(1);
}

inline number divide(number a, number b, int line) {
  if (b == 0) [[unlikely]]
    fail(line, "division by zero");
  return quotient(a, b);
}
inline number remainder(number a, number b, int line) {
  if (b == 0) [[unlikely]]
    fail(line, "division by zero");
  return rest(a, b);
}
inline number to_int(double d, int line) {
  if (!has_integer(d)) [[unlikely]]
    fail(line, "the double has no integer of 64 bits");
  return static_cast<number>(d);
}

}  // namespace
}  // namespace tpal_native
