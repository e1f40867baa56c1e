// SPDX-License-Identifier: Apache-2.0
/* A spliced function that a header defines: a message names its place. */
#include "defined.h"

static int data[2][8];

int main(void) {
#pragma splice try(2)
  for (int t = 0; t < 2; t++) fill(data[t], 8);
  return 0;
}
