// SPDX-License-Identifier: Apache-2.0
// The floating-point environment: that of the region, wherever its strands run.
#include "support.hpp"

#include <cfenv>
#include <cstdint>
#include <limits>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace sennit_test {
namespace {

// Rounding as both units of the processor see it.
struct rounding {
  int mode = std::fegetround();
  bool long_double_up = one_ + tiny_ > one_;
  bool double_up = static_cast<double>(one_) + static_cast<double>(tiny_) > 1.0;
  friend bool operator==(const rounding&, const rounding&) = default;

 private:
  // Read each time, or the compiler would add in its own rounding.
  inline static volatile long double one_ = 1;
  inline static volatile long double tiny_ = 1e-30L;
};

class set_rounding {
 public:
  explicit set_rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~set_rounding() { std::fesetround(before_); }

 private:
  int before_;
};

// Catches stolen branches and suspended strands that run under the environment their thread happens to have.
TEST(float_environment, goes_with_the_region) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    for (const int mode : {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD}) {
      const set_rounding here(mode);
      const rounding expected;
      rt.run([&] {
        EXPECT_EQ(rounding(), expected);
        join_stolen([&] { EXPECT_EQ(rounding(), expected); }, [&] { EXPECT_EQ(rounding(), expected); });
        suspend(rt);
        EXPECT_EQ(rounding(), expected);
      });
      EXPECT_EQ(rounding(), expected);
    }
  });
}

// Catches a region inside another one that its stolen branches do not belong to:
// they ran under the outer environment.
TEST(float_environment, of_an_inner_region_ends_with_it) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    rt.run([&] {
      const rounding outside;
      {
        const set_rounding here(FE_UPWARD);
        const rounding expected;
        EXPECT_NE(expected, outside);
        sennit::region inner;
        inner.run([&] {
          join_stolen([&] { EXPECT_EQ(rounding(), expected); }, [&] { EXPECT_EQ(rounding(), expected); });
          suspend(rt);
          EXPECT_EQ(rounding(), expected);
        });
      }
      join_stolen([&] { EXPECT_EQ(rounding(), outside); }, [&] { EXPECT_EQ(rounding(), outside); });
    });
  });
}

// Catches two guests whose regions run on the same workers and leave their environments behind.
TEST(float_environment, is_not_left_behind_for_the_next_guest) {
  under(settings({2, 3}), [](sennit::runtime& rt) {
    std::vector<std::thread> guests;
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
      guests.emplace_back([&rt, mode] {
        const set_rounding here(mode);
        for (int i = 0; i < scaled(50); ++i) {
          const rounding expected;
          rt.run([&] {
            join_stolen([&] { EXPECT_EQ(rounding(), expected); }, [&] { EXPECT_EQ(rounding(), expected); });
          });
        }
      });
    }
    for (std::thread& guest : guests) guest.join();
  });
}

#if defined(__x86_64__) || defined(__aarch64__)
class flushed_denormals {
 public:
#if defined(__x86_64__)
  flushed_denormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON); }
  ~flushed_denormals() { _mm_setcsr(before_); }

 private:
  const unsigned before_;
#else
  flushed_denormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | 1U << 24) : "memory");
  }
  ~flushed_denormals() { asm volatile("msr fpcr, %0" : : "r"(before_) : "memory"); }

 private:
  std::uint64_t before_;
#endif
};

// Catches an environment of which only the rounding goes along: results would depend on who ran what.
TEST(float_environment, includes_the_flushing_of_denormals) {
  under(parallel_settings(), [](sennit::runtime& rt) {
    volatile float smallest = std::numeric_limits<float>::min();
    const auto flushes = [&] { return smallest / 2 == 0; };
    {
      const flushed_denormals here;
      rt.run([&] {
        join_stolen([&] { EXPECT_TRUE(flushes()); }, [&] { EXPECT_TRUE(flushes()); });
        suspend(rt);
        EXPECT_TRUE(flushes());
      });
    }
    rt.run([&] { join_stolen([&] { EXPECT_FALSE(flushes()); }, [&] { EXPECT_FALSE(flushes()); }); });
  });
}
#endif

}  // namespace
}  // namespace sennit_test
