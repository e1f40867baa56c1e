// SPDX-License-Identifier: Apache-2.0
// What compilers write without a call before it: copies of a known size, above all. Catches instrumentation that does not see
// an access, as the compiler would do it in a program. `unseen` are the cases that the guide names.
#include "support.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/splice.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

extern "C" {
extern const int c_is_by_gcc;
void copy_in_c(void* to, const void* from);
void assign_in_c(void* to, const void* from);
void store_in_c(void* to);
double pass_in_c(const void* from);
}

namespace {

using sennit::call_effects;
using sennit::memory_range;
using sennit::range;
using sennit::reads;
using sennit::splice;
using sennit::step;
using sennit::writes;
using sennit_test::reported;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

#ifdef __clang__
constexpr bool gcc = false;
#else
constexpr bool gcc = true;
#endif

struct particle {
  double x = 0;
  double y = 0;
  double z = 0;
};
struct matrix {
  double at[4][4];
};

alignas(16) std::array<particle, 4> from;
alignas(16) std::array<particle, 4> to;

// What is reported if a step says that it reads and writes the first `said` particles. Another one says that it writes all.
std::vector<std::string> with(std::int64_t said, void (*run)()) {
  return reported([&] {
    splice(2, [&](int t) {
      if (t == 0) {
        const call_effects fx{writes(memory_range(from.data(), 4), memory_range(to.data(), 4))};
        step(fx, [] {});
      } else {
        const call_effects fx{reads(memory_range(from.data(), said)), writes(memory_range(to.data(), said))};
        step(fx, [&] { run(); });
      }
    });
  });
}

// `read` and `written` say what is seen; nothing: that depends on what the optimizer makes of it.
using sight = std::optional<bool>;
void expect_seen(void (*run)(), sight read, sight written, const char* what) {
  EXPECT_THAT(with(4, run), IsEmpty()) << what;
  std::string all;
  for (const std::string& report : with(3, run)) all += report;
  const auto expect = [&](sight seen, const char* words) {
    if (!seen) return;
    EXPECT_EQ(all.find(words) != std::string::npos, *seen) << what << ": " << all;
  };
  expect(read, "a step reads");
  expect(written, "a step writes");
}

// Not inlined, as in another file.
[[gnu::noinline]] particle made(double x) { return {x, x, x}; }
[[gnu::noinline]] std::complex<double> rotated(double x) { return {x, -x}; }
[[gnu::noinline]] double taken(particle p, double) {
  asm volatile("" : : : "memory");
  return p.x;
}

TEST(Copies, OfStructs) {
  expect_seen([] { to[3] = from[3]; }, true, true, "assignment");
  expect_seen([] { std::memcpy(&to[3], &from[3], sizeof(particle)); }, true, true, "memcpy");
  expect_seen([] { __builtin_memcpy(&to[3], &from[3], sizeof(particle)); }, true, true, "__builtin_memcpy");
  expect_seen([] { std::memmove(&to[3], &from[3], sizeof(particle)); }, true, true, "memmove");
  expect_seen([] { std::memset(static_cast<void*>(&to[3]), 0, sizeof(particle)); }, false, true, "memset");
  expect_seen([] { to[3] = {}; }, false, true, "zeros");
  expect_seen([] { std::copy(from.begin(), from.end(), to.begin()); }, true, true, "std::copy");
  expect_seen([] { std::copy_n(from.begin() + 3, 1, to.begin() + 3); }, true, true, "std::copy_n");
  expect_seen([] { to = from; }, true, true, "array");
  expect_seen([] { new (&to[3]) particle(from[3]); }, true, true, "placement new");
  expect_seen([] { std::uninitialized_copy(from.begin() + 3, from.end(), to.begin() + 3); }, true, true,
              "uninitialized_copy");
  expect_seen(
      [] {
        std::vector<particle> all(from.begin(), from.end());
        asm volatile("" : : "r"(all.data()) : "memory");
      },
      true, false, "vector");
  expect_seen([] { std::swap(to[2], to[3]); }, std::nullopt, true, "swap");
  expect_seen([] { std::fill(to.begin(), to.end(), particle{1, 2, 3}); }, false, true, "fill");
  expect_seen(
      [] {
        for (int i = 0; i < 3; ++i) (&to[3].x)[i] = 0;
      },
      false, true, "loop");
  expect_seen(
      [] {
        for (int i = 0; i < 3; ++i) (&to[3].x)[i] = (&from[3].x)[i];
      },
      true, true, "loop that copies");
}

TEST(Copies, OfOtherSizes) {
  const auto chars = [](auto size) {
    constexpr std::size_t n = decltype(size)::value;
    expect_seen([] { std::memcpy(&to[3], &from[3], n); }, true, true, "memcpy");
    expect_seen([] { std::memset(static_cast<void*>(&to[3]), 1, n); }, false, true, "memset");
  };
  [&]<std::size_t... n>(std::index_sequence<n...>) {
    (chars(std::integral_constant<std::size_t, n + 1>()), ...);
  }(std::make_index_sequence<24>());
}

TEST(Comparisons, OfKnownSizes) {
  const auto compare = [](auto size) {
    constexpr std::size_t n = decltype(size)::value;
    expect_seen(
        [] {
          const bool same = std::memcmp(&from[3], "0123456789abcdef01234567", n) == 0;
          asm volatile("" : : "r"(same));
        },
        true, false, "memcmp");
    expect_seen(
        [] {
          constexpr std::string_view text("0123456789abcdef01234567", n);
          const bool same = std::string_view(reinterpret_cast<const char*>(&from[3]), n) == text;
          asm volatile("" : : "r"(same));
        },
        true, false, "string_view");
  };
  [&]<std::size_t... n>(std::index_sequence<n...>) {
    (compare(std::integral_constant<std::size_t, n + 1>()), ...);
  }(std::make_index_sequence<24>());
}

TEST(Calls, ResultsThatAreStored) {
  expect_seen([] { to[3] = made(1); }, false, true, "assignment");
  expect_seen([] { reinterpret_cast<std::complex<double>&>(to[3]) = rotated(1); }, false, true,
              "in registers");
  expect_seen([] { to[3] = std::min(made(1), made(2), [](auto& p, auto& q) { return p.x < q.x; }); }, false,
              true, "of a template");
}

// The call copies the argument. Clang sometimes leaves out a copy of its own before that.
TEST(Unseen, ArgumentsByValue) {
  expect_seen(
      [] {
        const double x = taken(from[3], 1);
        asm volatile("" : : "x"(x));
      },
      gcc ? sight(true) : std::nullopt, false, "by value");
}

// The result goes where it belongs at once. GCC has no hooks in what a function writes into its result.
TEST(Unseen, ResultsThatAreConstructedInPlace) {
  expect_seen([] { new (&to[3]) particle(made(1)); }, false, !gcc, "placement new");
}

// Without -fno-elide-constructors, which is for C++ only, GCC stores results and copies arguments in the call itself.
TEST(Unseen, CallsInC) {
  expect_seen([] { copy_in_c(&to[3], &from[3]); }, true, true, "memcpy");
  expect_seen([] { assign_in_c(&to[3], &from[3]); }, true, true, "assignment");
  expect_seen([] { store_in_c(&to[3]); }, false, c_is_by_gcc == 0, "result");
  expect_seen(
      [] {
        const double x = pass_in_c(&from[3]);
        asm volatile("" : : "x"(x));
      },
      c_is_by_gcc == 1 ? sight(false) : std::nullopt, false, "argument");
}

// A vector of 32 bytes is more than clang's hooks have.
TEST(Unseen, WideVectors) {
  using wide [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
  expect_seen([] { *reinterpret_cast<wide*>(&to[2].z) = *reinterpret_cast<wide*>(&from[2].z); }, gcc, gcc,
              "wide");
}

// GCC has functions of its own for stores past the cache, clang has ordinary stores.
#if defined(__SSE2__)
TEST(Unseen, StoresPastTheCache) {
  expect_seen([] { _mm_stream_pd(&to[3].y, _mm_set1_pd(2)); }, false, !gcc, "stream");
}
#endif

// Catches a container whose change is not seen at all, as its nodes are linked by the library.
TEST(Unseen, LinksOfNodes) {
  std::map<int, int> all;
  const auto with_effects = [&](auto... sets) {
    return reported([&] {
      splice(1, [&](int) {
        const call_effects fx{sets...};
        step(fx, [&] { all[1] = 2; });
      });
    });
  };
  EXPECT_THAT(with_effects(writes(memory_range(&all, 1))), IsEmpty());
  all.clear();
  EXPECT_THAT(with_effects(writes(memory_range(from.data(), 1))), Not(IsEmpty()));
}

// No compiler looks into assembly.
TEST(Unseen, Assembly) {
  expect_seen([] { asm volatile("movq %%rsp, %0" : "=m"(to[3].x)); }, false, false, "assembly");
}

}  // namespace
