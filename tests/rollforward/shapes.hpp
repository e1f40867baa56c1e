// SPDX-License-Identifier: Apache-2.0
// Programs whose only promotion point is the target of a jump, as interpreters and automata have it.
#pragma once

namespace shapes {

struct shape {
  const char* name;
  long (*run)(long rounds);
};

// Ends with one that has no name.
extern const shape all[];

// What the promotion points do.
extern void (*take)();

}  // namespace shapes
