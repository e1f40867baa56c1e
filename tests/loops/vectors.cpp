// SPDX-License-Identifier: Apache-2.0
// One loop at a time, so that its instructions can be told from those of others.
#include <sennit/algorithm/count.hpp>
#include <sennit/algorithm/find.hpp>
#include <sennit/parallel_for.hpp>
#include <sennit/parallel_reduce.hpp>
#include <sennit/parallel_transform.hpp>

#include <functional>
#include <span>

#if defined(INTEGERS)
long sum(const long* x, long n) {
  return sennit::parallel_reduce(0, n, 0L, [=](long i) { return x[i]; });
}
#elif defined(RANGE)
double sum(std::span<const double> x) { return sennit::parallel_reduce(x, 0.0); }
#elif defined(TREE)
double sum(std::span<const double> x) {
  return sennit::parallel_reduce(x, 0.0, std::plus<>(), sennit::deterministic);
}
#elif defined(TRANSFORM)
void scale(std::span<const double> x, std::span<double> y, double a) {
  sennit::parallel_transform(x, y, [=](double v) { return a * v; });
}
#elif defined(ADD)
void add(std::span<int> x, int a) {
  sennit::parallel_for(x, [=](int& v) { v += a; });
}
#elif defined(COUNT)
long count(std::span<const int> x) { return sennit::parallel_count(x, 7); }
#elif defined(FIND)
bool find(std::span<const int> x) { return sennit::parallel_contains(x, 7); }
#endif
