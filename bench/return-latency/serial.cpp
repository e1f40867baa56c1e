// SPDX-License-Identifier: Apache-2.0
// Beside as many threads as the others have: what the machine adds to a plain call.
#include "return-latency/kernel.hpp"

#include <cstddef>
#include <thread>
#include <vector>

namespace {

class calls {
 public:
  explicit calls(const bench::program& program) : threads_(program.workers() + 2) {}

  unsigned threads() const { return threads_; }

  template <class F>
  void enter(F&& f) {
    f();
  }
  template <class F, class G>
  void halves(F&& f, G&& g) {
    f();
    g();
  }
  template <class F>
  void children(unsigned n, F&& leaf) {
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < threads_; ++t)
      threads.emplace_back([&leaf, n, t, all = threads_ - 1] {
        for (unsigned i = t - 1; i < n; i += all) leaf();
      });
    for (std::thread& t : threads) t.join();
  }

 private:
  const unsigned threads_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return return_latency::measure<calls>(program);
}
