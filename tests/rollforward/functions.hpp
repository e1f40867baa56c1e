// SPDX-License-Identifier: Apache-2.0
// Functions with promotion points, for the tests that send beats at each of their instructions.
#pragma once

#include <atomic>

namespace marked {

// How often the statements of a promotion point have run.
extern std::atomic<long> taken;

struct function {
  const char* name;
  // Called by one more function, whose promotion point stands behind the call: a beat that meets none in here is
  // taken there.
  long (*run)();
  long answer;
  // An exception leaves a function of it: a beat on its way there may be lost with the frame.
  bool throws;
};

// Ends with one that has no name.
extern const function functions[];

}  // namespace marked
