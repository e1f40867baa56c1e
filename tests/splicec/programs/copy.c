// SPDX-License-Identifier: Apache-2.0
// Figure 3 of Lifflander and Krishnamoorthy, 2017, in C: the last two copies depend on one another.
#include <stdio.h>
#include <stdlib.h>

#define M 100003

static char A[M], B[M], C[M], D[M];
static int threshold = 1000;

#pragma splice func Reads(RE(X, X + n)) Writes(RE(Y, Y + n))
static void copy(const char* X, char* Y, int n) {
#pragma splice step Reads(RE(X, X + n)) Writes(RE(Y, Y + n))
  if (n < threshold) {
    for (int i = 0; i < n; i++)
      Y[i] = X[i];
  } else {
    int mid = n / 2;
    copy(X, Y, mid);
    copy(X + mid, Y + mid, n - mid);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) threshold = atoi(argv[1]);
  for (int i = 0; i < M; i++) A[i] = (char)(i * 7 + i / 251);
#pragma splice try(3)
  copy(A, B, M);
  copy(A, C, M);
  copy(C + 1, D, M - 1);
  for (int i = 0; i < M; i++) {
    if (B[i] != A[i] || C[i] != A[i] || (i + 1 < M && D[i] != A[i + 1])) {
      printf("%d is wrong\n", i);
      return 1;
    }
  }
  printf("copied\n");
  return 0;
}
