// SPDX-License-Identifier: Apache-2.0
// What a call of the C library has accessed in the memory of its caller.
#pragma once

#include "checker/accesses.hpp"

#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

extern "C" std::size_t __real_strlen(const char*);

namespace sennit::checker {

// Reports what a call has accessed as accesses of its caller. The errno of the call stays.
class call_accesses {
 public:
  explicit call_accesses(const void* after) noexcept : after_(after), error_(errno) {}
  call_accesses(const call_accesses&) = delete;
  call_accesses& operator=(const call_accesses&) = delete;
  ~call_accesses() { errno = error_; }

  void reads(const void* p, std::size_t bytes) const noexcept { note(p, bytes, false); }
  void writes(void* p, std::size_t bytes) const noexcept { note(p, bytes, true); }
  void reads_text(const char* s) const noexcept { reads(s, __real_strlen(s) + 1); }
  void reads_text(const char* s, std::size_t most) const noexcept { reads(s, until_end(s, most)); }
  void writes_text(char* s) const noexcept { writes(s, __real_strlen(s) + 1); }
  void writes_object(auto* p) const noexcept {
    if (p != nullptr) writes(p, sizeof *p);
  }
  // A search that ends at `found`, or behind all `bytes`.
  void searches(const void* p, const void* found, std::size_t bytes) const noexcept {
    reads(p,
          found == nullptr
              ? bytes
              : static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(p)) + 1);
  }
  // Texts are compared up to the first difference.
  void compares(const char* a, const char* b, std::size_t most, int (*same)(int) = nullptr) const noexcept {
    const auto as = [&](char c) { return same == nullptr ? c : same(static_cast<unsigned char>(c)); };
    std::size_t n = 0;
    while (n < most && as(a[n]) == as(b[n]) && a[n] != 0) ++n;
    reads(a, std::min(n + 1, most));
    reads(b, std::min(n + 1, most));
  }
  // What follows a text, of which `bytes` are new.
  void appends(char* s, std::size_t bytes) const noexcept {
    const std::size_t all = __real_strlen(s) + 1;
    reads(s, all - bytes + 1);
    writes(s + all - bytes, bytes);
  }
  // A number in a text; `end` is where it ends.
  void parses(const char* s, char** end) const noexcept {
    if (end == nullptr) return reads_text(s);
    reads(s, static_cast<std::size_t>(*end - s) + 1);
    writes_object(end);
  }
  void transfers(const iovec* parts, int count, ssize_t bytes, bool written) const noexcept {
    for (; count > 0 && bytes > 0; --count, ++parts) {
      const std::size_t n = std::min(parts->iov_len, static_cast<std::size_t>(bytes));
      note(parts->iov_base, n, written);
      bytes -= static_cast<ssize_t>(n);
    }
  }

  static std::size_t until_end(const char* s, std::size_t most) noexcept {
    std::size_t n = 0;
    while (n < most && s[n] != 0) ++n;
    return std::min(n + 1, most);
  }

 private:
  void note(const void* p, std::size_t bytes, bool written) const noexcept {
    examine(p, bytes, written, after_);
  }
  const void* const after_;
  const int error_;
};

// What printf and its kinds read by their arguments, and what scanf and its kinds have stored in the first
// `stored` arguments. Of formats with numbered arguments, nothing is noted.
void note_printed(const call_accesses& call, const char* format, std::va_list values) noexcept;
void note_scanned(const call_accesses& call, int stored, const char* format, std::va_list values) noexcept;

}  // namespace sennit::checker
