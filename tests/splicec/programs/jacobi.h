// SPDX-License-Identifier: Apache-2.0
#ifndef JACOBI_H
#define JACOBI_H

enum { SIZE = 20000, TIMES = 20, BLOCK = 500 };

/* In relax.c, which is C and stays so. */
void relax(double* out, const double* in, int first, int last);

#endif
