// SPDX-License-Identifier: Apache-2.0
#include "with_exceptions.hpp"

#include <sennit/sennit.hpp>

#include <atomic>

namespace sennit_test {

int in_cancelled_region(int (*work)()) {
  sennit::region r;
  return r
      .run([&] {
        r.cancel();
        return work();
      })
      .value_or(-1);
}

int joins_and_loops() {
  std::atomic<int> ran{0};
  const auto one = [&] { ++ran; };
  sennit::join(one, one);
  sennit::parallel_for(0, 5, [&](int) { ++ran; });
  sennit::task_group group;
  for (int i = 0; i < 5; ++i) group.spawn(one);
  group.wait();
  return ran;
}

}  // namespace sennit_test
