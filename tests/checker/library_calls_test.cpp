// SPDX-License-Identifier: Apache-2.0
// Calls of the C library access memory where nothing is instrumented. Each case says which bytes a call reads and writes.
// Catches a function that is not looked at, a length that is wrong, and reading that is taken for writing.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <string>
#include <vector>

namespace {

using sennit::call_effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::splice;
using sennit::step;
using sennit::writes;
using sennit_test::reported;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The call has a result that somebody wants.
void keep(auto value) { asm volatile("" : : "r"(value) : "memory"); }
void keep(double value) { asm volatile("" : : "x"(value) : "memory"); }

std::FILE* file() {
  static std::FILE* const f = std::tmpfile();
  return f;
}
int number() { return fileno(file()); }

// By vsprintf if `n` is 0.
void print(char* to, std::size_t n, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  keep(n == 0 ? std::vsprintf(to, format, values) : std::vsnprintf(to, n, format, values));
  va_end(values);
}

struct library_call {
  const char* name;
  const char* source;  // the text in a
  std::int64_t read;   // the bytes of a that the call reads
  std::int64_t kept;   // the first byte of b that it accesses
  std::int64_t last;   // the byte of b behind the last one that it accesses
  void (*run)(char* a, char* b);
};

alignas(16) char a[128];
alignas(16) char b[128];

std::vector<std::string> reported_of(const library_call& c, std::int64_t read, std::int64_t written) {
  std::memset(a, 0, sizeof a);
  std::strcpy(a, c.source);
  std::memset(b, 0, sizeof b);
  std::strcpy(b, "12345");
  std::rewind(file());
  if (ftruncate(number(), 0) != 0) std::abort();
  if (std::fwrite("abcdefgh\nij", 1, 11, file()) != 11 || std::fflush(file()) != 0) std::abort();
  std::rewind(file());
  return reported([&] {
    splice(2, [&](int t) {
      if (t == 0) {
        const call_effects fx{writes(memory_range(a, 128), memory_range(b, 128))};
        step(fx, [] {});
      } else {
        const call_effects fx{reads(memory_range(a, read)), writes(memory_range(b, range{c.kept, written}))};
        step(fx, [&] { c.run(a, b); });
      }
    });
  });
}

const library_call calls[] = {
    {"memcpy", "abc", 7, 0, 7, [](char* s, char* d) { std::memcpy(d, s, 7); }},
    {"memmove", "abc", 7, 0, 7, [](char* s, char* d) { std::memmove(d, s, 7); }},
    {"mempcpy", "abc", 7, 0, 7, [](char* s, char* d) { keep(mempcpy(d, s, 7)); }},
    {"memset", "", 0, 0, 24, [](char*, char* d) { std::memset(d, 1, 24); }},
    {"memcmp", "abc", 16, 0, 0, [](char* s, char*) { keep(std::memcmp(s, "abc\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)); }},
    {"bcmp", "abc", 9, 0, 0, [](char* s, char*) { keep(bcmp(s, "abc\0\0\0\0\0\0\0\0\0", 9)); }},
    {"memchr", "abcdef", 4, 0, 0, [](char* s, char*) { keep(std::memchr(s, 'd', 20)); }},
    {"memchr without", "abcdef", 20, 0, 0, [](char* s, char*) { keep(std::memchr(s, 'x', 20)); }},
    {"memrchr", "abcdef", 9, 0, 0, [](char* s, char*) { keep(memrchr(s, 'd', 9)); }},
    {"memmem", "abcdef", 9, 0, 0, [](char* s, char*) { keep(memmem(s, 9, "x", 1)); }},
    {"memccpy", "abcdef", 3, 0, 3, [](char* s, char* d) { keep(memccpy(d, s, 'c', 9)); }},
    {"bzero", "", 0, 0, 5, [](char*, char* d) { bzero(d, 5); }},
    {"explicit_bzero", "", 0, 0, 5, [](char*, char* d) { explicit_bzero(d, 5); }},
    {"bcopy", "abc", 5, 0, 5, [](char* s, char* d) { bcopy(s, d, 5); }},
    {"swab", "abcd", 4, 0, 4, [](char* s, char* d) { swab(s, d, 4); }},
    {"strlen", "abcdef", 7, 0, 0, [](char* s, char*) { keep(std::strlen(s)); }},
    {"strnlen", "abcdef", 4, 0, 0, [](char* s, char*) { keep(strnlen(s, 4)); }},
    {"strcpy", "abcdef", 7, 0, 7, [](char* s, char* d) { std::strcpy(d, s); }},
    {"strcpy of a literal", "", 0, 0, 9, [](char*, char* d) { std::strcpy(d, "abcdefgh"); }},
    {"stpcpy", "abcdef", 7, 0, 7, [](char* s, char* d) { keep(stpcpy(d, s)); }},
    {"strncpy", "abcdef", 7, 0, 10, [](char* s, char* d) { std::strncpy(d, s, 10); }},
    {"strcat", "abcdef", 7, 0, 12, [](char* s, char* d) { std::strcat(d, s); }},
    {"strncat", "abcdef", 2, 0, 8, [](char* s, char* d) { std::strncat(d, s, 2); }},
    {"strdup", "abcdef", 7, 0, 0, [](char* s, char*) { std::free(strdup(s)); }},
    {"strndup", "abcdef", 3, 0, 0, [](char* s, char*) { std::free(strndup(s, 3)); }},
    {"strcmp", "abcdef", 4, 0, 0, [](char* s, char*) { keep(std::strcmp(s, "abcx")); }},
    {"strncmp", "abcdef", 2, 0, 0, [](char* s, char*) { keep(std::strncmp(s, "abcx", 2)); }},
    {"strcasecmp", "abcdef", 4, 0, 0, [](char* s, char*) { keep(strcasecmp(s, "ABCx")); }},
    {"strncasecmp", "abcdef", 3, 0, 0, [](char* s, char*) { keep(strncasecmp(s, "ABCx", 3)); }},
    {"strchr", "abcdef", 3, 0, 0, [](char* s, char*) { keep(std::strchr(s, 'c')); }},
    {"strchrnul", "abcdef", 7, 0, 0, [](char* s, char*) { keep(strchrnul(s, 'x')); }},
    {"strrchr", "abcdef", 7, 0, 0, [](char* s, char*) { keep(std::strrchr(s, 'c')); }},
    {"strstr", "abcdef", 7, 0, 0, [](char* s, char*) { keep(std::strstr(s, "x")); }},
    {"strspn", "abcdef", 3, 0, 0, [](char* s, char*) { keep(std::strspn(s, "ab")); }},
    {"strcspn", "abcdef", 3, 0, 0, [](char* s, char*) { keep(std::strcspn(s, "cx")); }},
    {"strpbrk", "abcdef", 3, 0, 0, [](char* s, char*) { keep(std::strpbrk(s, "cx")); }},
    {"strtok_r", "", 0, 0, 6,
     [](char*, char* d) {
       char* rest = nullptr;
       keep(strtok_r(d, ",", &rest));
     }},
    {"strtol", "123 45", 4, 0, 0,
     [](char* s, char*) {
       char* end = nullptr;
       keep(std::strtol(s, &end, 10));
     }},
    {"strtod", "1.5 45", 4, 0, 0,
     [](char* s, char*) {
       char* end = nullptr;
       keep(std::strtod(s, &end));
     }},
    {"atoi", "123", 4, 0, 0, [](char* s, char*) { keep(std::atoi(s)); }},
    {"atof", "1.5", 4, 0, 0, [](char* s, char*) { keep(std::atof(s)); }},
    {"snprintf", "%d", 3, 0, 5, [](char* s, char* d) { std::snprintf(d, 20, s, 1234); }},
    {"snprintf without room", "%d", 3, 0, 3, [](char* s, char* d) { keep(std::snprintf(d, 3, s, 1234)); }},
    {"sprintf", "%d", 3, 0, 5, [](char* s, char* d) { std::sprintf(d, s, 1234); }},
    {"snprintf of texts", "abcdef", 7, 0, 16,
     [](char* s, char* d) { std::snprintf(d, 40, "%ld %5.1f %s!", 3L, 2.5, s); }},
    {"snprintf of a part", "abcdef", 4, 0, 6, [](char* s, char* d) { std::snprintf(d, 40, "%c%.*s", 'x', 4, s); }},
    {"fprintf", "abcdef", 7, 0, 0, [](char* s, char*) { std::fprintf(file(), "%d%% %Lf %s\n", 1, 2.0L, s); }},
    {"sscanf", "12 3.5 abc", 11, 0, 19,
     [](char* s, char* d) { keep(std::sscanf(s, "%d %lf %*[a]%3s", reinterpret_cast<int*>(d), reinterpret_cast<double*>(d + 8), d + 16)); }},
    {"sscanf in part", "12 x", 5, 0, 2,
     [](char* s, char* d) { keep(std::sscanf(s, "%hd %d", reinterpret_cast<short*>(d), reinterpret_cast<int*>(d + 8))); }},
    {"strftime", "%S", 3, 0, 3,
     [](char* s, char* d) {
       const std::tm zero{};
       keep(std::strftime(d, 20, s, &zero));
     }},
    {"wmemcpy", "abc", 8, 0, 8,
     [](char* s, char* d) { std::wmemcpy(reinterpret_cast<wchar_t*>(d), reinterpret_cast<wchar_t*>(s), 2); }},
    {"wmemset", "", 0, 0, 8, [](char*, char* d) { std::wmemset(reinterpret_cast<wchar_t*>(d), L'x', 2); }},
    {"wcslen", "abc", 8, 0, 0, [](char* s, char*) { keep(std::wcslen(reinterpret_cast<wchar_t*>(s))); }},
    {"fread", "", 0, 0, 8, [](char*, char* d) { keep(std::fread(d, 4, 2, file())); }},
    {"fread at the end", "", 0, 0, 8, [](char*, char* d) { keep(std::fread(d, 4, 30, file())); }},
    {"fwrite", "abcdefgh", 6, 0, 0, [](char* s, char*) { keep(std::fwrite(s, 3, 2, file())); }},
    {"fgets", "", 0, 0, 10, [](char*, char* d) { keep(std::fgets(d, 50, file())); }},
    {"fputs", "abc", 4, 0, 0, [](char* s, char*) { keep(std::fputs(s, file())); }},
    {"read", "", 0, 0, 11, [](char*, char* d) { keep(lseek(number(), 0, SEEK_SET) + read(number(), d, 50)); }},
    {"write", "abc", 3, 0, 0, [](char* s, char*) { keep(write(number(), s, 3)); }},
    {"pread", "", 0, 0, 10, [](char*, char* d) { keep(pread(number(), d, 50, 1)); }},
    {"pwrite", "abc", 3, 0, 0, [](char* s, char*) { keep(pwrite(number(), s, 3, 1)); }},
    {"preadv", "", 0, 0, 6,
     [](char*, char* d) {
       const std::array<iovec, 2> parts{iovec{d, 4}, iovec{d + 4, 2}};
       keep(preadv(number(), parts.data(), 2, 1));
     }},
    {"qsort", "", 0, 0, 20,
     [](char*, char* d) {
       std::qsort(d, 5, 4, [](const void* x, const void* y) { return std::memcmp(x, y, 4); });
     }},
    {"stpncpy", "abcdef", 3, 0, 3, [](char* s, char* d) { keep(stpncpy(d, s, 3)); }},
    {"strtoul", "123 45", 4, 0, 0,
     [](char* s, char*) {
       char* end = nullptr;
       keep(std::strtoul(s, &end, 10));
     }},
    {"strtoll", "123 45", 4, 0, 0,
     [](char* s, char*) {
       char* end = nullptr;
       keep(std::strtoll(s, &end, 10));
     }},
    {"strtoull", "123 45", 7, 0, 0, [](char* s, char*) { keep(std::strtoull(s, nullptr, 10)); }},
    {"strtof", "1.5 45", 4, 0, 0,
     [](char* s, char*) {
       char* end = nullptr;
       keep(double{std::strtof(s, &end)});
     }},
    {"strtold", "1.5 45", 7, 0, 0,
     [](char* s, char*) { keep(static_cast<double>(std::strtold(s, nullptr))); }},
    {"strtol into b", "", 0, 0, 8, [](char*, char* d) { keep(std::strtol("77", reinterpret_cast<char**>(d), 10)); }},
    {"atol", "123", 4, 0, 0, [](char* s, char*) { keep(std::atol(s)); }},
    {"atoll", "123", 4, 0, 0, [](char* s, char*) { keep(std::atoll(s)); }},
    {"vsnprintf", "abc", 4, 0, 5, [](char* s, char* d) { print(d, 20, "%s!", s); }},
    {"vsprintf", "abc", 4, 0, 5, [](char* s, char* d) { print(d, 0, "%s!", s); }},
    {"fscanf", "", 0, 0, 12, [](char*, char* d) { keep(std::fscanf(file(), "%8s%*c%c", d + 3, d)); }},
    {"wmemmove", "abc", 8, 0, 8,
     [](char* s, char* d) { std::wmemmove(reinterpret_cast<wchar_t*>(d), reinterpret_cast<wchar_t*>(s), 2); }},
    {"wmemcmp", "abc", 8, 0, 0,
     [](char* s, char*) { keep(std::wmemcmp(reinterpret_cast<wchar_t*>(s), L"xy", 2)); }},
    {"wcscpy", "abc", 8, 0, 8,
     [](char* s, char* d) { std::wcscpy(reinterpret_cast<wchar_t*>(d), reinterpret_cast<wchar_t*>(s)); }},
    {"fread_unlocked", "", 0, 0, 8, [](char*, char* d) { keep(fread_unlocked(d, 4, 2, file())); }},
    {"fwrite_unlocked", "abcdefgh", 6, 0, 0, [](char* s, char*) { keep(fwrite_unlocked(s, 3, 2, file())); }},
    {"readv", "", 0, 0, 6,
     [](char*, char* d) {
       const std::array<iovec, 2> parts{iovec{d, 4}, iovec{d + 4, 2}};
       keep(lseek(number(), 0, SEEK_SET) + readv(number(), parts.data(), 2));
     }},
    {"writev", "abcdefgh", 7, 0, 0,
     [](char* s, char*) {
       const std::array<iovec, 2> parts{iovec{s, 4}, iovec{s + 4, 3}};
       keep(writev(number(), parts.data(), 2));
     }},
    {"pwritev", "abcdefgh", 7, 0, 0,
     [](char* s, char*) {
       const std::array<iovec, 2> parts{iovec{s, 4}, iovec{s + 4, 3}};
       keep(pwritev(number(), parts.data(), 2, 0));
     }},
    {"send and recv", "abcdef", 6, 0, 6,
     [](char* s, char* d) {
       std::array<int, 2> ends{};
       keep(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()));
       keep(send(ends[0], s, 6, 0));
       keep(recv(ends[1], d, 50, 0));
       close(ends[0]);
       close(ends[1]);
     }},
    {"erand48", "", 0, 0, 6, [](char*, char* d) { keep(erand48(reinterpret_cast<unsigned short*>(d))); }},
    {"nrand48", "", 0, 0, 6, [](char*, char* d) { keep(nrand48(reinterpret_cast<unsigned short*>(d))); }},
    {"frexpf", "", 0, 0, 4, [](char*, char* d) { keep(double{frexpf(3.5F, reinterpret_cast<int*>(d))}); }},
    {"modff", "", 0, 0, 4, [](char*, char* d) { keep(double{modff(3.5F, reinterpret_cast<float*>(d))}); }},
    {"remquo", "", 0, 0, 4, [](char*, char* d) { keep(remquo(3.5, 2, reinterpret_cast<int*>(d))); }},
    {"lgamma_r", "", 0, 0, 4, [](char*, char* d) { keep(lgamma_r(3.5, reinterpret_cast<int*>(d))); }},
    {"sincosf", "", 0, 0, 8,
     [](char*, char* d) { sincosf(3.5F, reinterpret_cast<float*>(d), reinterpret_cast<float*>(d) + 1); }},
    {"time", "", 0, 0, 8, [](char*, char* d) { keep(time(reinterpret_cast<std::time_t*>(d))); }},
    {"rand_r", "", 0, 0, 4, [](char*, char* d) { keep(rand_r(reinterpret_cast<unsigned*>(d))); }},
    {"frexp", "", 0, 0, 4, [](char*, char* d) { keep(std::frexp(3.5, reinterpret_cast<int*>(d))); }},
    {"modf", "", 0, 0, 8, [](char*, char* d) { keep(std::modf(3.5, reinterpret_cast<double*>(d))); }},
    {"sincos", "", 0, 0, 16,
     [](char*, char* d) { sincos(3.5, reinterpret_cast<double*>(d), reinterpret_cast<double*>(d) + 1); }},
    {"clock_gettime", "", 0, 0, 16,
     [](char*, char* d) { clock_gettime(CLOCK_MONOTONIC, reinterpret_cast<timespec*>(d)); }},
};

TEST(LibraryCalls, AreAccessesOfTheirCallers) {
  for (const library_call& c : calls) {
    EXPECT_THAT(reported_of(c, c.read, c.last), IsEmpty()) << c.name;
    if (c.read > 0) {
      EXPECT_THAT(
          reported_of(c, c.read - 1, c.last),
          testing::Contains(testing::AllOf(HasSubstr("a step reads"), HasSubstr("library_calls_test.cpp"),
                                           HasSubstr("right behind what it reads"))))
          << c.name;
    }
    if (c.last > 0) {
      EXPECT_THAT(
          reported_of(c, c.read, c.last - 1),
          testing::Contains(testing::AllOf(HasSubstr("a step writes"), HasSubstr("library_calls_test.cpp"),
                                           HasSubstr("right behind what it writes"))))
          << c.name;
    }
  }
}

// Catches a getline() whose new memory is taken for that of others, or whose old memory is not looked at.
TEST(LibraryCalls, LinesInMemoryOfTheirOwn) {
  std::rewind(file());
  std::array<char*, 2> lines{};
  std::array<std::size_t, 2> sizes{};
  const auto get = [&](std::int64_t said) {
    return reported([&] {
      splice(1, [&](int) {
        const call_effects fx{writes(memory_range(lines.data(), said), memory_range(sizes.data(), 2))};
        step(fx, [&] { keep(getline(&lines[1], &sizes[1], file())); });
      });
    });
  };
  EXPECT_THAT(get(2), IsEmpty());
  EXPECT_THAT(get(1), testing::Not(IsEmpty()));
  std::free(lines[1]);
}

// Catches a check that changes what the program sees of a call.
TEST(LibraryCalls, TheirErrorStays) {
  splice(1, [&](int) {
    const call_effects fx{};
    step(fx, [&] {
      errno = 0;
      char none[1];
      EXPECT_EQ(read(-1, none, 1), -1);
      EXPECT_EQ(errno, EBADF);
    });
  });
}

}  // namespace
