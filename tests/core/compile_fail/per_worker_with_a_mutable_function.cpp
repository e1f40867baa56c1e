// SPDX-License-Identifier: Apache-2.0
#include <sennit/per_worker.hpp>

int main() {
  sennit::per_worker seeds([next = 0]() mutable { return ++next; });
  return seeds.local();
}
