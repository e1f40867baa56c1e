// SPDX-License-Identifier: Apache-2.0
// promotion: when latent work becomes work that other workers can take.
#pragma once

#include <chrono>

namespace sennit {

// The type of on_demand and of what heartbeat() returns.
struct promotion {
  std::chrono::nanoseconds period{0};  // 0: on demand

  friend constexpr bool operator==(promotion, promotion) = default;
};

// A worker without work may take the oldest frame of any other worker.
inline constexpr promotion on_demand{};

// A worker without work may take the oldest frame of another worker, but at most one frame of each worker in
// a period. This bounds the cost of making tasks by one promotion for each period, whatever the program does
// (heartbeat scheduling: Acar et al., 2018; Rainey et al., "Task Parallel Assembly Language for
// Uncompromising Parallelism", 2021, 2.2). There is no timer: a thief reads its clock. The price is that a
// worker may stay idle for up to a period although there is work. Loops are not dealt out when they begin;
// they are divided at each beat.
//
// Precondition: the period is at least 1 us and at most 1 s, or 0, which means on_demand. A runtime or a
// region refuses other periods. The period should be many times the cost of a promotion; `sennit tune`
// recommends one. Cost: nothing where frames are pushed and popped.
//
// Example:
//   #include <sennit/join.hpp>
//   #include <sennit/runtime.hpp>
//
//   using namespace std::chrono_literals;
//
//   long fib(int n) {
//     if (n < 2) return n;
//     auto [a, b] = sennit::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
//     return a + b;
//   }
//
//   long in_beats() {
//     sennit::runtime beating({.promotion = sennit::heartbeat(100us)});
//     return beating.run([] { return fib(30); });
//   }
//   sennit::promotion chosen(bool bounded) { return bounded ? sennit::heartbeat(100us) : sennit::on_demand; }
constexpr promotion heartbeat(std::chrono::nanoseconds period) noexcept { return {period}; }

}  // namespace sennit
