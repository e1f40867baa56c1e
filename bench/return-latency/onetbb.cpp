// SPDX-License-Identifier: Apache-2.0
// Both regions in one arena, with room for all workers and both outside threads. Variants: `isolate`: a thread that waits takes
// what belongs to its region only; `arenas`: an arena for each of the two regions.
#include "common/onetbb.hpp"

#include "return-latency/kernel.hpp"

#include <atomic>
#include <thread>

namespace {

class arenas {
 public:
  explicit arenas(bench::program& program)
      : isolate_(program.is("isolate")),
        threads_(program.workers() + 2),
        allowed_(tbb::global_control::max_allowed_parallelism, program.workers() + 1),
        first_(static_cast<int>(threads_ - (program.is("arenas") ? 1 : 0)), program.is("arenas") ? 1 : 2),
        second_(static_cast<int>(threads_ - 1), 1),
        other_(program.is("arenas") ? second_ : first_),
        main_(std::this_thread::get_id()) {
    program.describe(bench::onetbb_version());
  }

  unsigned threads() const { return threads_; }

  template <class F>
  void enter(F&& f) {
    tbb::task_arena& arena = std::this_thread::get_id() == main_ ? first_ : other_;
    arena.execute([&] {
      if (isolate_) {
        tbb::this_task_arena::isolate(f);
      } else {
        f();
      }
    });
  }
  template <class F, class G>
  void halves(F&& f, G&& g) {
    tbb::parallel_invoke(f, g);
  }
  template <class F>
  void children(unsigned n, F&& leaf) {
    tbb::task_group group;
    for (unsigned i = 0; i < n; ++i) group.run(leaf);
    group.wait();
  }

 private:
  const bool isolate_;
  const unsigned threads_;
  tbb::global_control allowed_;
  tbb::task_arena first_;
  tbb::task_arena second_;
  tbb::task_arena& other_;
  const std::thread::id main_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return return_latency::measure<arenas>(program);
}
