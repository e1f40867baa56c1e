// SPDX-License-Identifier: Apache-2.0
// Fails if the installed launcher leaves the program without a second copy, or does not build a target with precompiled headers.
#include <sennit/promotion_point.hpp>

#include <cstdio>

extern "C" const unsigned char __start_sennit_rollforward;
extern "C" const unsigned char __stop_sennit_rollforward;

int main(int count, char**) {
  long s = 0;
  for (int i = 0; i < count * 10; ++i) {
    s += i;
    SENNIT_PROMOTION_POINT(s = 0);
  }
  std::printf("%ld, %ld bytes\n", s,
              static_cast<long>(&__stop_sennit_rollforward - &__start_sennit_rollforward));
  return s == 45 && &__stop_sennit_rollforward > &__start_sennit_rollforward ? 0 : 1;
}
