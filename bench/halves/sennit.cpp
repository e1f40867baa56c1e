// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "halves/work.hpp"

#include <sennit/join.hpp>

#include <cstdint>

static constexpr auto join = [](auto&& f, auto&& g) {
  auto [a, b] = sennit::join(f, g);
  return a + b;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  bench::sennit_runtime runtime(program);
  if (program.is("inside"))
    return program.run([&](std::uint64_t times) {
      return runtime.run([&] { return halves::enter_repeatedly(times, program.work(), join); });
    });
  return program.run([&](std::uint64_t times) {
    return halves::enter_repeatedly(
        times, program.work(), [&](auto&& f, auto&& g) { return runtime.run([&] { return join(f, g); }); });
  });
}
