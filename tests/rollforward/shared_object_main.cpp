// SPDX-License-Identifier: Apache-2.0
// A program and a shared object, both rolled forward, and both linked with the library.
// Catches: beats that find the promotion points of neither, and say nothing, where the linker sees the object before the library.
#include <sennit/beats.hpp>
#include <sennit/promotion_point.hpp>

#include <chrono>
#include <cstdio>

unsigned long sum_in_shared_object(unsigned long n, long& taken);

namespace {

[[gnu::noinline]] unsigned long sum_here(unsigned long n, long& taken) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i) {
    sum += i ^ sum;
    SENNIT_PROMOTION_POINT(++taken);
  }
  return sum;
}

}  // namespace

int main() {
  const sennit::beats beating(
      {.period = std::chrono::microseconds(100), .workers = false, .calling_thread = true});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  long taken_here = 0;
  long taken_there = 0;
  bool same = true;
  while ((taken_here < 5 || taken_there < 5) && std::chrono::steady_clock::now() < end)
    same = same && sum_here(100'000, taken_here) == sum_in_shared_object(100'000, taken_there);
  std::printf("taken %ld times here, %ld times in the shared object\n%s", taken_here, taken_there,
              beating.report().c_str());
  return same && taken_here >= 5 && taken_there >= 5 ? 0 : 1;
}
