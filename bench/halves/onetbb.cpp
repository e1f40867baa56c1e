// SPDX-License-Identifier: Apache-2.0
#include "common/onetbb.hpp"

#include "halves/work.hpp"

#include <cstdint>

static constexpr auto join = [](auto&& f, auto&& g) {
  std::uint64_t a = 0, b = 0;
  tbb::parallel_invoke([&] { a = f(); }, [&] { b = g(); });
  return a + b;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv, bench::onetbb_version());
  bench::onetbb tbb(program);
  if (program.is("inside"))
    return program.run([&](std::uint64_t times) {
      return tbb.run([&] { return halves::enter_repeatedly(times, program.work(), join); });
    });
  return program.run([&](std::uint64_t times) {
    return halves::enter_repeatedly(times, program.work(),
                                    [&](auto&& f, auto&& g) { return tbb.run([&] { return join(f, g); }); });
  });
}
