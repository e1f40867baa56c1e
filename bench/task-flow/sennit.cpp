// SPDX-License-Identifier: Apache-2.0
#include "common/sennit.hpp"

#include "task-flow/kernel.hpp"

#include <sennit/data_regions.hpp>
#include <sennit/task_flow.hpp>

using sennit::reads;
using sennit::writes;
using task_flow::tile;
using task_flow::tiles;

// Each task names the bytes of its tiles.
class flow {
 public:
  explicit flow(bench::program& program) : runtime_(program) {}

  void run(tiles& all) {
    runtime_.run([&] {
      sennit::graph::task_flow flow;
      all.each(submission{flow});
      flow.wait();
    });
  }

 private:
  struct submission {
    sennit::graph::task_flow& to;

    static sennit::memory_range of(const tile* t) { return {t, 1}; }
    void operator()(tile* a) const {
      to.submit(writes(of(a)), [a] { tiles::factorize(a); });
    }
    void solve(const tile* factor, tile* a) const {
      to.submit({reads(of(factor)), writes(of(a))}, [=] { tiles::solve(factor, a); });
    }
    void update(const tile* left, tile* a) const {
      to.submit({reads(of(left)), writes(of(a))}, [=] { tiles::update(left, a); });
    }
    void operator()(const tile* left, const tile* right, tile* a) const {
      to.submit({reads(of(left), of(right)), writes(of(a))}, [=] { tiles::update(left, right, a); });
    }
  };

  bench::sennit_runtime runtime_;
};

int main(int argc, char** argv) {
  bench::program program(argc, argv);
  return task_flow::run_with(program, flow(program));
}
