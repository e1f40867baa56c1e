// SPDX-License-Identifier: Apache-2.0
// Loops with and without a promotion point at the end of each chunk.
#include <sennit/promotion_point.hpp>

#include <algorithm>
#include <cstddef>

constexpr std::ptrdiff_t chunk = 512;

extern "C" {

void beat(const int* first, const int* last);
void beat_of_doubles(double* first, double* last);

long sum_plain(const int* first, const int* last) {
  long sum = 0;
  while (first < last) {
    const int* const end = first + std::min(last - first, chunk);
    for (; first < end; ++first) sum += *first;
  }
  return sum;
}

long sum_marked(const int* first, const int* last) {
  long sum = 0;
  while (first < last) {
    const int* const end = first + std::min(last - first, chunk);
    for (; first < end; ++first) sum += *first;
    SENNIT_PROMOTION_POINT(beat(first, last));
  }
  return sum;
}

void scale_plain(double* first, double* last, double by) {
  while (first < last) {
    double* const end = first + std::min(last - first, chunk);
    for (; first < end; ++first) *first = *first * by + 1;
  }
}

void scale_marked(double* first, double* last, double by) {
  while (first < last) {
    double* const end = first + std::min(last - first, chunk);
    for (; first < end; ++first) *first = *first * by + 1;
    SENNIT_PROMOTION_POINT(beat_of_doubles(first, last));
  }
}
}
