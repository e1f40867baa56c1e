// One fork to look at: compiled to assembly, never run.
#include <sennit/join.hpp>

long left(long);
long right(long);

long fork_by_reference(long n) {
  auto [a, b] = sennit::join([&] { return left(n); }, [&] { return right(n); });
  return a + b;
}

long fork_by_value(long n) {
  auto [a, b] = sennit::join([n] { return left(n); }, [n] { return right(n); });
  return a + b;
}
