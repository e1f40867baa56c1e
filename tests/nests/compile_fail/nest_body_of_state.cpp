// SPDX-License-Identifier: Apache-2.0
// A count in a copy of its own.
#include <sennit/sennit.hpp>

long cells() {
  long count = 0;
  sennit::parallel_for_nest({3, 4}, [count](long, long) mutable { ++count; });
  return count;
}
