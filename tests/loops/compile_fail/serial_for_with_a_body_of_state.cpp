// SPDX-License-Identifier: Apache-2.0
// The serial elision takes no other programs.
#include <sennit/serial.hpp>

struct adder {
  long sum = 0;
  void operator()(long i) { sum += i; }
};

long sum() {
  adder all;
  sennit::serial::parallel_for(0L, 100L, 2, all);
  return all.sum;
}
