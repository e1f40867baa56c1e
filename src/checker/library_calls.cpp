// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that access memory of their callers. The linker (--wrap) sends the calls of
// the program here. CMakeLists.txt reads the names in this table.
#include "checker/accesses.hpp"
#include "checker/call_accesses.hpp"

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <cwchar>

extern "C" {

std::size_t __real_wcslen(const wchar_t*);
}

namespace {

using sennit::checker::call_accesses;
using std::size_t;
using std::va_list;

size_t bytes_of(ssize_t result) noexcept { return result > 0 ? static_cast<size_t>(result) : 0; }
size_t printed(int result, size_t room) noexcept {
  return result < 0 ? 0 : std::min(static_cast<size_t>(result) + 1, room);
}

int lower(int c) noexcept { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

using comparison = int (*)(const void*, const void*);

}  // namespace

// SENNIT_CALL(name, type of the result, (parameters), (arguments), what it accesses): examined after the call,
// whose result is `result`. SENNIT_ACTION: without a result.
#define SENNIT_EXAMINED(...)                                                                                 \
  if (!sennit::checker::idle()) [[unlikely]] {                                                               \
    const call_accesses call(__builtin_return_address(0));                                                   \
    __VA_ARGS__;                                                                                             \
  }
#define SENNIT_CALL(name, type, parameters, arguments, ...)                                                  \
  type __real_##name parameters;                                                                             \
  type __wrap_##name parameters {                                                                            \
    const auto result = __real_##name arguments;                                                             \
    SENNIT_EXAMINED(__VA_ARGS__)                                                                             \
    return result;                                                                                           \
  }
#define SENNIT_ACTION(name, parameters, arguments, ...)                                                      \
  void __real_##name parameters;                                                                             \
  void __wrap_##name parameters {                                                                            \
    __real_##name arguments;                                                                                 \
    SENNIT_EXAMINED(__VA_ARGS__)                                                                             \
  }
// A function whose last parameters are a format and any number of arguments, and the one that has a va_list
// of these. `arguments` has the format; note_printed() or note_scanned() sees `values`.
#define SENNIT_FORMAT(name, list_name, parameters, arguments, ...)                                           \
  int __real_##list_name(SENNIT_LIST parameters, const char* format, va_list values);                        \
  int __wrap_##list_name(SENNIT_LIST parameters, const char* format, va_list given) {                        \
    va_list values;                                                                                          \
    va_copy(values, given);                                                                                  \
    const int result = __real_##list_name(SENNIT_LIST arguments, format, given);                             \
    SENNIT_EXAMINED(call.reads_text(format); __VA_ARGS__)                                                    \
    va_end(values);                                                                                          \
    return result;                                                                                           \
  }                                                                                                          \
  int __wrap_##name(SENNIT_LIST parameters, const char* format, ...) {                                       \
    va_list given;                                                                                           \
    va_list values;                                                                                          \
    va_start(given, format);                                                                                 \
    va_copy(values, given);                                                                                  \
    const int result = __real_##list_name(SENNIT_LIST arguments, format, given);                             \
    SENNIT_EXAMINED(call.reads_text(format); __VA_ARGS__)                                                    \
    va_end(values);                                                                                          \
    va_end(given);                                                                                           \
    return result;                                                                                           \
  }
#define SENNIT_LIST(...) __VA_ARGS__

// Newer C libraries have these.
#pragma weak __real___isoc23_strtol
#pragma weak __real___isoc23_strtoul
#pragma weak __real___isoc23_strtoll
#pragma weak __real___isoc23_strtoull
#pragma weak __real___isoc23_vsscanf
#pragma weak __real___isoc23_vfscanf

extern "C" {

// clang-format off

// --- Bytes.
SENNIT_CALL(memcpy, void*, (void* to, const void* from, size_t n), (to, from, n), call.reads(from, n); call.writes(to, n))
SENNIT_CALL(memmove, void*, (void* to, const void* from, size_t n), (to, from, n), call.reads(from, n); call.writes(to, n))
SENNIT_CALL(mempcpy, void*, (void* to, const void* from, size_t n), (to, from, n), call.reads(from, n); call.writes(to, n))
SENNIT_CALL(memset, void*, (void* to, int value, size_t n), (to, value, n), call.writes(to, n))
SENNIT_CALL(memcmp, int, (const void* a, const void* b, size_t n), (a, b, n), call.reads(a, n); call.reads(b, n))
SENNIT_CALL(bcmp, int, (const void* a, const void* b, size_t n), (a, b, n), call.reads(a, n); call.reads(b, n))
SENNIT_CALL(memchr, void*, (const void* p, int c, size_t n), (p, c, n), call.searches(p, result, n))
SENNIT_CALL(memrchr, void*, (const void* p, int c, size_t n), (p, c, n), call.reads(p, n))
SENNIT_CALL(memmem, void*, (const void* p, size_t n, const void* what, size_t size), (p, n, what, size), call.searches(p, result, n); call.reads(what, size))
SENNIT_CALL(memccpy, void*, (void* to, const void* from, int c, size_t n), (to, from, c, n), call.writes(to, result == nullptr ? n : static_cast<size_t>(static_cast<char*>(result) - static_cast<char*>(to))); call.reads(from, result == nullptr ? n : static_cast<size_t>(static_cast<char*>(result) - static_cast<char*>(to))))
SENNIT_ACTION(bcopy, (const void* from, void* to, size_t n), (from, to, n), call.reads(from, n); call.writes(to, n))
SENNIT_ACTION(bzero, (void* to, size_t n), (to, n), call.writes(to, n))
SENNIT_ACTION(explicit_bzero, (void* to, size_t n), (to, n), call.writes(to, n))
SENNIT_ACTION(swab, (const void* from, void* to, ssize_t n), (from, to, n), call.reads(from, bytes_of(n)); call.writes(to, bytes_of(n)))

// --- Texts.
SENNIT_CALL(strlen, size_t, (const char* s), (s), call.reads(s, result + 1))
SENNIT_CALL(strnlen, size_t, (const char* s, size_t n), (s, n), call.reads(s, std::min(result + 1, n)))
SENNIT_CALL(strcpy, char*, (char* to, const char* from), (to, from), call.reads_text(from); call.writes_text(to))
SENNIT_CALL(stpcpy, char*, (char* to, const char* from), (to, from), call.reads_text(from); call.writes_text(to))
SENNIT_CALL(strncpy, char*, (char* to, const char* from, size_t n), (to, from, n), call.reads_text(from, n); call.writes(to, n))
SENNIT_CALL(stpncpy, char*, (char* to, const char* from, size_t n), (to, from, n), call.reads_text(from, n); call.writes(to, n))
SENNIT_CALL(strcat, char*, (char* to, const char* from), (to, from), call.reads_text(from); call.appends(to, __real_strlen(from) + 1))
SENNIT_CALL(strncat, char*, (char* to, const char* from, size_t n), (to, from, n), call.reads_text(from, n); call.appends(to, std::min(__real_strlen(from), n) + 1))
SENNIT_CALL(strdup, char*, (const char* s), (s), call.reads_text(s))
SENNIT_CALL(strndup, char*, (const char* s, size_t n), (s, n), call.reads_text(s, n))
SENNIT_CALL(strcmp, int, (const char* a, const char* b), (a, b), call.compares(a, b, SIZE_MAX))
SENNIT_CALL(strncmp, int, (const char* a, const char* b, size_t n), (a, b, n), call.compares(a, b, n))
SENNIT_CALL(strcasecmp, int, (const char* a, const char* b), (a, b), call.compares(a, b, SIZE_MAX, lower))
SENNIT_CALL(strncasecmp, int, (const char* a, const char* b, size_t n), (a, b, n), call.compares(a, b, n, lower))
SENNIT_CALL(strchr, char*, (const char* s, int c), (s, c), call.searches(s, result, __real_strlen(s) + 1))
SENNIT_CALL(strchrnul, char*, (const char* s, int c), (s, c), call.searches(s, result, 0))
SENNIT_CALL(strrchr, char*, (const char* s, int c), (s, c), call.reads_text(s))
SENNIT_CALL(strstr, char*, (const char* s, const char* what), (s, what), call.searches(s, result, __real_strlen(s) + 1); call.reads_text(what))
SENNIT_CALL(strspn, size_t, (const char* s, const char* of), (s, of), call.reads(s, result + 1); call.reads_text(of))
SENNIT_CALL(strcspn, size_t, (const char* s, const char* of), (s, of), call.reads(s, result + 1); call.reads_text(of))
SENNIT_CALL(strpbrk, char*, (const char* s, const char* of), (s, of), call.searches(s, result, __real_strlen(s) + 1); call.reads_text(of))
SENNIT_CALL(strtok_r, char*, (char* s, const char* of, char** rest), (s, of, rest), call.reads_text(of); if (result != nullptr) call.writes_text(result))

// --- Wide texts.
SENNIT_CALL(wmemcpy, wchar_t*, (wchar_t* to, const wchar_t* from, size_t n), (to, from, n), call.reads(from, n * sizeof *from); call.writes(to, n * sizeof *to))
SENNIT_CALL(wmemmove, wchar_t*, (wchar_t* to, const wchar_t* from, size_t n), (to, from, n), call.reads(from, n * sizeof *from); call.writes(to, n * sizeof *to))
SENNIT_CALL(wmemset, wchar_t*, (wchar_t* to, wchar_t value, size_t n), (to, value, n), call.writes(to, n * sizeof *to))
SENNIT_CALL(wmemcmp, int, (const wchar_t* a, const wchar_t* b, size_t n), (a, b, n), call.reads(a, n * sizeof *a); call.reads(b, n * sizeof *b))
SENNIT_CALL(wcslen, size_t, (const wchar_t* s), (s), call.reads(s, (result + 1) * sizeof *s))
SENNIT_CALL(wcscpy, wchar_t*, (wchar_t* to, const wchar_t* from), (to, from), call.reads(from, (__real_wcslen(from) + 1) * sizeof *from); call.writes(to, (__real_wcslen(to) + 1) * sizeof *to))

// --- Numbers and texts.
SENNIT_CALL(strtol, long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(__isoc23_strtol, long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(strtoul, unsigned long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(__isoc23_strtoul, unsigned long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(strtoll, long long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(__isoc23_strtoll, long long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(strtoull, unsigned long long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(__isoc23_strtoull, unsigned long long, (const char* s, char** end, int base), (s, end, base), call.parses(s, end))
SENNIT_CALL(strtof, float, (const char* s, char** end), (s, end), call.parses(s, end))
SENNIT_CALL(strtod, double, (const char* s, char** end), (s, end), call.parses(s, end))
SENNIT_CALL(strtold, long double, (const char* s, char** end), (s, end), call.parses(s, end))
SENNIT_CALL(atoi, int, (const char* s), (s), call.reads_text(s))
SENNIT_CALL(atol, long, (const char* s), (s), call.reads_text(s))
SENNIT_CALL(atoll, long long, (const char* s), (s), call.reads_text(s))
SENNIT_CALL(atof, double, (const char* s), (s), call.reads_text(s))
SENNIT_FORMAT(snprintf, vsnprintf, (char* to, size_t n), (to, n), note_printed(call, format, values); call.writes(to, printed(result, n)))
SENNIT_FORMAT(sprintf, vsprintf, (char* to), (to), note_printed(call, format, values); call.writes(to, printed(result, SIZE_MAX)))
SENNIT_FORMAT(fprintf, vfprintf, (std::FILE* file), (file), note_printed(call, format, values))
SENNIT_FORMAT(__isoc99_sscanf, __isoc99_vsscanf, (const char* from), (from), call.reads_text(from); note_scanned(call, result, format, values))
SENNIT_FORMAT(__isoc23_sscanf, __isoc23_vsscanf, (const char* from), (from), call.reads_text(from); note_scanned(call, result, format, values))
SENNIT_FORMAT(__isoc99_fscanf, __isoc99_vfscanf, (std::FILE* file), (file), note_scanned(call, result, format, values))
SENNIT_FORMAT(__isoc23_fscanf, __isoc23_vfscanf, (std::FILE* file), (file), note_scanned(call, result, format, values))
SENNIT_CALL(strftime, size_t, (char* to, size_t n, const char* format, const std::tm* time), (to, n, format, time), call.reads_text(format); call.reads(time, sizeof *time); call.writes(to, result == 0 ? 0 : result + 1))

// --- Files.
SENNIT_CALL(fread, size_t, (void* to, size_t size, size_t n, std::FILE* file), (to, size, n, file), call.writes(to, size * result))
SENNIT_CALL(fwrite, size_t, (const void* from, size_t size, size_t n, std::FILE* file), (from, size, n, file), call.reads(from, size * result))
SENNIT_CALL(fread_unlocked, size_t, (void* to, size_t size, size_t n, std::FILE* file), (to, size, n, file), call.writes(to, size * result))
SENNIT_CALL(fwrite_unlocked, size_t, (const void* from, size_t size, size_t n, std::FILE* file), (from, size, n, file), call.reads(from, size * result))
SENNIT_CALL(fgets, char*, (char* to, int n, std::FILE* file), (to, n, file), if (result != nullptr) call.writes_text(to))
SENNIT_CALL(fputs, int, (const char* s, std::FILE* file), (s, file), call.reads_text(s))
SENNIT_CALL(puts, int, (const char* s), (s), call.reads_text(s))
SENNIT_CALL(getline, ssize_t, (char** line, size_t* n, std::FILE* file), (line, n, file), call.writes_object(line); call.writes_object(n); if (result >= 0) call.writes(*line, bytes_of(result) + 1))
SENNIT_CALL(getdelim, ssize_t, (char** line, size_t* n, int end, std::FILE* file), (line, n, end, file), call.writes_object(line); call.writes_object(n); if (result >= 0) call.writes(*line, bytes_of(result) + 1))
SENNIT_CALL(__getdelim, ssize_t, (char** line, size_t* n, int end, std::FILE* file), (line, n, end, file), call.writes_object(line); call.writes_object(n); if (result >= 0) call.writes(*line, bytes_of(result) + 1))
SENNIT_CALL(read, ssize_t, (int file, void* to, size_t n), (file, to, n), call.writes(to, bytes_of(result)))
SENNIT_CALL(write, ssize_t, (int file, const void* from, size_t n), (file, from, n), call.reads(from, bytes_of(result)))
SENNIT_CALL(pread, ssize_t, (int file, void* to, size_t n, off_t at), (file, to, n, at), call.writes(to, bytes_of(result)))
SENNIT_CALL(pwrite, ssize_t, (int file, const void* from, size_t n, off_t at), (file, from, n, at), call.reads(from, bytes_of(result)))
SENNIT_CALL(pread64, ssize_t, (int file, void* to, size_t n, off_t at), (file, to, n, at), call.writes(to, bytes_of(result)))
SENNIT_CALL(pwrite64, ssize_t, (int file, const void* from, size_t n, off_t at), (file, from, n, at), call.reads(from, bytes_of(result)))
SENNIT_CALL(readv, ssize_t, (int file, const iovec* parts, int count), (file, parts, count), call.transfers(parts, count, result, true))
SENNIT_CALL(writev, ssize_t, (int file, const iovec* parts, int count), (file, parts, count), call.transfers(parts, count, result, false))
SENNIT_CALL(preadv, ssize_t, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at), call.transfers(parts, count, result, true))
SENNIT_CALL(pwritev, ssize_t, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at), call.transfers(parts, count, result, false))
SENNIT_CALL(recv, ssize_t, (int socket, void* to, size_t n, int flags), (socket, to, n, flags), call.writes(to, bytes_of(result)))
SENNIT_CALL(send, ssize_t, (int socket, const void* from, size_t n, int flags), (socket, from, n, flags), call.reads(from, bytes_of(result)))

// --- Sorting (bsearch only passes pointers to the program's comparison), numbers, clocks.
SENNIT_ACTION(qsort, (void* p, size_t n, size_t size, comparison compare), (p, n, size, compare), call.writes(p, n * size))
SENNIT_CALL(rand_r, int, (unsigned* state), (state), call.writes_object(state))
SENNIT_CALL(erand48, double, (unsigned short* state), (state), call.writes(state, 3 * sizeof *state))
SENNIT_CALL(nrand48, long, (unsigned short* state), (state), call.writes(state, 3 * sizeof *state))
SENNIT_CALL(frexp, double, (double x, int* exponent), (x, exponent), call.writes_object(exponent))
SENNIT_CALL(frexpf, float, (float x, int* exponent), (x, exponent), call.writes_object(exponent))
SENNIT_CALL(modf, double, (double x, double* whole), (x, whole), call.writes_object(whole))
SENNIT_CALL(modff, float, (float x, float* whole), (x, whole), call.writes_object(whole))
SENNIT_CALL(remquo, double, (double x, double y, int* quotient), (x, y, quotient), call.writes_object(quotient))
SENNIT_CALL(lgamma_r, double, (double x, int* sign), (x, sign), call.writes_object(sign))
SENNIT_ACTION(sincos, (double x, double* sine, double* cosine), (x, sine, cosine), call.writes_object(sine); call.writes_object(cosine))
SENNIT_ACTION(sincosf, (float x, float* sine, float* cosine), (x, sine, cosine), call.writes_object(sine); call.writes_object(cosine))
SENNIT_CALL(clock_gettime, int, (clockid_t clock, std::timespec* time), (clock, time), call.writes_object(time))
SENNIT_CALL(time, std::time_t, (std::time_t* time), (time), call.writes_object(time))

// clang-format on

// The copies that clang makes itself.
[[gnu::alias("__wrap_memcpy")]] void* __tsan_memcpy(void*, const void*, size_t);
[[gnu::alias("__wrap_memmove")]] void* __tsan_memmove(void*, const void*, size_t);
[[gnu::alias("__wrap_memset")]] void* __tsan_memset(void*, int, size_t);
}
