// When latent work becomes work that other workers can take.
#pragma once

#include <chrono>

namespace sennit {

// What on_demand and heartbeat() make.
struct promotion {
  std::chrono::nanoseconds period{0};  // 0: on demand

  friend constexpr bool operator==(promotion, promotion) = default;
};

// Whoever has nothing to do may take the oldest frame of anybody who has one.
inline constexpr promotion on_demand{};

// The same, but of each worker at most one frame in a period: so what it costs to make tasks is bounded by
// the cost of one for each period, whatever the program does (heartbeat scheduling: Acar et al., 2018; Rainey
// et al., "Task Parallel Assembly Language for Uncompromising Parallelism", 2021, 2.2). There is no timer: a
// thief looks at its clock. In return a worker may stay idle for up to a period although there is work. Loops
// are not dealt out at their beginning, but divided beat by beat.
//
// Precondition: the period is at least 1 us and at most 1 s; a runtime or a region refuses others, but 0,
// which is on_demand. It should be many times what a promotion costs, and `sennit tune` says which one is.
// Cost: nothing where frames are pushed and popped.
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
constexpr promotion heartbeat(std::chrono::nanoseconds period) noexcept { return {period}; }

}  // namespace sennit
