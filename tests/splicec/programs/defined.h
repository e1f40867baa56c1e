// SPDX-License-Identifier: Apache-2.0
#pragma splice func Writes(RE(to, to + n))
static void fill(int* to, int n) {
#pragma splice step Writes(RE(to, to + n))
  for (int i = 0; i < n; i++) to[i] = i;
}
