// SPDX-License-Identifier: Apache-2.0
/* Compiled from what sennit_splicec() makes of it. */
#include <stdio.h>

static int total;

#pragma splice func Writes(object(total))
static void add(int n) {
#pragma splice step Writes(object(total))
  total += n;
}

int main(void) {
#pragma splice try(4)
  for (int i = 1; i <= EXPECTED; i++) add(i);
  printf("%d\n", total);
  return total == EXPECTED * (EXPECTED + 1) / 2 ? 0 : 1;
}
