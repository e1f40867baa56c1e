// SPDX-License-Identifier: Apache-2.0
// Marked functions that are left in all the ways there are, for beats at each instruction.
#pragma once

#include <cstddef>

namespace departures {

extern long taken;

struct departure {
  const char* name;
  long (*run)();
  long answer;
  // Frames are left by other ways than a return: a beat that is on its way to one may be lost.
  bool loses;
  // Run once before: all is bound, and memory is at hand.
  bool warm;
  // Too many instructions for each run of the tests.
  bool long_one;
};

// Ends with one that has no name.
extern const departure all[];

// What the program has to do once a thread has ended.
extern void (*at_end)(long answer);

}  // namespace departures
