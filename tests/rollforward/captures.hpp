// SPDX-License-Identifier: Apache-2.0
// Recursions whose second calls capture nothing up to six words, by value and by reference.
#pragma once

#include <atomic>
#include <cstddef>

namespace captures {

// The program's. Where there is nothing more to divide.
void at_leaf();

struct recursion {
  const char* name;
  long (*run)(long size);  // 2 to 9
  bool throws = false;
};

extern const recursion recursions[];
extern const std::size_t count;

// The latent calls that have begun.
extern std::atomic<long> begun;

}  // namespace captures
