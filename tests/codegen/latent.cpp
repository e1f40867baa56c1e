// SPDX-License-Identifier: Apache-2.0
// Recursions and loops, plain and latent. test_latent.py counts what they execute, and reads their loops.
#include <sennit/latent_for.hpp>
#include <sennit/latent_join.hpp>
#include <sennit/latent_reduce.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

long calls = 0;

// Both calls are made, in both forms: a compiler makes a loop of a second call if nothing follows. An empty asm statement
// adds no instruction.
[[gnu::noinline]] long fib_plain(long n) {
  if (n < 2) return n;
  long a = fib_plain(n - 1);
  asm volatile("" : "+r"(a));
  long b = fib_plain(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

[[gnu::noinline]] long fib_latent(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::latent_join([=] { return fib_latent(n - 1); }, [=] { return fib_latent(n - 2); });
  asm volatile("" : "+r"(a), "+r"(b));
  return a + b;
}

// A search that cuts branches: some values live across the calls, and nothing is returned.
struct search {
  long best;
  long visited;
};

[[gnu::noinline]] void visit_plain(search& all, long depth, long room, long value) {
  ++all.visited;
  if (value > all.best) all.best = value;
  if (depth == 0 || room < depth || value + depth * 3 <= all.best - 40) return;
  visit_plain(all, depth - 1, room - depth, value + (depth & 3));
  asm volatile("");
  visit_plain(all, depth - 1, room, value);
  asm volatile("");
}

[[gnu::noinline]] void visit_latent(search& all, long depth, long room, long value) {
  ++all.visited;
  if (value > all.best) all.best = value;
  if (depth == 0 || room < depth || value + depth * 3 <= all.best - 40) return;
  const long next = depth - 1;  // what both calls need: `depth` need not be kept
  sennit::latent_join([=, &all] { visit_latent(all, next, room - depth, value + (depth & 3)); },
                      [=, &all] { visit_latent(all, next, room, value); });
  asm volatile("");
}

long searched(void (*visit)(search&, long, long, long), long n) {
  search all{0, 0};
  visit(all, n, n * n / 3, 0);
  calls = all.visited;
  return all.best;
}

long calls_of_fib(long n) { return n < 2 ? 1 : 1 + calls_of_fib(n - 1) + calls_of_fib(n - 2); }

}  // namespace

// Loops whose assembly is compared.
extern "C" {

void scale_plain(long n, double by, double* x) {
  for (long i = 0; i < n; ++i) x[i] = x[i] * by + 1;
}
void scale_latent(long n, double by, double* x) {
  sennit::latent_for(n, [=](long i) { x[i] = x[i] * by + 1; });
}
long sum_plain(long n, const int* x) {
  int sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i];
  return sum;
}
long sum_latent(long n, const int* x) {
  return sennit::latent_reduce(0L, n, 0, [=](long i) { return x[i]; });
}
}

// Prints the number of calls, and the result.
int main(int, char** arguments) {
  const long n = std::atol(arguments[2]);
  const char* const what = arguments[1];
  long result = 0;
  if (std::strcmp(what, "fib-plain") == 0) result = fib_plain(n);
  if (std::strcmp(what, "fib-latent") == 0) result = fib_latent(n);
  if (std::strncmp(what, "fib", 3) == 0) calls = calls_of_fib(n);
  if (std::strcmp(what, "search-plain") == 0) result = searched(visit_plain, n);
  if (std::strcmp(what, "search-latent") == 0) result = searched(visit_latent, n);
  std::printf("%ld %ld\n", calls, result);
}
