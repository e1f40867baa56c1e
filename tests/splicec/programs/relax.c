// SPDX-License-Identifier: Apache-2.0
#include "jacobi.h"

void relax(double* out, const double* in, int first, int last) {
  for (int i = first; i < last; i++) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}
