// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "steal-latency/latency.hpp"

#include <cstdint>
#include <vector>

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  return program.run([&](std::uint64_t rounds, std::vector<double>& us) {
    return tbb.run([&] {
      return latency::measure(rounds, us, [](auto&& first, auto&& second) {
        // Not parallel_invoke: it does not say which of its functions the caller runs.
        tbb::task_group group;
        group.run(second);
        first();
        group.wait();
      });
    });
  });
}
