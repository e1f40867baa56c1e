// SPDX-License-Identifier: Apache-2.0
// Additions to reducers whose machine code test_assembly.py reads.
#include <sennit/join.hpp>
#include <sennit/reducer.hpp>

extern "C" {

long first(long);
long second(long);

void add_to_view(sennit::reducer<long>& sum, long n) { *sum += n; }

// Where a compiler would keep a thread-local's address across a fork.
long add_around_a_fork(sennit::reducer<long>& sum, long n) {
  *sum += n;
  auto [a, b] = sennit::join([=] { return first(n); }, [=] { return second(n); });
  *sum += a;
  return b;
}

}  // extern "C"
