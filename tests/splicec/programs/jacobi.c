// SPDX-License-Identifier: Apache-2.0
/* Sweeps over a field, each of which reads what the one before it has written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jacobi.h"

double u[2][SIZE];

#pragma splice func Reads(RE(in + first - 1, in + last + 1)) Writes(RE(out + first, out + last))
void sweep(double* restrict out, const double* restrict in, int first, int last) {
  if (last - first <= BLOCK) {
#pragma splice step Reads(RE(in + first - 1, in + last + 1)) Writes(RE(out + first, out + last))
    relax(out, in, first, last);
    return;
  }
  const int middle = first + (last - first) / 2;
  sweep(out, in, first, middle);
  sweep(out, in, middle, last);
}

int main(void) {
  static double expected[2][SIZE];
  for (int i = 0; i < SIZE; i++) expected[0][i] = expected[1][i] = u[0][i] = u[1][i] = sin(i);
  for (int t = 0; t < TIMES; t++) relax(expected[(t + 1) % 2], expected[t % 2], 1, SIZE - 1);

#pragma splice try(8)
  for (int t = 0; t < TIMES; t++) {
    sweep(u[(t + 1) % 2], u[t % 2], 1, SIZE - 1);
  }

  for (int i = 0; i < SIZE; i++) {
    if (u[TIMES % 2][i] != expected[TIMES % 2][i]) {
      printf("%d: %.17g is not %.17g\n", i, u[TIMES % 2][i], expected[TIMES % 2][i]);
      return 1;
    }
  }
  printf("smooth\n");
  return 0;
}
