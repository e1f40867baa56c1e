// SPDX-License-Identifier: Apache-2.0
// Bodies of loops, as a program in C has them.
#include <sennit.h>
#include <unistd.h>

void square(void* arrays, int64_t from, int64_t to) {
  double* x = *(double**)arrays;
  for (int64_t i = from; i < to; ++i) x[i] *= x[i];
}
void add(void* arrays, int64_t from, int64_t to) {
  double** a = arrays;
  for (int64_t i = from; i < to; ++i) a[0][i] = a[1][i] + a[2][i];
}
void count(void* counts, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) ++((int*)counts)[i];
}
void see_workers(void* count, int64_t from, int64_t to) {
  (void)from;
  (void)to;
  *(int*)count = (int)sennit_worker_count();
}
void wait_a_little(void* context, int64_t from, int64_t to) {
  (void)context;
  usleep((unsigned)(1000 * (to - from)));
}
void fail_from_100(void* context, int64_t from, int64_t to) {
  (void)context;
  if (to > 100) sennit_fail(from <= 100 ? "no 100" : "a later one");
}
void add_indices(void* context, void* sum, int64_t from, int64_t to) {
  (void)context;
  for (int64_t i = from; i < to; ++i) *(int64_t*)sum += i;
}
void add_values(void* arrays, void* sum, int64_t from, int64_t to) {
  const double* x = *(double**)arrays;
  for (int64_t i = from; i < to; ++i) *(double*)sum += x[i];
}
// A histogram of ten counts.
void add_digits(void* context, void* counts, int64_t from, int64_t to) {
  (void)context;
  for (int64_t i = from; i < to; ++i) ++((int64_t*)counts)[i % 10];
}
void add_counts(void* context, void* left, const void* right) {
  (void)context;
  for (int i = 0; i < 10; ++i) ((int64_t*)left)[i] += ((const int64_t*)right)[i];
}
