// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "steal-latency/latency.hpp"

#include <sennit/join.hpp>

#include <cstdint>
#include <vector>

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  return program.run([&](std::uint64_t rounds, std::vector<double>& us) {
    return runtime.run([&] {
      return latency::measure(rounds, us, [](auto&& first, auto&& second) { sennit::join(first, second); });
    });
  });
}
