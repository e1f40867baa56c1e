// SPDX-License-Identifier: Apache-2.0
#include "process/perturb.hpp"

#if defined(SENNIT_PERTURB)

#include "system/relax.hpp"

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace sennit::detail {

namespace {

std::uint64_t seed() {
  const char* const text = std::getenv("SENNIT_PERTURB_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

std::atomic<std::uint64_t> draws{seed()};

}  // namespace

[[gnu::noinline]] void perturb() noexcept {
  // One stream of draws for all threads: a seed fixes the draws, the machine still decides who gets which.
  std::uint64_t x = draws.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  x ^= x >> 31;
  if (x % 16 == 0) sched_yield();
  if (x % 16 == 1) {
    for (std::uint64_t i = 0; i < (x >> 32) % 400; ++i) relax();
  }
}

}  // namespace sennit::detail

#endif
