// Instructions of a recursion that forks at each call, of the same recursion with plain calls, and of neither.
#include <sennit/sennit.hpp>

#include <cstdlib>
#include <cstring>

namespace {

constexpr long size = 20;

[[gnu::noinline]] long forked(long n) {
  if (n < 2) return n;
  auto [a, b] = sennit::join([&] { return forked(n - 1); }, [&] { return forked(n - 2); });
  return a + b;
}

// The barriers keep the compiler from making a loop of one of the two calls: the baseline is two plain calls.
[[gnu::noinline]] long called(long n) {
  if (n < 2) return n;
  long a = called(n - 1);
  asm volatile("" : "+r"(a));
  long b = called(n - 2);
  asm volatile("" : "+r"(b));
  return a + b;
}

}  // namespace

int main(int, char** argv) {
  sennit::runtime runtime({.workers = 1});
  const char* const what = argv[1];
  const auto run = [&] {
    if (std::strcmp(what, "forked") == 0) return forked(size);
    if (std::strcmp(what, "called") == 0) return called(size);
    return 6765L;
  };
  // With features in use around it, the fork itself must stay what it is.
  if (argv[2] != nullptr && std::strcmp(argv[2], "featured") == 0) {
    sennit::region region;
    return runtime.run([&] { return region.run(run); }) == 6765 ? 0 : 1;
  }
  return runtime.run(run) == 6765 ? 0 : 1;
}
