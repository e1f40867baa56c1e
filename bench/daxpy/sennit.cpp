// SPDX-License-Identifier: Apache-2.0
#include "common/sennit_loops.hpp"
#include "daxpy/kernel.hpp"

#include <sennit/join.hpp>

#include <cstddef>

// What one writes who has nothing but join; dac_for is to be no slower.
class recursion_loops {
 public:
  explicit recursion_loops(bench::program& program) : runtime_(program) {}

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }

  template <class F>
  void each(std::size_t n, std::size_t, F&& body) {
    halve(0, n, body);
  }

 private:
  template <class F>
  static void halve(std::size_t from, std::size_t to, F& body) {
    if (to - from == 1) {
      body(from);
      return;
    }
    const std::size_t middle = from + (to - from) / 2;
    sennit::join([&] { halve(from, middle, body); }, [&] { halve(middle, to, body); });
  }

  bench::sennit_runtime runtime_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  if (program.is("dac")) return bench::run_kernel<daxpy::kernel, bench::sennit_dac_loops>(program);
  if (program.is("recursion")) return bench::run_kernel<daxpy::kernel, recursion_loops>(program);
  return bench::run_with_sennit<daxpy::kernel>(program);
}
