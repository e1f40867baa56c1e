// Numbers of native code, and what is said where something has no meaning.
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tpal_native {
namespace {

using number = std::int64_t;

inline double double_of(number bits) { return std::bit_cast<double>(bits); }
inline number bits_of(double d) { return std::bit_cast<number>(d); }
inline number bits_of(number n) { return n; }

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
  return b == -1 ? static_cast<number>(-static_cast<std::uint64_t>(a)) : a / b;
}
inline number remainder(number a, number b, int line) {
  if (b == 0) [[unlikely]]
    fail(line, "division by zero");
  return b == -1 ? 0 : a % b;
}
inline number to_int(double d, int line) {
  constexpr double most = 9223372036854775808.0;
  if (!(d >= -most && d < most)) [[unlikely]]
    fail(line, "the double has no integer of 64 bits");
  return static_cast<number>(d);
}
inline number wrap(std::uint64_t bits) { return static_cast<number>(bits); }
inline std::uint64_t bits(number n) { return static_cast<std::uint64_t>(n); }

inline std::string in_words(number n, bool is_double) {
  if (!is_double) return std::to_string(n);
  const double d = double_of(n);
  if (d != d) return "nan";
  char text[32];
  std::string word(text, std::to_chars(text, text + sizeof text, d).ptr);
  return word.find_first_of(".einf") == std::string::npos ? word + ".0" : word;
}

}  // namespace
}  // namespace tpal_native
