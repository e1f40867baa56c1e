// SPDX-License-Identifier: Apache-2.0
// The same recursion by plain calls and by joins. test_instructions.py runs it under callgrind,
// which writes the number of instructions at each mark.
#include <sennit/sennit.hpp>

#include <unistd.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>

namespace {

// What a fork is compared with is two plain calls. `noinline` alone does not give that:
// a compiler makes a loop of the second call, which is then not called at all.
// Passing each result through an empty asm statement adds no instruction and keeps both.
[[gnu::noinline]] long by_calls(long n) {
  if (n < 2) return n;
  long a = by_calls(n - 1);
  asm volatile("" : "+r"(a));
  long b = by_calls(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

[[gnu::noinline]] long by_joins(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return by_joins(n - 1); }, [&] { return by_joins(n - 2); });
  return a + b;
}

[[gnu::noinline]] long by_joins_of_copies(long n) {
  if (n < 2) return n;
  auto [a, b] =
      sennit::join([n] { return by_joins_of_copies(n - 1); }, [n] { return by_joins_of_copies(n - 2); });
  return a + b;
}

// As much as a loop's body can be and still be there.
void iteration(long& sum) {
  ++sum;
  asm volatile("" : "+r"(sum));
}

constexpr long iterations = 100'000;
constexpr long brief = 4;
// How often a brief loop goes around is no constant to it: else compilers unroll the plain one for good.
long brief_once() {
  long n = brief;
  asm volatile("" : "+r"(n));
  return n;
}

[[gnu::noinline]] long by_plain_loop(long) {
  long sum = 0;
  for (long i = 0; i != iterations; ++i) iteration(sum);
  return sum;
}
[[gnu::noinline]] long by_claims_of_one(long) {
  long sum = 0;
  sennit::parallel_for(0L, iterations, [&sum](long) { iteration(sum); }, sennit::grain(1));
  return sum;
}
// Iterations of which the compiler sees all.
double cells[10][100][100];
[[gnu::noinline]] long by_plain_nest(long) {
  for (auto& plane : cells)
    for (auto& row : plane)
      for (double& cell : row) cell += 1;
  return iterations;
}
[[gnu::noinline]] long by_nest(long) {
  sennit::parallel_for_nest({10, 100, 100}, [](long i, long j, long k) { cells[i][j][k] += 1; });
  return iterations;
}
[[gnu::noinline]] void brief_plain_loop(long n, long& sum) {
  for (long i = 0; i != n; ++i) iteration(sum);
}
struct iterate {
  long& sum;
  void operator()(long) const { iteration(sum); }
};
[[gnu::noinline]] void brief_loop(long n, long& sum) { sennit::parallel_for(0L, n, iterate{sum}); }
template <void (*loop)(long, long&)>
[[gnu::noinline]] long many(long) {
  long sum = 0;
  for (long i = 0; i != iterations / brief; ++i) loop(brief_once(), sum);
  return sum;
}

long size;

// Several times, for callgrind counts what other threads do meanwhile.
void mark(const char* name, long (*recursion)(long)) {
  for (int i = 0; i < 3; ++i) {
    usleep(20'000);  // lets them go to sleep
    recursion(5);    // opens the gates, which they have shut
    CALLGRIND_ZERO_STATS;
    const long result = recursion(size);
    CALLGRIND_DUMP_STATS_AT(name);
    std::printf("%s %ld\n", name, result);
  }
}

void cancelled_region() {
  sennit::region region;
  region.run([&] {
    region.cancel();
    sennit::join([] {}, [] {});
  });
}

void count(sennit::runtime& one) {
  mark("calls", &by_calls);
  mark("joins", &by_joins);
  mark("joins-of-copies", &by_joins_of_copies);

  // Nothing that is merely in use beside a fork may add to it.
  {
    sennit::region region;
    region.run([] { mark("in-a-region", &by_joins); });
  }
  cancelled_region();
  mark("after-a-cancelled-region", &by_joins);
  {
    sennit::task_group group;
    for (int i = 0; i < 10; ++i) group.spawn([] {});
    mark("above-a-group", &by_joins);
  }
  {
    sennit::reducer<long> sum;
    *sum += 1;
    mark("with-a-view", &by_joins);
  }
  sennit::blocking([] {});
  mark("after-a-blocking-call", &by_joins);
  {
    sennit::reducer<long> reducer;
    sennit::join([&] { ++*reducer; }, [&] { ++*reducer; });
    mark("beside-a-reducer", &by_joins);
  }
  mark("plain-loop", &by_plain_loop);
  mark("claims-of-one", &by_claims_of_one);
  mark("brief-plain-loops", &many<brief_plain_loop>);
  mark("brief-loops", &many<brief_loop>);
  mark("plain-nest", &by_plain_nest);
  mark("nest", &by_nest);
  if (one.statistics().fibers == 0) std::abort();
  mark("after-statistics", &by_joins);
}

}  // namespace

int main(int, char** argv) {
  size = std::atol(argv[1]);
  sennit::runtime one({.workers = 1});
  one.run([&] { count(one); });

  std::binary_semaphore in{0};
  std::binary_semaphore out{0};
  std::thread guest([&] {
    one.run([&] {
      in.release();
      out.acquire();
    });
  });
  in.acquire();
  one.run([] { mark("beside-another-region", &by_joins); });
  out.release();
  guest.join();
}
