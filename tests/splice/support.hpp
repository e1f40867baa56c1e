// SPDX-License-Identifier: Apache-2.0
// What the tests of splices share.
#pragma once

#include <sennit/data_regions.hpp>
#include <sennit/memoized_splice.hpp>
#include <sennit/sennit.hpp>
#include <sennit/splice.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define SENNIT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SENNIT_SANITIZED 1
#endif
#endif
#ifndef SENNIT_SANITIZED
#define SENNIT_SANITIZED SENNIT_TSAN
#endif

namespace sennit_test {

// How many repetitions of something cheap are enough; sanitizers make it five to fifteen times as dear.
constexpr int scaled(int count) { return SENNIT_SANITIZED ? (count + 9) / 10 : count; }

// Sebastiano Vigna's splitmix64.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t operator()() { return state_ = mixed(state_); }
  std::uint64_t below(std::uint64_t n) { return (*this)() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

inline std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Runtimes are shared by the tests of a process: more workers than the machine has CPUs, too.
inline sennit::runtime& runtime_of(unsigned workers) {
  static std::unique_ptr<sennit::runtime> all[9];
  if (all[workers] == nullptr)
    all[workers] = std::make_unique<sennit::runtime>(sennit::runtime_options{.workers = workers});
  return *all[workers];
}

}  // namespace sennit_test
