// SPDX-License-Identifier: Apache-2.0
// A program that throws and catches all the time, with promotion points wherever one may be.
#pragma once

#include <atomic>
#include <cstddef>

namespace throws {

// How often each promotion point was taken.
enum point : std::size_t { in_loop, in_handler, in_frame_passed, before_throw, around, points };
extern std::atomic<long> taken[points];
extern const char* const names[points];

// So many throws. Returns how many were caught, and what was destroyed on the way: n each.
struct counts {
  long caught;
  long destroyed;
};
counts loop(long n);

}  // namespace throws
