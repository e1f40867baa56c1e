// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "return-latency/kernel.hpp"

#include <sennit/join.hpp>
#include <sennit/task_group.hpp>

namespace {

class one_runtime {
 public:
  explicit one_runtime(bench::program& program) : runtime_(program), threads_(program.workers() + 2) {}

  unsigned threads() const { return threads_; }

  template <class F>
  void enter(F&& f) {
    runtime_.run(f);
  }
  template <class F, class G>
  void halves(F&& f, G&& g) {
    sennit::join(f, g);
  }
  template <class F>
  void children(unsigned n, F&& leaf) {
    sennit::task_group group;
    for (unsigned i = 0; i < n; ++i) group.spawn(leaf);
    group.wait();
  }

 private:
  bench::sennit_runtime runtime_;
  const unsigned threads_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return return_latency::measure<one_runtime>(program);
}
