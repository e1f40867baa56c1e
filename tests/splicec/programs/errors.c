// SPDX-License-Identifier: Apache-2.0
/* What splicec cannot translate. */
#pragma splice func Reads(RE(x, x + n)) Writes(RE(y, y + n))
void copy(const int* x, int* y, int n);

#pragma splice func Reads(RE(x, x + n))
int sum(const int* x, int n);

#pragma splice func Reads(RE(x, x + n)) Writes(RE(y, y + n))
void twice(const int* x, int* y, int n) {
again:
  copy(x, y, n);
#pragma splice step Reads(RE(x, x + n)) Reads(RE(y, y + n))
  y[0] = x[0];
  if (n > 1) goto again;
  if ((copy(x, y, n), n)) return;
#pragma splice try(2)
  copy(x, y, n);
  copy(x, y, n);
}

int main(void) {
  int a[3] = {1, 2, 3};
  int b[3];
#pragma splice try(2)
  for (int i = 3; i > 0; i--) copy(a, b, i);
#pragma splice stop
  return b[0];
}
