// SPDX-License-Identifier: Apache-2.0
/* As a program in C that knows sennit.h only. */
#include <sennit.h>

#include <stdio.h>
#include <string.h>

static void square(void* context, int64_t from, int64_t to) {
  int64_t* squares = context;
  for (int64_t i = from; i < to; ++i) squares[i] = i * i;
}

int main(void) {
  static int64_t squares[1000];
  if (sennit_for(0, 1000, square, squares, NULL) != SENNIT_OK) {
    printf("%s\n", sennit_last_error());
    return 1;
  }
  printf("sennit %s: %d\n", sennit_version(), (int)squares[999]);
  return squares[999] == 998001 && strcmp(sennit_version(), SENNIT_EXPECTED_VERSION) == 0 ? 0 : 1;
}
