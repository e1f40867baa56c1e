// SPDX-License-Identifier: Apache-2.0
// Copies in a program in C: see copies_test.cpp.
#include <string.h>

struct particle {
  double x;
  double y;
  double z;
};

#ifdef __clang__
const int c_is_by_gcc = 0;
#else
const int c_is_by_gcc = 1;
#endif

__attribute__((noinline)) static struct particle made(double x) {
  const struct particle p = {x, x, x};
  return p;
}
__attribute__((noinline)) static double taken(struct particle p) {
  __asm__ volatile("" : : "m"(p) : "memory");
  return p.x;
}

void copy_in_c(void* to, const void* from) { memcpy(to, from, sizeof(struct particle)); }
void assign_in_c(struct particle* to, const struct particle* from) { *to = *from; }
void store_in_c(struct particle* to) { *to = made(1); }
double pass_in_c(const struct particle* from) { return taken(*from); }
