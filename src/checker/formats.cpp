// SPDX-License-Identifier: Apache-2.0
// What the arguments of printf and scanf are, by their formats.
#include "checker/call_accesses.hpp"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cwchar>

namespace sennit::checker {

namespace {

constexpr std::size_t any = SIZE_MAX;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// One conversion, such as %-8.3ld.
struct conversion {
  char kind = 0;  // the last letter; 0: the format has ended, or is not understood
  bool star = false;
  bool counted = false;  // its precision is an argument
  bool assigned = true;  // not skipped
  std::size_t width = any;
  std::size_t precision = any;
  int longs = 0;      // l: 1, ll: 2, h: -1, hh: -2
  bool big = false;   // L
  bool word = false;  // j, z, t
};

class conversions {
 public:
  explicit conversions(const char* format) noexcept : at_(format) {}

  conversion next(bool scanned) noexcept {
    conversion c;
    for (;; ++at_) {
      while (*at_ != 0 && *at_ != '%') ++at_;
      if (*at_ == 0) return c;
      if (at_[1] != '%') break;
      ++at_;
    }
    ++at_;
    while (*at_ == '-' || *at_ == '+' || *at_ == ' ' || *at_ == '#' || *at_ == '0' || *at_ == '\'') ++at_;
    if (*at_ == '*') {
      ++at_;
      (scanned ? c.assigned : c.star) = !scanned;
    }
    c.width = number();
    if (*at_ == '.') {
      ++at_;
      if (*at_ == '*') {
        ++at_;
        c.counted = true;
      } else {
        c.precision = is_digit(*at_) ? number() : 0;
      }
    }
    for (;; ++at_) {
      if (*at_ == 'l') {
        ++c.longs;
      } else if (*at_ == 'h') {
        --c.longs;
      } else if (*at_ == 'L') {
        c.big = true;
      } else if (*at_ == 'j' || *at_ == 'z' || *at_ == 't') {
        c.word = true;
      } else {
        break;
      }
    }
    c.kind = *at_ == '$' || *at_ == 'm' ? 0 : *at_;
    if (c.kind == '[') skip_set();
    if (c.kind != 0) ++at_;
    return c;
  }

 private:
  std::size_t number() noexcept {
    if (!is_digit(*at_)) return any;
    std::size_t n = 0;
    for (; is_digit(*at_); ++at_) n = n * 10 + static_cast<std::size_t>(*at_ - '0');
    return n;
  }
  // [...], where a ] that comes first belongs to the set.
  void skip_set() noexcept {
    ++at_;
    if (*at_ == '^') ++at_;
    if (*at_ == ']') ++at_;
    while (*at_ != 0 && *at_ != ']') ++at_;
    if (*at_ == 0) --at_;
  }

  const char* at_;
};

std::size_t integer_bytes(const conversion& c) noexcept {
  if (c.word || c.longs > 0) return 8;
  return c.longs == 0 ? 4 : c.longs == -1 ? 2 : 1;
}

bool is_one_of(char c, const char* letters) noexcept {
  for (; *letters != 0; ++letters) {
    if (*letters == c) return true;
  }
  return false;
}

}  // namespace

static_assert(sizeof(long) == 8 && sizeof(std::intmax_t) == 8 && sizeof(std::size_t) == 8);

void note_printed(const call_accesses& call, const char* format, std::va_list values) noexcept {
  conversions all(format);
  for (;;) {
    conversion c = all.next(false);
    if (c.kind == 0) return;
    if (c.star) static_cast<void>(va_arg(values, int));
    if (c.counted) {
      const int most = va_arg(values, int);
      c.precision = most < 0 ? any : static_cast<std::size_t>(most);
    }
    if (is_one_of(c.kind, "diouxXc")) {
      if (integer_bytes(c) == 8) {
        static_cast<void>(va_arg(values, long));
      } else {
        static_cast<void>(va_arg(values, int));
      }
    } else if (is_one_of(c.kind, "aAeEfFgG")) {
      if (c.big) {
        static_cast<void>(va_arg(values, long double));
      } else {
        static_cast<void>(va_arg(values, double));
      }
    } else if (c.kind == 's' && c.longs == 0) {
      if (const char* const text = va_arg(values, const char*)) call.reads_text(text, c.precision);
    } else if (c.kind == 'n') {
      call.writes(va_arg(values, void*), integer_bytes(c));
    } else if (c.kind == 'p' || c.kind == 's') {
      static_cast<void>(va_arg(values, void*));
    } else {
      return;
    }
  }
}

void note_scanned(const call_accesses& call, int stored, const char* format, std::va_list values) noexcept {
  conversions all(format);
  while (stored > 0) {
    const conversion c = all.next(true);
    if (c.kind == 0) return;
    if (!c.assigned) continue;
    char* const to = va_arg(values, char*);
    const bool wide = c.longs > 0;
    if (is_one_of(c.kind, "diouxXn")) {
      call.writes(to, integer_bytes(c));
    } else if (is_one_of(c.kind, "aAeEfFgG")) {
      call.writes(to, c.big ? sizeof(long double) : c.longs > 0 ? sizeof(double) : sizeof(float));
    } else if (c.kind == 'p') {
      call.writes(to, sizeof(void*));
    } else if (c.kind == 'c') {
      call.writes(to, (c.width == any ? 1 : c.width) * (wide ? sizeof(wchar_t) : 1));
    } else if (!wide && (c.kind == 's' || c.kind == '[')) {
      call.writes_text(to);
    } else if (!is_one_of(c.kind, "s[")) {
      return;
    }
    if (c.kind != 'n') --stored;
  }
}

}  // namespace sennit::checker
