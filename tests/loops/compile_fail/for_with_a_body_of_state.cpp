// SPDX-License-Identifier: Apache-2.0
// A sum that each worker would add to in a copy of its own.
#include <sennit/parallel_for.hpp>

struct adder {
  long sum = 0;
  void operator()(long i) { sum += i; }
};

long sum() {
  adder all;
  sennit::parallel_for(0L, 100L, all);
  return all.sum;
}
